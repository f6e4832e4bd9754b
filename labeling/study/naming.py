"""Names as techniques write them: whether they are Java, what gives their writer away, and how people would write them.
Plain Python."""

from __future__ import annotations

import re

from labeling.corpus.kinds.review_rename import IDENTIFIER
from labeling.corpus.names import subtokens

LONGEST_NAME = 300
ARTEFACTS = {
    "unknown": "A placeholder of a model, such as <unk>",
    "separators": "Blanks or signs between the words",
    "underscores": "Underscores or dollar signs",
    "casing": "Begins with a capital, or is all capitals",
}
# Java, and so no name: the reserved words (Java Language Specification, §3.9) and the three literals.
KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        "abstract assert boolean break byte case catch char class const continue default do double else enum extends "
        "final finally float for goto if implements import instanceof int interface long native new package private "
        "protected public return short static strictfp super switch synchronized this throw throws transient try void "
        "volatile while _ true false null",
    )
)
_PLACEHOLDER = re.compile(
    r"</?\s*(?:unk|pad|s|sos|eos|bos|blank|mask|oov|num)\s*/?>|\[(?:UNK|PAD|MASK|CLS|SEP)\]", re.IGNORECASE
)


def is_java_name(name: str) -> bool:
    return bool(IDENTIFIER.fullmatch(name)) and name not in KEYWORDS


def artefacts_of(name: str) -> list[str]:
    """The kinds of signs in a name that give away that a technique, and which, wrote it."""
    bare = _PLACEHOLDER.sub(" ", name)
    found = ["unknown"] if bare != name or "unk" in map(str.lower, subtokens(name)) else []
    if re.search(r"[^\w$]", bare.strip() if found else bare):
        found.append("separators")
    if re.search(r"[_$]", bare):
        found.append("underscores")
    letters = [letter for letter in bare if letter.isalpha()]
    if letters and (letters[0].isupper() or (len(letters) > 1 and not any(map(str.islower, letters)))):
        found.append("casing")
    return found


def camel_case(name: str) -> str:
    """The name as most Java methods are written: no placeholders, words joined, the first small, the others begun
    with a capital. Nothing when no word is left."""
    words = [word for word in subtokens(_PLACEHOLDER.sub(" ", name)) if word.lower() != "unk"]
    if not words:
        return ""
    if not any(map(str.islower, "".join(words))):  # all capitals
        words = [word.lower() for word in words]
    first, *rest = words
    joined = "".join([first.lower(), *(word[:1].upper() + word[1:] for word in rest)])
    return (
        joined.lower() if "casing" in artefacts_of(joined) else joined
    )  # only single letters, or scripts without case


def why_no_name(name: str) -> str:
    """What is wrong with a name that neither is Java nor becomes it in camelCase; nothing where all is well."""
    if not name.strip():
        return "the name is empty"
    if len(name) > LONGEST_NAME:
        return f"the name has {len(name):,} characters; at most {LONGEST_NAME} are taken"
    if any(not letter.isprintable() for letter in name):
        return "the name contains a character that cannot be shown"
    if is_java_name(name) or (artefacts_of(name) and is_java_name(camel_case(name))):
        return ""
    return f"“{name[:40]}” is not a Java identifier"
