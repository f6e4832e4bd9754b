"""Blindness, shown and not claimed: record all that a participant receives, and try to tell origins from it."""

ALARM = 0.001  # so rarely would a blind page look as telling as this
