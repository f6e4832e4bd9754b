"""What is dealt so that nobody can deal it again: letters of origins, and numbers in the place of methods and names."""

from __future__ import annotations

from random import Random

from django.utils.crypto import salted_hmac

from labeling.study.models import Study


def hidden_rng(study: Study, what: str) -> Random:
    """The same for the same study each time, but by a key of the server: its seed is shown, and can be given to another
    study that is unblinded first."""
    key = salted_hmac(f"study.{what}", f"{study.pk}:{study.seed}", algorithm="sha256")
    return Random(key.hexdigest())  # noqa: S311 (the key is what cannot be guessed)
