from __future__ import annotations

import re
import time

import pytest

from labeling.annotation.protocols.files import built_in
from labeling.annotation.protocols.guideline import render_guideline


def test_headings_nest_in_our_pages_and_can_be_linked() -> None:
    html = render_guideline("# What\n\n## Why *so*\n\n#### Deep\n\n###### Deeper\n\n# What\n\n# 日本")
    assert html.split("\n")[:-1] == [
        '<h3 id="guideline-what">What</h3>',
        '<h4 id="guideline-why-so">Why <em>so</em></h4>',
        '<h5 id="guideline-deep">Deep</h5>',
        '<h6 id="guideline-deeper">Deeper</h6>',
        '<h3 id="guideline-what-2">What</h3>',
        '<h3 id="guideline-part">日本</h3>',
    ]


def test_heading_is_never_two_levels_below_the_one_before() -> None:
    assert re.findall("<(h.) ", render_guideline("## a\n\n# b\n\n##### c\n\n## d")) == ["h3", "h3", "h4", "h4"]


def test_numbered_heading_meets_one_that_is_called_so() -> None:
    ids = re.findall('id="([^"]+)"', render_guideline("# a\n\n# a-2\n\n# a\n\n# a-2\n\n# a"))
    assert len(ids) == len(set(ids)) == 5


def test_two_guidelines_on_a_page_have_their_own_anchors() -> None:
    assert render_guideline("# A\n\n[up](#a)", "other") == (
        '<h3 id="other-a">A</h3>\n<p><a href="#other-a">up</a></p>\n'
    )


def test_link_out_opens_a_new_tab_without_a_way_back() -> None:
    html = render_guideline("[paper](https://example.org/x 'title') <https://example.org> [mail](mailto:a@example.org)")
    links = re.findall(r"<a [^>]*>", html)
    assert len(links) == 3
    assert all('target="_blank"' in link and 'rel="noopener noreferrer"' in link for link in links)


def test_table_code_and_lists_are_shown() -> None:
    html = render_guideline(
        "| a | b |\n|---|---|\n| 1 | `x<y` |\n\n```java\nint a = 1 < 2;\n```\n\n3. three\n\n~~old~~"
    )
    for piece in (
        "<td>1</td>",
        "<code>x&lt;y</code>",
        '<pre tabindex="0">',
        "1 &lt; 2",
        '<ol start="3">',
        "<s>old</s>",
    ):
        assert piece in html


ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x)",
    "[x](file:///etc/passwd)",
    "![x](https://evil.example/pixel.png)",
    "![x](data:image/svg+xml,<svg onload=alert(1)>)",
    '![x"onerror="alert(1)](y)',
    "![x](javascript:alert(1))",
    '[x](https://a.example "title\\" onclick=\\"alert(1)")',
    "[x][y]\n\n[y]: javascript:alert(1)",
    "<style>body{display:none}</style>",
    "<iframe src=//evil.example></iframe>",
    "<form action=//evil.example><input name=password></form>",
    "<base href=//evil.example>",
    "<meta http-equiv=refresh content=0>",
    "# <img src=x onerror=alert(1)>",
    '```"><script>alert(1)</script>\nx\n```',
    "``` class=x onclick=alert(1)\nx\n```",
    "[![x](https://evil.example/a)](javascript:alert(1))",
    "| <script> |\n|---|\n| <img src=x onerror=alert(1)> |",
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    "\x00<script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
]


@pytest.mark.parametrize("text", ATTACKS)
def test_guideline_does_nothing_but_be_read(text: str) -> None:
    html = render_guideline(text)
    tags = re.findall(r"<[^>]*>", html)
    for tag in tags:
        assert re.fullmatch(r"</?(a|p|h[3-6]|code|pre|table|thead|tbody|tr|t[hd])( [^>]*)?>", tag), tag
        assert not re.search(r"\son\w+=|style=|src=|class=", re.sub(r'"[^"]*"', '""', tag)), tag
        target = re.search(r'href="([^"]*)"', tag)
        assert not target or not re.match(r"(javascript|data|vbscript|file):", target[1], re.IGNORECASE), tag


def test_html_is_shown_as_it_was_written() -> None:
    assert render_guideline("a <b>bold</b> word") == "<p>a &lt;b&gt;bold&lt;/b&gt; word</p>\n"


def test_picture_becomes_a_link_to_it() -> None:
    html = render_guideline("![a map](https://example.org/map.png)")
    assert "<img" not in html
    assert re.search(
        r'<a [^>]*href="https://example.org/map.png"[^>]*>a map</a>|<a href="https://example.org/map.png"', html
    )


@pytest.mark.parametrize(
    "text", ["[" * 50_000, "*" * 50_000, "> " * 25_000, "# a\n" * 12_500, "`" * 50_000, "![" * 25_000, "a|" * 25_000]
)
def test_hostile_guideline_takes_no_time(text: str) -> None:
    started = time.process_time()
    render_guideline(text)
    assert time.process_time() - started < 5


@pytest.mark.parametrize("name", ["rename4j", "equivalence", "paraphrase"])
def test_built_in_guideline_is_shown_whole(name: str) -> None:
    html = render_guideline(built_in()[name].guideline)
    assert html.count("<h3 ") >= 3
    assert "<table>" in html or "<pre" in html
    assert "**" not in html
