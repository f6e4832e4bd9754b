"""What stands for an assignment outside: a number that says nothing. Repeats are made later than other assignments, so
their own numbers would betray them. It is a keyed shuffle of all numbers below 2⁵², and needs no column."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

from django.conf import settings
from django.urls import register_converter

HALF = 26  # bits; both halves together stay within what JavaScript counts exactly
MASK = (1 << HALF) - 1
ROUNDS = range(4)


@cache
def keyed(secret: str) -> Any:
    return hashlib.blake2b(key=secret.encode()[:64], digest_size=8)


def mixed(half: int, step: int, key: Any) -> int:
    hasher = key.copy()
    hasher.update(b"%d:%d" % (step, half))
    return int.from_bytes(hasher.digest()) & MASK


def public_number(pk: int) -> int:
    """Feistel's construction: whatever `mixed` does, it can be undone."""
    left, right, key = pk >> HALF, pk & MASK, keyed(settings.SECRET_KEY)
    for step in ROUNDS:
        left, right = right, left ^ mixed(right, step, key)
    return left << HALF | right


def private_number(number: int) -> int:
    left, right, key = number >> HALF, number & MASK, keyed(settings.SECRET_KEY)
    for step in reversed(ROUNDS):
        left, right = right ^ mixed(left, step, key), left
    return left << HALF | right


class AssignmentConverter:
    """In addresses: `<assignment:pk>`."""

    regex = "[0-9]{1,16}"

    def to_python(self, value: str) -> int:
        number = int(value)
        if number >> (2 * HALF):
            raise ValueError(value)
        return private_number(number)

    def to_url(self, pk: int) -> str:
        return str(public_number(pk))


register_converter(AssignmentConverter, "assignment")
