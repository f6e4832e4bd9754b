"""Java source as bytes: brought to one form, then cut into tokens."""

from __future__ import annotations

import re

MAX_BYTES = 8_000_000

_BOM = b"\xef\xbb\xbf"
# An odd number of backslashes before the u: an even number is an escaped backslash and a plain letter u.
_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)((?:\\u+[0-9a-fA-F]{4})+)")
_TOKEN = re.compile(
    # What begins and does not end goes on to the end of its line or of the file: looking for its end anew from each
    # of its characters would take hours in a file made for that.
    rb'"""(?:[^\\]|\\.)*?(?:"""|\Z)'
    rb'|"(?:[^"\\\n]|\\.)*+"?'
    rb"|'(?:[^'\\\n]|\\.)*+'?"
    rb"|/\*.*?(?:\*/|\Z)|//[^\n]*"
    rb"|[A-Za-z_$\x80-\xff][\w$\x80-\xff]*"
    rb"|\.?[0-9](?:[\w.]|(?<=[eEpP])[+-])*"
    rb"|::|->|\.\.\.|\+\+|--|&&|\|\||<<=?|[-+*/%&|^!=<]="
    # Every > stands alone, so that List<List<X>> and List<List<X> > have the same tokens.
    rb"|\S",
    re.DOTALL,
)


class BadSource(Exception):  # noqa: N818 (the file is at fault, and the sentence says how)
    """This file cannot be read as Java; the sentence says why."""


def check_source(raw: bytes) -> None:
    """Raises BadSource for what is not worth reading as Java."""
    if len(raw) > MAX_BYTES:
        raise BadSource(f"the file has {len(raw):,} bytes, more than the {MAX_BYTES:,} that are read")
    if b"\0" in raw:
        raise BadSource("the file contains NUL bytes, so it is not Java source")


def normalize(raw: bytes) -> bytes:
    """The same program as UTF-8 without BOM, with \\n line ends and unicode escapes resolved; line numbers stay."""
    source = raw.removeprefix(_BOM)
    try:
        source.decode()
    except UnicodeDecodeError:
        source = source.decode("latin-1").encode()
    if b"\r" in source:
        source = source.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\\u" in source:
        source = _ESCAPE.sub(_resolve, source.decode()).encode()
    return source


def _resolve(match: re.Match[str]) -> str:
    codes = [int(part.lstrip("u"), 16) for part in match[2].split("\\")[1:]]
    text = b"".join(code.to_bytes(2, "big") for code in codes).decode("utf-16-be", "replace")
    # A resolved control character would move lines or end the parse; a half surrogate has no UTF-8 form.
    return match[1] + text if text.isprintable() and "\ufffd" not in text else match[0]


def tokenize(source: bytes) -> list[bytes]:
    """The tokens of a piece of Java, without comments and white space."""
    return [token for token in _TOKEN.findall(source) if not token.startswith((b"//", b"/*"))]


def is_identifier(token: bytes) -> bool:
    return token[0] >= 0x80 or token[:1].isalpha() or token[:1] in b"_$"  # noqa: PLR2004 (first byte beyond ASCII)
