"""What the coordinator did about leaks, and the form that bodies and names get by it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from labeling.refusals import Invalid
from labeling.study.leaks import Leak, Named, find_leaks, mask_body, show_name
from labeling.study.material import Piece
from labeling.study.models import Method, Name, Ruling, Study
from labeling.study.origins import NameOrigin


class Rules:
    """The rulings of a study, asked leak by leak: one about this very leak goes before one about its kind."""

    def __init__(self, rulings: Iterable[Ruling] = ()) -> None:
        self.rulings = {(ruling.leak, ruling.method_key, ruling.name): ruling for ruling in rulings}

    def ruling(self, leak: Leak) -> Ruling | None:
        return self.rulings.get((leak.kind, leak.method, leak.name)) or self.rulings.get((leak.kind, "", ""))

    def __call__(self, leak: Leak) -> str:
        ruling = self.ruling(leak)
        return ruling.act if ruling else ""


@dataclass
class ShownName:
    """A distinct name as it will be shown, and which origins gave it in which words."""

    shown: str
    given: str
    attention: str = ""
    origins: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """A leak and what was ruled about it."""

    leak: Leak
    ruling: Ruling | None


def named(piece: Piece) -> Named:
    """Without its attention checks: they come from us and give nothing away."""
    return Named(piece.key, piece.body, tuple(dict.fromkeys(piece.names.values())))


def shown_names(piece: Piece, rules: Rules) -> list[ShownName]:
    """Equal names become one, compared exactly as they are shown. Sorted by their letters, so that the order in
    which they are stored tells nothing of where they came from."""
    found: dict[str, ShownName] = {}
    for origin, given in sorted(piece.names.items()):
        shown = show_name(given, piece.key, rule=rules)
        found.setdefault(shown, ShownName(shown, given)).origins[origin] = given
    for given, answer in sorted(piece.checks.items()):
        if given in found:
            raise Invalid(f"{given} of “{piece.key[:80]}” would be a name and an attention check as well.")
        found[given] = ShownName(given, given, answer)
    return [found[shown] for shown in sorted(found)]


def shown_body(piece: Piece, rules: Rules) -> str:
    return mask_body(named(piece), shown=forms(piece, rules), rule=rules)


def forms(piece: Piece, rules: Rules) -> dict[str, str]:
    return {name: show_name(name, piece.key, rule=rules) for name in named(piece).names}


def leaks_of(pieces: Iterable[Piece], rules: Rules) -> list[Found]:
    """Every leak with its ruling, those without one first."""
    leaks = [leak for piece in pieces for leak in find_leaks(named(piece), shown=forms(piece, rules))]
    return sorted((Found(leak, rules.ruling(leak)) for leak in leaks), key=lambda found: found.ruling is not None)


def stored_pieces(study: Study, keys: Sequence[str] | None = None) -> dict[int, Piece]:
    """The material as it came, by the id of its methods: what everybody gave, before any ruling."""
    methods = Method.objects.filter(study=study).order_by("pk")
    methods = methods if keys is None else methods.filter(key__in=keys)
    pieces = {method.pk: Piece(method.key, method.group, method.given) for method in methods.only(*_COLUMNS)}
    wanted = {"name__method__in": list(pieces)} if keys is not None else {"name__method__study": study}
    rows = NameOrigin.objects.filter(**wanted).order_by("pk").values_list("name__method", "origin__key", "given")
    for method, origin, given in rows:
        pieces[method].names[origin] = given
    checks = Name.objects.filter(method__study=study).exclude(attention="").order_by("pk")
    for method, given, answer in checks.values_list("method", "given", "attention"):
        if method in pieces:
            pieces[method].checks[given] = answer
    return pieces


_COLUMNS = ("key", "group", "given")


def study_rules(study: Study) -> Rules:
    return Rules(study.rulings.select_related("by"))


def study_leaks(study: Study) -> list[Found]:
    return leaks_of(stored_pieces(study).values(), study_rules(study))


def count_unruled(found: Iterable[Found]) -> dict[str, int]:
    """Leaks that still want a ruling, by kind."""
    counts: defaultdict[str, int] = defaultdict(int)
    for one in found:
        counts[one.leak.kind] += one.ruling is None
    return {kind: count for kind, count in counts.items() if count}
