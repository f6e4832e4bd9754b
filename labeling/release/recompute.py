"""Computes every number of this release again, from its CSV files, and says where one differs.

    python recompute.py [FOLDER]

Needs Python 3.11 and numpy, and nothing else of the software that made the release: it is a second implementation.
Ends with 0 when all numbers are right, with 1 when one differs, and with 2 when a file is missing or cannot be read.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
import re
import sys
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from statistics import NormalDist

try:
    import numpy as np
except ImportError:
    sys.exit("numpy is needed: pip install numpy")

LARGEST_CELL = 100_000_000
FATES = ("released", "left_out", "not_taken", "rejected", "open")
FACTS = (
    ("Items judged", "items", "judged"),
    ("Items in the benchmark", "items", "released"),
    ("Items that did not pass the filter", "items", "not_taken"),
    ("Items left out for a reason", "items", "left_out"),
    ("Items for which all options were rejected", "items", "rejected"),
    ("Items without a final answer", "items", "open"),
    ("Votes", "votes", "in_force"),
    ("Cases", "cases", "opened"),
)
COEFFICIENTS = {
    "unanimous": "Unanimous",
    "pairwise_agreement": "Pairwise agreement",
    "krippendorff_alpha": "Krippendorff's α",
    "fleiss_kappa": "Fleiss' κ",
    "conger_kappa": "Conger's κ",
    "gwet_ac1": "Gwet's AC1",
    "brennan_prediger": "Brennan–Prediger",
}


class Release:
    """The files, read."""

    def __init__(self, folder):
        self.folder = folder
        self.manifest = self.json("manifest.json")
        self.rounds = self.json("rounds.json")
        self.names = [one["name"] for one in self.rounds]
        self.questions = list(self.rows("questions.csv"))
        self.filter = self.manifest["filter"]
        self.left_out = {one["item"] for one in self.manifest["waivers"] if one["leave_out"]}
        self.columns = []  # every question, those of the newest round first
        for name in reversed(self.names):
            for question in self.questions:
                if question["round"] == name and question["question"] not in [key for key, _ in self.columns]:
                    self.columns.append((question["question"], question))

    def text(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def json(self, name):
        return json.loads(self.text(name))

    def rows(self, name):
        """With the apostrophes gone that keep a spreadsheet from running a cell."""
        csv.field_size_limit(LARGEST_CELL)
        with (self.folder / name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, strict=True):
                yield {key: cell.removeprefix("'") for key, cell in row.items()}


def read_answer(form, cell):
    if cell == "":
        return None
    if form == "multiple":
        return () if cell == "(none)" else tuple(cell.split("|"))
    return float(cell) if form == "number" else cell


def near(value):
    """As the release rounds: six decimals."""
    return None if value is None or not math.isfinite(value) else round(float(value), 6) + 0.0


# Counts and shares --------------------------------------------------------------------------------------------------


def wilson(count, total):
    """Wilson (1927), 95 %."""
    z = NormalDist().inv_cdf(0.975)
    p = count / total
    middle = (p + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total))
    return 0.0 if count == 0 else max(0.0, middle - half), 1.0 if count == total else min(1.0, middle + half)


def count_items(release):
    """From finals.csv: which final answer of an item counts, and whether the item is in the benchmark."""
    place = {name: at for at, name in enumerate(release.names)}
    newest, group = {}, {}
    for row in release.rows("finals.csv"):
        group[row["item"]] = row["group"]
        newest.setdefault(row["item"], None)
        if row["how"] and (newest[row["item"]] is None or place[row["round"]] > place[newest[row["item"]]["round"]]):
            newest[row["item"]] = {key: cell for key, cell in row.items() if cell}
    fates, settled, groups, options, asked, released = Counter(), Counter(), Counter(), Counter(), Counter(), set()
    for item, row in newest.items():
        fates[fate := fate_of(release, item, row)] += 1
        settled.update([row["how"]] if row else [])
        if fate != "released":
            continue
        released.add(item)
        groups[group[item]] += 1
        for key, question in release.columns:
            answer = read_answer(question["form"], row.get(f"answer.{key}", ""))
            if question["options"] and answer is not None:
                asked[key] += 1
                options.update((key, option) for option in (answer if isinstance(answer, tuple) else [answer]))
    return fates, settled, groups, options, asked, released


def fate_of(release, item, row):
    if row is None:
        return "open"
    if row["how"] == "rejected":
        return "rejected"
    for key, wanted in release.filter.items():
        if not set(row.get(f"answer.{key}", "").split("|")) & set(wanted):
            return "not_taken"
    return "left_out" if item in release.left_out else "released"


def statistics_of(release):
    fates, settled, groups, options, asked, released = count_items(release)
    votes, voters, per_round = Counter(), set(), defaultdict(Counter)
    for row in release.rows("votes.csv"):
        kind = "repeats" if row["repeat"] != "0" else "in_force" if row["in_force"] == "yes" else "revised"
        votes[kind] += 1
        votes["flagged"] += row["flagged"] == "yes"
        votes["picked"] += row["picked"] != ""
        if kind == "in_force":
            per_round[row["round"]]["votes"] += 1
            voters.add(row["rater"])
    why, state = Counter(), Counter()
    for row in release.rows("cases.csv"):
        why[row["why"]] += 1
        state[row["state"]] += 1
    for row in release.rows("finals.csv"):
        per_round[row["round"]]["items"] += 1
    names, lines, found = measure_names(release)
    return {
        "items": {"judged": sum(fates.values()), **{fate: fates[fate] for fate in FATES}},
        "settled": dict(sorted(settled.items())),
        "raters": len(voters),
        "votes": {kind: votes[kind] for kind in ("in_force", "revised", "repeats", "flagged", "picked")},
        "cases": {
            "opened": sum(why.values()),
            "why": dict(sorted(why.items())),
            "state": dict(sorted(state.items())),
        },
        "rounds": [
            {"round": name, "items": per_round[name]["items"], "votes": per_round[name]["votes"]}
            for name in release.names
        ],
        "answers": [row for key, question in release.columns for row in shares_of(key, question, options, asked)],
        "names": names,
        "mean_body_lines": lines,
        "groups": [
            {"group": name, "items": count} for name, count in sorted(groups.items(), key=lambda one: (-one[1], one[0]))
        ],
    }, released == found


def shares_of(key, question, options, asked):
    for option in question["options"].split("|") if question["options"] and asked[key] else []:
        count, total = options[key, option], asked[key]
        low, high = wilson(count, total)
        row = {"question": key, "option": option, "items": count, "of": total}
        yield {**row, "share": near(count / total), "low": near(low), "high": near(high)}


def measure_names(release):
    """Average lengths, from benchmark.csv; and which items are in it."""
    total, items, renames, lines = Counter(), set(), 0, 0
    for row in release.rows("benchmark.csv"):
        items.add(row["id"])
        if row.get("kind", "review_rename") != "review_rename":
            continue
        shown = json.loads(row["payload"]) if "payload" in row else row
        renames += 1
        lines += shown["body_before" if "payload" in row else "method_body"].count("\n") + 1
        for which in ("buggy", "fixed"):
            total[which, "characters"] += len(shown[f"{which}_name"])
            total[which, "subtokens"] += len(words_in(shown[f"{which}_name"]))
    if not renames:
        return None, None, items
    means = {
        which: {f"mean_{unit}": near(total[which, unit] / renames) for unit in ("characters", "subtokens")}
        for which in ("buggy", "fixed")
    }
    return means, near(lines / renames), items


def words_in(name):
    """Sub-tokens: `getHTTPUrls_2` has get, HTTP, Urls and 2; an acronym keeps its plural s, as in `parseURLs`."""
    words, at = [], 0
    kinds = "".join(map(kind_of, name))
    while at < len(kinds):
        end = at + 1
        while end < len(kinds) and kinds[end] == kinds[at]:
            end += 1
        if kinds[at] == "A":
            lower = end
            while lower < len(kinds) and kinds[lower] == "a":
                lower += 1
            if lower == end + 1 and end - at > 1 and name[end] == "s":
                end = lower  # URLs
            elif lower > end:
                end = lower if end - at == 1 else end - 1
        if kinds[at] != "_" or any(map(str.isalnum, name[at:end])):
            words.append(name[at:end])
        at = end
    return [word for word in words if any(map(str.isalnum, word))]


def kind_of(letter):
    if letter.isascii():
        return "A" if letter.isupper() else "a" if letter.islower() else "0" if letter.isdigit() else "_"
    return "A" if letter.istitle() else "0" if letter.isdigit() else "a"


# Agreement ----------------------------------------------------------------------------------------------------------


def agreement_of(release):
    """One entry a round and question, from votes.csv: what each rater said of each item, hidden repeats left out."""
    how = release.json("agreement.json")["interval"]
    items = Counter(row["round"] for row in release.rows("finals.csv"))
    asked = [question for question in release.questions if question["level"] != "none"]
    said = {(one["round"], one["question"]): defaultdict(list) for one in asked}
    raters = {one["name"]: {name: at for at, name in enumerate(one["raters"])} for one in release.rounds}
    forms = {(one["round"], one["question"]): one for one in asked}
    for row in release.rows("votes.csv"):
        if row["repeat"] != "0" or row["in_force"] != "yes":
            continue
        for question in [one for one in asked if one["round"] == row["round"]]:
            key = row["round"], question["question"]
            answer = read_answer(question["form"], row[f"answer.{question['question']}"])
            for_all = question["required"] == "no" and question["conditional"] == "no"
            if answer is None and question["form"] == "multiple" and for_all:
                answer = ()  # to tick nothing is an answer
            if answer is not None:
                said[key][row["item"]].append((raters[row["round"]][row["rater"]], answer))
    return [
        figures_of(key, forms[key], ratings, items[key[0]], release.rounds[release.names.index(key[0])]["raters"], how)
        for key, ratings in said.items()
        if ratings
    ]


class Scale:
    """The categories in order, and how far two of them lie apart."""

    def __init__(self, question, answers):
        self.level = question["level"]
        if question["form"] == "multiple":
            sets = sorted({frozenset(answer) for answer in answers}, key=sorted)
            self.place = {chosen: at for at, chosen in enumerate(sets)}
            self.apart = np.array([[masi(one, other) for other in sets] for one in sets])
        elif question["options"]:
            options = question["options"].split("|")
            self.place = {option: at for at, option in enumerate(options)}
            self.numbers = np.arange(1.0, len(options) + 1)
        else:
            numbers = sorted(set(answers))
            self.place = {number: at for at, number in enumerate(numbers)}
            self.numbers = np.array(numbers, dtype=float)
        self.size = len(self.place)

    def code(self, answer):
        return self.place.get(frozenset(answer) if isinstance(answer, tuple) else answer)

    def distances(self, totals):
        """Krippendorff (2004), ch. 11; for ordinal values they follow from how often each was given."""
        if self.level == "nominal":
            return 1.0 - np.eye(self.size)
        if self.level == "set":
            return self.apart
        if self.level == "interval":
            return np.subtract.outer(self.numbers, self.numbers) ** 2
        if self.level == "ratio":
            total = np.add.outer(self.numbers, self.numbers)
            return (np.subtract.outer(self.numbers, self.numbers) / np.where(total == 0, 1, total)) ** 2
        ranks = np.cumsum(totals) - totals / 2
        return np.subtract.outer(ranks, ranks) ** 2


def masi(one, other):
    """Passonneau (2006)."""
    if one == other:
        return 0.0
    shared, either = len(one & other), len(one | other)
    weight = 0 if not shared else 2 / 3 if one <= other or other <= one else 1 / 3
    return 1 - weight * shared / either


def figures_of(key, question, ratings, items, raters, how):
    scale = Scale(question, [answer for given in ratings.values() for _, answer in given])
    known, anonymous = Counter(), Counter()
    took_part, count = set(), 0
    for given in ratings.values():
        coded = sorted((rater, scale.code(answer)) for rater, answer in given if scale.code(answer) is not None)
        if coded:
            known[tuple(coded)] += 1
            anonymous[tuple(sorted(value for _, value in coded))] += 1
            took_part.update(rater for rater, _ in coded)
            count += len(coded)
    used = sum(times for pattern, times in anonymous.items() if len(pattern) > 1)
    found = resampled(anonymous, lambda patterns: WithoutRaters(patterns, scale), "items", how)
    found |= resampled(known, lambda patterns: WithRaters(patterns, scale, len(raters)), "raters", how)
    found["unanimous"] = as_share(found["unanimous"], used)
    return {
        "round": key[0],
        "question": key[1],
        "level": question["level"],
        "items": items,
        "items_used": used,
        "raters": len(took_part),
        "ratings": count,
        "coefficients": {name: found[name] for name in COEFFICIENTS},
        "pairs": list(pairs_of(known, scale, raters, how)),
    }


def pairs_of(known, scale, raters, how):
    """Every two raters over the items that both rated."""
    tables = defaultdict(Counter)
    for pattern, times in known.items():
        for (a, left), (b, right) in combinations(pattern, 2):
            tables[a, b][left, right] += times
    if len(tables) > 2000:
        how = {**how, "resamples": 0}
    for (a, b), table in sorted(tables.items()):
        found = resampled(table, lambda patterns: OfTwo(patterns, scale), f"pair {a} {b}", how)
        items = sum(table.values())
        agreement = as_share(found["agreement"], items)
        yield {
            "a": raters[a],
            "b": raters[b],
            "items": items,
            "agreement": agreement,
            "cohen_kappa": found["cohen_kappa"],
        }


def as_share(found, total):
    if found["value"] is None:
        return found
    low, high = wilson(round(found["value"] * total), total)
    return {"value": found["value"], "low": near(low), "high": near(high)}


def resampled(patterns, make, stream, how):
    """Values and percentile intervals. Items with the same ratings are one pattern; patterns stand in order."""
    ordered = sorted(patterns, key=lambda pattern: (len(pattern), pattern))
    counts = np.array([patterns[pattern] for pattern in ordered], dtype=float)
    estimate = make(ordered)
    values = {name: float(value[0]) for name, value in estimate(counts[None, :]).items()}
    if not how["resamples"]:
        return {name: {"value": near(value), "low": None, "high": None} for name, value in values.items()}
    rng = np.random.default_rng([how["seed"], *stream.encode()])
    drawn = in_parts(estimate, draws(counts, rng, how["resamples"]))
    tails = [(1 - how["confidence"]) / 2, (1 + how["confidence"]) / 2]
    return {name: {"value": near(value), **interval(drawn[name], value, tails)} for name, value in values.items()}


def in_parts(estimate, weights):
    parts = list(map(estimate, weights))
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def draws(counts, rng, resamples, size=50):
    """Items with replacement: as counts of the patterns where these are few, else item by item."""
    items = int(counts.sum())
    pattern_of = np.repeat(np.arange(len(counts)), counts.astype(int))
    for first in range(0, resamples, size):
        some = min(size, resamples - first)
        if 8 * len(counts) < items:
            yield rng.multinomial(items, counts / items, size=some).astype(float)
        else:
            chosen = [pattern_of[rng.integers(items, size=items)] for _ in range(some)]
            yield np.array([np.bincount(one, minlength=len(counts)) for one in chosen], dtype=float)


def interval(replicates, value, tails):
    nothing = {"low": None, "high": None}
    defined = replicates[np.isfinite(replicates)]
    if not math.isfinite(value) or len(replicates) - len(defined) > 0.05 * len(replicates):
        return nothing
    if np.ptp(defined) < 1e-12:
        return nothing
    low, high = np.quantile(defined, tails)
    return {"low": near(low), "high": near(high)}


def divided(above, below):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below == 0, np.nan, above / below)


def beyond_chance(agreed, expected):
    return divided(agreed - expected, np.where(np.abs(expected - 1) <= 1e-12, 0.0, 1 - expected))


class WithoutRaters:
    """Gwet (2014), ch. 2: with gaps; r_ik raters of item i chose category k."""

    def __init__(self, patterns, scale):
        self.scale = scale
        self.chose = np.zeros((len(patterns), scale.size))
        for at, pattern in enumerate(patterns):
            for value in pattern:
                self.chose[at, value] += 1
        self.size = self.chose.sum(axis=1)
        self.two = self.size >= 2
        pairs = np.where(self.two, self.size * (self.size - 1), 1)
        same = (self.chose * (self.chose - 1)).sum(axis=1)
        self.agreed = np.where(self.two, same / pairs, 0)
        self.unanimous = self.two & (same == pairs)
        self.fixed = scale.distances(None) if scale.level != "ordinal" else None

    def __call__(self, weights):
        used = weights @ self.two
        agreed = divided(weights @ self.agreed, used)
        shares = divided(weights @ (self.chose / self.size[:, None]), weights.sum(axis=1)[:, None])
        q = self.scale.size
        spread = (shares * (1 - shares)).sum(axis=1)
        gwet = spread / (q - 1) if q > 1 else np.ones(len(weights))
        return {
            "unanimous": divided(weights @ self.unanimous, used),
            "pairwise_agreement": agreed,
            "krippendorff_alpha": self.alpha(weights),
            "fleiss_kappa": beyond_chance(agreed, (shares**2).sum(axis=1)),
            "gwet_ac1": beyond_chance(agreed, gwet),
            "brennan_prediger": beyond_chance(agreed, np.full(len(weights), 1 / max(q, 1))),
        }

    def alpha(self, weights):
        """1 − D_o / D_e."""
        paired = weights @ (self.chose * self.two[:, None])
        if self.fixed is not None:
            within = np.einsum("pk,kl,pl->p", self.chose, self.fixed, self.chose)
            observed = weights @ np.where(self.two, within / np.maximum(self.size - 1, 1), 0)
            expected = np.einsum("bk,kl,bl->b", paired, self.fixed, paired)
        else:
            observed, expected = np.zeros(len(weights)), np.zeros(len(weights))
            for at, (row, totals) in enumerate(zip(weights, paired, strict=True)):
                apart = self.scale.distances(totals)
                within = np.einsum("pk,kl,pl->p", self.chose, apart, self.chose)
                observed[at] = row @ np.where(self.two, within / np.maximum(self.size - 1, 1), 0)
                expected[at] = totals @ apart @ totals
        return 1 - divided(observed, divided(expected, paired.sum(axis=1) - 1))


class WithRaters:
    """Conger (1980): each rater has shares of their own."""

    def __init__(self, patterns, scale, raters):
        self.given = np.zeros((len(patterns), raters, scale.size))
        for at, pattern in enumerate(patterns):
            for rater, value in pattern:
                self.given[at, rater, value] = 1
        chose = self.given.sum(axis=1)
        size = chose.sum(axis=1)
        self.two = size >= 2
        same = (chose * (chose - 1)).sum(axis=1)
        self.agreed = np.where(self.two, same / np.where(self.two, size * (size - 1), 1), 0)

    def __call__(self, weights):
        totals = np.tensordot(weights, self.given, axes=1)
        votes = totals.sum(axis=2)
        shares = totals / np.maximum(votes, 1)[:, :, None]
        people = (votes > 0).sum(axis=1)
        together = shares.sum(axis=1)
        expected = divided((together**2).sum(axis=1) - (shares**2).sum(axis=(1, 2)), people * (people - 1.0))
        return {"conger_kappa": beyond_chance(divided(weights @ self.agreed, weights @ self.two), expected)}


class OfTwo:
    """Cohen (1960)."""

    def __init__(self, patterns, scale):
        self.first = np.eye(scale.size)[[left for left, _ in patterns]]
        self.second = np.eye(scale.size)[[right for _, right in patterns]]
        self.same = np.array([float(left == right) for left, right in patterns])

    def __call__(self, weights):
        items = weights.sum(axis=1)
        first, second = divided(weights @ self.first, items[:, None]), divided(weights @ self.second, items[:, None])
        agreed = divided(weights @ self.same, items)
        return {"agreement": agreed, "cohen_kappa": beyond_chance(agreed, (first * second).sum(axis=1))}


# What is compared ---------------------------------------------------------------------------------------------------


class Report:
    def __init__(self):
        self.checked, self.faults = 0, []

    def same(self, place, said, found):
        """All numbers and words of `found`, and nothing besides but the reason why a number is not there."""
        if isinstance(found, dict) and isinstance(said, dict):
            for name in [*found, *sorted(said.keys() - found.keys() - {"reason"})]:
                self.same(f"{place}.{name}" if place else str(name), said.get(name), found.get(name))
        elif isinstance(found, list) and isinstance(said, list) and len(found) == len(said):
            for at, (one, other) in enumerate(zip(said, found, strict=True)):
                self.same(f"{place}[{at}]", one, other)
        else:
            self.checked += 1
            if not alike(said, found):
                self.faults.append(f"{place}: the release says {shown(said)}, its data give {shown(found)}")


def shown(value):
    return f"a list of {len(value)}" if isinstance(value, list) else repr(value)


def alike(said, found):
    if isinstance(said, bool) or isinstance(found, bool) or not is_number(said) or not is_number(found):
        return said == found
    return abs(said - found) <= 1.1e-6 if isinstance(found, float) else said == found


def is_number(value):
    return isinstance(value, int | float)


def interval_of(found):
    return "" if found["low"] is None else f"[{found['low']:.3f}, {found['high']:.3f}]"


def bare(label):
    """What a name and its LaTeX have in common: plain letters and digits."""
    return re.sub(r"[^A-Za-z0-9]", "", label)


def check_tables(release, statistics, agreement, report):
    """The numbers in the LaTeX tables, row by row, and what they are the numbers of."""
    expected = {
        "agreement": [
            ([one["round"], one["question"], COEFFICIENTS[name]],
             ["--" if found["value"] is None else f"{found['value']:.3f}", interval_of(found) or "--"])
            for one in agreement
            for name, found in one["coefficients"].items()
        ],
        "answers": [
            ([row["question"], row["option"]],
             [f"{row['items']:,}", f"{100 * row['share']:.2f}\\,\\%",
              f"[{100 * row['low']:.2f}, {100 * row['high']:.2f}]"])
            for row in statistics["answers"]
        ],
        "counts": [([name], [f"{count:,}"]) for name, count in statistics["items"].items()],
        "groups": [([row["group"] or "no group"], [f"{row['items']:,}"]) for row in statistics["groups"]],
        "names": [
            ([which], [f"{one['mean_characters']:.2f}", f"{one['mean_subtokens']:.2f}"])
            for which, one in (statistics["names"] or {}).items()
        ],
    }  # fmt: skip
    for name, rows in expected.items():
        text = release.text(f"tables/{name}.tex").partition("\\midrule\n")[2].partition("\\bottomrule")[0]
        cells = [re.split(r"(?<!\\) & ", line.removesuffix(" \\\\")) for line in text.split("\n")[:-1]]
        labels = len(rows[0][0]) if rows else 0
        plain = [[re.sub(r"\\[A-Za-z]+", "", label) for label in row[:labels]] + row[labels:] for row in cells]
        said = [[*map(bare, row[:labels]), *row[labels:]] for row in plain]
        report.same(f"tables/{name}.tex", said, [[*map(bare, names), *numbers] for names, numbers in rows])


def check_charts(release, statistics, agreement, report):
    alphas = [(f"{one['round']}: {one['question']}", one["coefficients"]["krippendorff_alpha"]) for one in agreement]
    expected = {
        "answers": [
            {"answer": f"{row['question']}: {row['option']}", **{name: row[name] for name in ("share", "low", "high")}}
            for row in statistics["answers"]
        ],
        "agreement": [{"question": name, **alpha} for name, alpha in alphas if alpha["value"] is not None],
        "groups": [{"group": row["group"] or "no group", "items": row["items"]} for row in statistics["groups"][:20]],
    }
    for name, values in expected.items():
        if values or (release.folder / f"charts/{name}.vl.json").exists():
            report.same(f"charts/{name}", release.json(f"charts/{name}.vl.json")["data"]["values"], values)


def check_pages(release, statistics, agreement, report):
    number = release.manifest["release"]["number"]
    facts = [f"- {words}: {statistics[part][name]:,}" for words, part, name in FACTS]
    facts += [f"- Raters: {statistics['raters']:,}", f"- Groups: {len(statistics['groups']):,}"]
    expected = {
        "README.md": [f"# {release.manifest['release']['name']}, release {number}", *facts],
        "DATASET_CARD.md": [f"- Version: {number}", *facts],
        "CITATION.cff": [f'version: "{number}"'],
    }
    for page, lines in expected.items():
        text = release.text(page).split("\n")
        for line in lines:
            report.same(f"{page}, “{line}”", line in text, True)
    measured = "\n".join(
        f"- {one['round']}, {one['question']}: α = {in_words(one['coefficients']['krippendorff_alpha'])}"
        f" over {one['items_used']:,} items and {one['raters']:,} raters"
        for one in agreement
    )
    said = release.text("DATASET_CARD.md").partition("## Agreement before discussion\n\n")[2]
    said = said.partition("\n\n## What it is for")[0]
    report.same("DATASET_CARD.md, agreement", said, measured or "- not measured")


def in_words(found):
    return "–" if found["value"] is None else f"{found['value']:.3f} {interval_of(found)}".rstrip()


def check_changes(release, report):
    changes, text = release.json("changes.json"), release.text("changes.md")
    if changes["previous"]:
        title = f"# Changes since release {changes['previous']['number']}\n"
        report.same("changes.md, the release before", text.startswith(title), True)
        for words, name in (("Added", "added"), ("Removed", "removed"), ("Changed answers", "changed")):
            report.same(f"changes.md, {words}", f"- {words}: {len(changes[name]):,}\n" in text, True)


def check_files(release, report):
    for entry in release.manifest["files"]:
        data = (release.folder / entry["path"]).read_bytes()
        report.same(f"manifest.json, sha256 of {entry['path']}", entry["sha256"], hashlib.sha256(data).hexdigest())
        report.same(f"manifest.json, bytes of {entry['path']}", entry["bytes"], len(data))
        if entry["rows"] is not None:
            is_sheet = entry["path"].endswith(".csv")
            rows = sum(1 for _ in release.rows(entry["path"])) if is_sheet else data.count(b"\n")
            report.same(f"manifest.json, rows of {entry['path']}", entry["rows"], rows)


def check_seeds(release, report):
    rounds = {one["name"]: one["seed"] for one in release.rounds}
    seeds = {"agreement": release.json("agreement.json")["interval"]["seed"], "rounds": rounds}
    report.same("manifest.json, seeds", release.manifest["seeds"], seeds)
    report.same("manifest.json, rounds", release.manifest["rounds"], release.names)


def check_finals(release, report):
    """How many votes each item has in each round, which comment all of them picked, which round counts, and whether the
    benchmark says of its items what the round says that counts."""
    votes, picks, counts = Counter(), defaultdict(set), {}
    place_of = {name: at for at, name in enumerate(release.names)}
    for row in release.rows("votes.csv"):
        if row["repeat"] == "0" and row["in_force"] == "yes":
            votes[row["round"], row["item"]] += 1
            picks[row["round"], row["item"]].add(row["picked"])
    for row in release.rows("finals.csv"):
        if row["how"]:
            counts[row["item"]] = max(counts.get(row["item"], -1), place_of[row["round"]])
    inside = {
        (row["round"], row["id"]): (row.get("picked"), settled(release, row)) for row in release.rows("benchmark.csv")
    }
    for row in release.rows("finals.csv"):
        place = row["round"], row["item"]
        picked = picks[place].pop() if len(picks[place]) == 1 else ""
        report.same(f"finals.csv, votes on {row['item']}", row["votes"], str(votes[place]))
        report.same(f"finals.csv, comment picked for {row['item']}", row["picked"], picked)
        is_counted = counts.get(row["item"]) == place_of[row["round"]]
        report.same(f"finals.csv, counts of {row['item']}", row["counts"] == "yes", is_counted)
        report.same(f"finals.csv, released of {row['item']}", row["released"] == "yes", place in inside)
        there, answers = inside.get(place, (None, settled(release, row)))
        report.same(f"benchmark.csv, answers for {row['item']}", answers, settled(release, row))
        if there is not None:  # only a benchmark of nothing but renames has the column
            report.same(f"benchmark.csv, comment picked for {row['item']}", there, picked)


def settled(release, row):
    """How it was settled, and the final answers."""
    return [row["how"], *(row[f"answer.{key}"] for key, _ in release.columns)]


def check_sheet(release, agreement, report):
    """agreement.csv says what agreement.json says."""

    def cell(number):
        return "" if number is None else repr(number)

    expected = [
        {
            "round": one["round"],
            "question": one["question"],
            "coefficient": name,
            **{part: cell(found[part]) for part in ("value", "low", "high")},
        }
        for one in agreement
        for name, found in one["coefficients"].items()
    ]
    report.same("agreement.csv", list(release.rows("agreement.csv")), expected)


def recompute(folder):
    release, report = Release(folder), Report()
    statistics, fits = statistics_of(release)
    agreement = agreement_of(release)
    said = release.json("statistics.json")
    report.same("statistics.json", said, statistics)
    report.same("benchmark.csv, the items in it", fits, True)
    report.same("agreement.json", release.json("agreement.json")["figures"], agreement)
    check_sheet(release, release.json("agreement.json")["figures"], report)
    check_tables(release, said, release.json("agreement.json")["figures"], report)
    check_charts(release, statistics, agreement, report)
    check_pages(release, statistics, release.json("agreement.json")["figures"], report)
    check_changes(release, report)
    check_seeds(release, report)
    check_finals(release, report)
    check_files(release, report)
    return report


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent
    try:
        report = recompute(folder)
    except (OSError, ValueError, KeyError, TypeError, IndexError, csv.Error) as error:
        print(f"A file is missing or cannot be read: {type(error).__name__}: {error}", file=sys.stderr)
        return 2
    for fault in report.faults[:50]:
        print(fault, file=sys.stderr)
    if report.faults:
        print(f"{len(report.faults)} of {report.checked} numbers differ.", file=sys.stderr)
        return 1
    print(f"{report.checked} numbers computed again: all are as the release says.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
