"""Which key does what for a person on the judging page: their own choices first, then the protocol's."""

from __future__ import annotations

from collections.abc import Mapping

from labeling.annotation.protocols.actions import ACTIONS
from labeling.annotation.protocols.codebook import Codebook
from labeling.annotation.protocols.models import KeyMap, ProtocolVersion
from labeling.people.models import User
from labeling.refusals import Invalid

NAMED = ("Enter", "Space", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown")
Keys = dict[str, str]

LABELS = {
    "submit": "Submit",
    "back": "Back to the last item",
    "next": "On to new items",
    "skip": "Skip",
    "flag": "Flag for discussion",
    "note": "Note",
    "diff": "Unified or side by side",
    "class": "Surrounding class",
    "guideline": "Guideline",
    "help": "Help",
}


def default_keys(codebook: Codebook) -> Keys:
    """Every name that can have a key: actions, and options as “question.option”; without a key it is empty."""
    options = {
        f"{question.key}.{option.key}": option.hotkey for question in codebook.questions for option in question.options
    }
    return {**ACTIONS, **options}


def labels(codebook: Codebook) -> dict[str, str]:
    """The names as a person reads them."""
    options = {
        f"{question.key}.{option.key}": option.label for question in codebook.questions for option in question.options
    }
    return {**LABELS, **options}


def keys_of(user: User, version: ProtocolVersion) -> Keys:
    """Name → key, for all that has one. Where a new version clashes with the person's own choice, theirs wins."""
    own = KeyMap.objects.filter(user=user, protocol=version.protocol_id).values_list("keys", flat=True).first()
    return {name: key for name, key in effective_keys(version.codebook, own or {}).items() if key}


def effective_keys(codebook: Codebook, own: Mapping[str, str]) -> Keys:
    """Every name with its key, or with none where another has it."""
    defaults = default_keys(codebook)
    settled: Keys = {}
    for wanted in ({name: own[name] for name in defaults if name in own}, defaults):
        for name, key in wanted.items():
            if name not in settled:
                free = not any(key == other and clash(codebook, name, there) for there, other in settled.items())
                settled[name] = key if free else ""
    return {name: settled[name] for name in defaults}


def clash(codebook: Codebook, one: str, other: str) -> bool:
    """Whether both can be wanted at the same time: all can, but for options of questions never asked together."""
    first, second = (codebook.question(name.partition(".")[0]) for name in (one, other))
    if "." not in one or "." not in other or first is None or second is None:
        return True
    return not codebook.never_together(first, second)


def save_keys(user: User, version: ProtocolVersion, wanted: Mapping[str, str]) -> None:
    """Keeps what differs from the defaults; raises Invalid naming both when two would have one key."""
    codebook = version.codebook
    defaults = default_keys(codebook)
    if unknown := wanted.keys() - defaults.keys():
        raise Invalid(f"“{min(unknown)[:80]}” is nothing that can have a key here.")
    chosen = {name: read_key(wanted.get(name, key), labels(codebook)[name]) for name, key in defaults.items()}
    require_apart(codebook, chosen)
    own = {name: key for name, key in chosen.items() if key != defaults[name]}
    KeyMap.objects.update_or_create(user=user, protocol=version.protocol, defaults={"keys": own})


def reset_keys(user: User, version: ProtocolVersion) -> None:
    KeyMap.objects.filter(user=user, protocol=version.protocol_id).delete()


def read_key(text: str, label: str) -> str:
    """A key as it is kept: a small letter stands for the capital too, since caps lock must not matter."""
    key = "Space" if text == " " else text.strip()
    if not key:
        return ""
    for name in NAMED:
        if key.lower() == name.lower():
            return name
    if len(key) == 1 and key.isprintable():
        return key.lower()[0]
    raise Invalid(f"{label}: “{key[:20]}” is not a key. Type one character, or one of {', '.join(NAMED)}.")


def require_apart(codebook: Codebook, chosen: Keys) -> None:
    names = labels(codebook)
    seen: list[tuple[str, str]] = []
    for name, key in chosen.items():
        for other, taken in seen:
            if key and key == taken and clash(codebook, name, other):
                raise Invalid(f"“{names[other]}” and “{names[name]}” cannot both have the key “{key}”.")
        seen.append((name, key))
