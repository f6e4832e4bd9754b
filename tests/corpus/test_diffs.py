from __future__ import annotations

import re

from labeling.corpus.diffs import Row, compare_code, show_code

BEFORE = "int load(int n) {\n    if (n == 0) return 0;\n    return load(n - 1);\n}"
AFTER = BEFORE.replace("load", "fetchCount")


def rows(stretches: list) -> list[Row]:  # type: ignore[type-arg]
    return [row for stretch in stretches for row in stretch.rows]


def text(html: str) -> str:
    return re.sub(r"<[^>]+>", "", html).replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')


def test_lines_alike_stand_beside_each_other_and_changed_ones_too() -> None:
    found = rows(compare_code(BEFORE, AFTER, names=("load", "fetchCount")))
    assert [row.is_same for row in found] == [False, True, False, True]
    assert [text(row.old.html) for row in found if row.old] == BEFORE.splitlines()
    assert [text(row.new.html) for row in found if row.new] == AFTER.splitlines()


def test_name_is_marked_by_its_parts() -> None:
    first = rows(compare_code("void loadUser() {}", "void fetchUser() {}", names=("loadUser", "fetchUser")))[0]
    assert first.old
    assert first.new
    assert '<span class="part--dropped">load</span><span class="part--kept">User</span>' in first.old.html
    assert '<span class="part--added">fetch</span><span class="part--kept">User</span>' in first.new.html


def test_line_that_only_one_version_has_stands_alone() -> None:
    found = rows(compare_code("void a() {\n    x();\n}", "void b() {\n    y();\n    x();\n}", names=("a", "b")))
    alone = [row for row in found if row.old is None]
    assert [text(row.new.html) for row in alone if row.new] == ["    y();"]


def test_comment_over_many_lines_is_cut_at_their_ends() -> None:
    code = "/* one\n   two */ void a() {}"
    lines = [row.new for row in rows(show_code(code))]
    assert [text(line.html) for line in lines if line] == code.splitlines()
    assert all(line.html.count("<span") == line.html.count("</span>") for line in lines if line)


def test_nothing_in_the_code_is_html() -> None:
    code = 'void a() { x("<img src=x onerror=alert(1)>"); }'
    html = "".join(row.new.html for row in rows(show_code(code, "a")) if row.new)
    assert "<img" not in html


def test_five_thousand_lines_alike_fold_into_plain_text() -> None:
    body = "\n".join(["void a() {", *["    count++;"] * 5000, "}"])
    stretches = compare_code(body, body.replace("a()", "b()", 1), names=("a", "b"))
    folded = [stretch for stretch in stretches if stretch.is_folded]
    assert [len(stretch.rows) for stretch in folded] == [4989]
    assert folded[0].plain.startswith("    count++;\n")
    assert len(rows(stretches)) == 5002


def test_short_method_is_not_folded() -> None:
    assert [stretch.is_folded for stretch in compare_code(BEFORE, AFTER, names=("load", "fetchCount"))] == [False]
