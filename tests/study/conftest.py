"""Hypothesis without a clock: a busy machine is no reason to fail."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "unhurried", deadline=None, database=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")
