"""What stands for an assignment outside: a number that says nothing. Repeats are made later than other assignments, so
their own numbers would betray them. It is a keyed shuffle of all numbers below 2⁵², and needs no column."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.urls import register_converter

HALF = 26  # bits; both halves together stay within what JavaScript counts exactly
MASK = (1 << HALF) - 1
ROUNDS = range(4)


def mixed(half: int, step: int) -> int:
    text = f"{step}:{half}".encode()
    digest = hashlib.blake2b(text, key=settings.SECRET_KEY.encode()[:64], digest_size=8).digest()
    return int.from_bytes(digest) & MASK


def public_number(pk: int) -> int:
    """Feistel's construction: whatever `mixed` does, it can be undone."""
    left, right = pk >> HALF, pk & MASK
    for step in ROUNDS:
        left, right = right, left ^ mixed(right, step)
    return left << HALF | right


def private_number(number: int) -> int:
    left, right = number >> HALF, number & MASK
    for step in reversed(ROUNDS):
        left, right = right ^ mixed(left, step), left
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
