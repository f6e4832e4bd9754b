"""Two hundred Java methods and four names for each, put together from a few patterns and words of ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

ORIGINS = ("buggy", "fixed", "cognac", "gtnm")
THINGS = [
    ("Parcel", "Fragile"), ("Order", "Open"), ("Invoice", "Overdue"), ("Ticket", "Expired"), ("Sensor", "Faulty"),
    ("Account", "Locked"), ("Booking", "Confirmed"), ("Crate", "Empty"), ("Vessel", "Moored"), ("Payment", "Refunded"),
    ("Route", "Blocked"), ("Tenant", "Active"), ("Lesson", "Cancelled"), ("Voucher", "Redeemed"), ("Reading", "Stale"),
    ("Module", "Enabled"), ("Shipment", "Delayed"), ("Contract", "Signed"), ("Patient", "Admitted"), ("Kiosk", "Idle"),
]  # fmt: skip


@dataclass(frozen=True)
class Pattern:
    """A body and its names; `{T}` is the thing, `{t}` a variable for it, `{A}` a property. The first name is what
    developers wrote at first, the second what reviewers asked for, the others what tools suggest."""

    body: str
    names: tuple[str, str, str, str]


PATTERNS = [
    Pattern(
        """\
int ___(List<{T}> all) {{
    int total = 0;
    for ({T} {t} : all) {{
        if ({t}.is{A}()) {{
            total++;
        }}
    }}
    return total;
}}
""",
        ("get{T}s", "count{A}{T}s", "getSize", "get{T}Count"),
    ),
    Pattern(
        """\
List<{T}> ___(Collection<{T}> all) {{
    List<{T}> kept = new ArrayList<>();
    for ({T} {t} : all) {{
        if (!{t}.is{A}()) {{
            kept.add({t});
        }}
    }}
    return kept;
}}
""",
        ("process{T}s", "without{A}{T}s", "add{T}", "filter{T}s"),
    ),
    Pattern(
        """\
boolean ___(List<{T}> all) {{
    for ({T} {t} : all) {{
        if ({t}.is{A}()) {{
            return true;
        }}
    }}
    return false;
}}
""",
        ("check{T}s", "hasAny{A}{T}", "contains{T}", "is{A}{T}"),
    ),
    Pattern(
        """\
{T} ___(String id) {{
    {T} {t} = byId.get(id);
    if ({t} == null) {{
        {t} = store.read(id);
        byId.put(id, {t});
    }}
    return {t};
}}
""",
        ("get{T}", "load{T}Cached", "read{T}", "get{T}ById"),
    ),
    Pattern(
        """\
void ___({T} {t}) {{
    if ({t}.is{A}()) {{
        throw new IllegalStateException("not now");
    }}
}}
""",
        ("validate{T}", "requireNot{A}", "throwException", "check{T}{A}"),
    ),
    Pattern(
        """\
Map<String, List<{T}>> ___(List<{T}> all) {{
    Map<String, List<{T}>> groups = new TreeMap<>();
    for ({T} {t} : all) {{
        groups.computeIfAbsent({t}.owner(), key -> new ArrayList<>()).add({t});
    }}
    return groups;
}}
""",
        ("to{T}Map", "group{T}sByOwner", "computeMap", "group{T}s"),
    ),
    Pattern(
        """\
Optional<{T}> ___(List<{T}> all) {{
    {T} best = null;
    for ({T} {t} : all) {{
        if (best == null || {t}.changedAt().isAfter(best.changedAt())) {{
            best = {t};
        }}
    }}
    return Optional.ofNullable(best);
}}
""",
        ("find{T}", "latest{T}", "getBest", "findLatest{T}"),
    ),
    Pattern(
        """\
void ___(List<{T}> all, Clock clock) {{
    Instant limit = clock.instant().minus(keep);
    all.removeIf({t} -> {t}.changedAt().isBefore(limit));
}}
""",
        ("clean{T}s", "drop{T}sOlderThanLimit", "removeAll", "removeOld{T}s"),
    ),
    Pattern(
        """\
String ___({T} {t}) {{
    String state = {t}.is{A}() ? "yes" : "no";
    return {t}.owner() + ";" + {t}.number() + ";" + state;
}}
""",
        ("print{T}", "format{T}AsRow", "getState", "to{T}String"),
    ),
    Pattern(
        """\
void ___({T} {t}, Mailer mailer) {{
    if ({t}.is{A}() && !told.contains({t}.number())) {{
        mailer.send({t}.owner(), {t}.number());
        told.add({t}.number());
    }}
}}
""",
        ("handle{T}", "notifyOwnerOnce", "sendMessage", "send{A}{T}Mail"),
    ),
]


def methods() -> Iterator[tuple[dict[str, str], list[dict[str, str]]]]:
    """An item and its names, the same every time; now and then a tool suggests what reviewers asked for."""
    rng = Random(2024)  # noqa: S311 (a demo)
    for place, pattern in enumerate(PATTERNS):
        for thing, property_ in THINGS:
            words = {"T": thing, "t": thing.lower(), "A": property_}
            given = [name.format(**words) for name in pattern.names]
            if rng.random() < 0.12:  # noqa: PLR2004 (now and then)
                given[3] = given[1]
            key = f"harbour#{thing.lower()}-{place + 1:02}"
            body = pattern.body.format(**words)
            item = {"key": key, "group": f"example/{('harbour', 'depot', 'ledger')[place % 3]}", "body": body}
            yield (
                item,
                [{"item": key, "origin": origin, "name": name} for origin, name in zip(ORIGINS, given, strict=True)],
            )
