"""Results for people to read: plain text for a terminal, LaTeX tables, and a paragraph on the methods."""

from __future__ import annotations

from typing import Any

from labeling.agreement.latex import escape, table_row
from labeling.study.results.showing import STEPS, Figures, headline

MISSING = "–"
LEAST_P = 0.001


def as_text(figures: Figures) -> str:
    """The main tables for a terminal."""
    counts = figures["counts"]
    judged = f"{counts['answered']:,} judgements of {counts['names']:,} names of {counts['methods']:,} methods"
    lines = [
        headline(figures),
        f"{judged} by {counts['participants']:,} participants ({counts['flagged']:,} flagged)",
        "",
        "Yes by origin                      share   over participants    Wilson",
    ]
    for one in figures["shares"]:
        yes = one["yes"]
        lines.append(
            f"  {one['origin']:<32} {percent(yes['value']):>6}  {ends(yes['bootstrap']):<19}  {ends(yes['wilson'])}"
        )
        if yes["reason"]:
            lines.append(f"    {yes['reason']}")
    lines += ["", "Reasons of the noes                of the noes         of all answers"]
    for one in figures["reasons"]:
        lines.append(f"  {one['origin']} ({one['noes']:,} noes of {one['answers']:,} answers)")
        for row in one["reasons"]:
            label = figures["reason_labels"][row["reason"]]
            lines.append(f"    {label:<30} {share_in_text(row['of_no'])}  {share_in_text(row['of_all'])}")
    lines += ["", "Pairs                              p (Holm)   difference"]
    for pair in figures["pairs"]:
        name = f"{pair['a']} – {pair['b']}"
        found = pair["risk_difference"]
        lines.append(
            f"  {name:<32} {p_value(pair['primary']['adjusted']):>8}   {signed(found['value'])} {ends(found, signed)}"
            + (f"  {pair['primary']['reason']}" if pair["primary"]["reason"] else "")
        )
    q = figures["cochrans_q"]
    lines += ["", f"Cochran's Q: p {p_value(q['p'])}. {q['reason'] or ''} {q['caveat']}".replace("  ", " ")]
    order = figures["order"]["test"]
    lines += [f"Order of names: p {p_value(order['p'])}. {order['reason'] or ''}".rstrip()]
    lines += ["", *figures["notes"], counted_in_words(figures), intervals_in_words(figures)]
    return "\n".join(lines) + "\n"


def share_in_text(share: dict[str, Any]) -> str:
    return f"{share['count']:>4} {percent(share['value']):>7}"


def percent(value: float | None) -> str:
    return MISSING if value is None else f"{100 * value:.1f} %"


def signed(value: float | None) -> str:
    return MISSING if value is None else f"{value:+.3f}".replace("-", "−")


def p_value(value: float | None) -> str:
    return MISSING if value is None else "< 0.001" if value < LEAST_P else f"{value:.3f}"


def ends(found: dict[str, Any], write: Any = percent) -> str:
    if found["low"] is None or found["high"] is None:
        return f"[{MISSING}]"
    return f"[{write(found['low'])}, {write(found['high'])}]"


def counted_in_words(figures: Figures) -> str:
    """Who was counted, by the rule that was frozen."""
    standing, rules = figures["standing"], figures["rules"]
    told = [f"{standing[step]:,} {words}" for step, words in STEPS.items() if standing.get(step)]
    sentence = f"Of the participants, {', '.join(told) or 'none has begun'}."
    also = [STEPS[step] for step in rules["unfinished"]]
    if also:
        sentence += f" Besides those who finished, those count who {' or '.join(also)}, with the names they answered."
    else:
        sentence += " Only those who finished count."
    if rules["excluded_flags"]:
        kinds = ", ".join(flag.replace("_", " ") for flag in rules["excluded_flags"])
        sentence += f" By the frozen plan, flagged participants ({kinds}) leave the primary analysis: "
        sentence += f"{', '.join(rules['excluded']) or 'nobody'}."
    elif rules["flags"]:
        sentence += f" {len(rules['flags']):,} flagged participants stay in; without them see the sensitivity analysis."
    return sentence


def intervals_in_words(figures: Figures) -> str:
    how = figures["resampling"]
    method = "BCa" if how["method"] == "bca" else "percentile"
    return (
        f"Intervals of {100 * how['confidence']:g} %: {method} bootstrap over participants, {how['resamples']:,} "
        f"resamples, seed {how['seed']}; Wilson's interval beside it."
    )


def as_latex(figures: Figures, *, digest: str, software: str) -> str:
    """Tables of answers, reasons, pairs and participants, and the paragraph for the methods section."""
    parts = [
        "% needs \\usepackage{booktabs}",
        *table("Answers by origin.", "lrrl", ["Origin", "Yes", "$n$", "Interval"], share_lines(figures)),
        *table("Reasons of the noes by origin.", "llrrr", ["Origin", "Reason", "Noes", "Of noes", "Of all"],
               reason_lines(figures)),
        *table("Every two origins.", "lrrrl", ["Pair", "$p$", "Holm", "McNemar", "Difference"], pair_lines(figures)),
        *table("Participants.", "llr", ["Question", "Answer", "Participants"], participant_lines(figures)),
        escape(methods_paragraph(figures, digest=digest, software=software)),
        "",
    ]  # fmt: skip
    return "\n".join(parts)


def table(caption: str, columns: str, head: list[str], lines: list[list[str]]) -> list[str]:
    return [
        r"\begin{table}",
        rf"\caption{{{caption}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        table_row(head),
        r"\midrule",
        *map(table_row, lines),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
        "",
    ]


def share_lines(figures: Figures) -> list[list[str]]:
    return [
        [escape(one["origin"]), escape(percent(one["yes"]["value"])), f"{one['yes']['n']}",
         escape(ends(one["yes"]["bootstrap"]))]
        for one in figures["shares"]
    ]  # fmt: skip


def reason_lines(figures: Figures) -> list[list[str]]:
    return [
        [escape(one["origin"]), escape(figures["reason_labels"][row["reason"]]), f"{row['of_no']['count']}",
         escape(percent(row["of_no"]["value"])), escape(percent(row["of_all"]["value"]))]
        for one in figures["reasons"]
        for row in one["reasons"]
    ]  # fmt: skip


def pair_lines(figures: Figures) -> list[list[str]]:
    return [
        [
            f"{escape(pair['a'])} -- {escape(pair['b'])}",
            p_in_latex(pair["primary"]["p"]),
            p_in_latex(pair["primary"]["adjusted"]),
            p_in_latex(pair["mcnemar"]["p"]),
            escape(f"{signed(pair['risk_difference']['value'])} {ends(pair['risk_difference'], signed)}"),
        ]
        for pair in figures["pairs"]
    ]


def p_in_latex(value: float | None) -> str:
    return "--" if value is None else f"${p_value(value)}$"


def participant_lines(figures: Figures) -> list[list[str]]:
    lines = []
    for part in figures["participants"]:
        if "number" in part:
            found = part["number"]
            told = "--" if found["mean"] is None else f"{found['mean']:.1f}"
            told += "" if found["sd"] is None else f" (SD {found['sd']:.1f})"
            lines.append([escape(part["text"]), "mean", told])
        for group in part.get("groups", []):
            text = f"${group['text']}$" if group["count"] is None and group["text"].startswith("<") else group["text"]
            lines.append([escape(part["text"]), escape(group["label"]), text])
    return lines


def methods_paragraph(figures: Figures, *, digest: str, software: str) -> str:
    """Design, tests, corrections, intervals, exclusions and software: what a reviewer asks for."""
    counts, rules = figures["counts"], figures["rules"]
    about = (
        f"{counts['participants']:,} participants gave {counts['answered']:,} judgements on {counts['names']:,} "
        f"distinct names of {counts['methods']:,} methods; the origin of a name was hidden from them, and the order of "
        "names was balanced."
    )
    tests = (
        "The primary analysis is the exact sign-flip test over participants on the difference between every two "
        f"origins, two-sided at {rules['alpha']:g}, with Holm's correction; McNemar's exact test and Cochran's Q are "
        "given beside it and ignore that answers of one participant resemble each other. Odds ratios are from "
        "generalised estimating equations clustered by participant with the covariance of Mancl and DeRouen (2001)."
    )
    sentences = [
        about,
        counted_in_words(figures),
        tests,
        intervals_in_words(figures),
        *figures["notes"],
        f"Groups of fewer than {rules['small_group']} participants are not shown.",
        f"Material, texts, plan and analyses were frozen before the first answer (SHA-256 {digest})." if digest else "",
        f"Computed with {software}.",
    ]
    return " ".join(sentence for sentence in sentences if sentence)
