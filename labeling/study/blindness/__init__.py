"""Blindness, shown and not claimed: record all that a participant receives, and try to tell origins from it."""
