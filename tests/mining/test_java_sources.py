from __future__ import annotations

import pytest

from labeling.mining.renames.java import parse_methods
from labeling.mining.renames.lexing import MAX_BYTES, BadSource, normalize
from tests.mining.finding_helpers import find, in_class, names

BODY = "{ int sum = 0; for (int part : parts) { sum += part; } return sum; }"


@pytest.mark.parametrize(
    "method",
    [
        'String NAME() { return """\n  a "quoted" text\n  } of { lines""" + x; }',
        "int NAME(Object o) { return switch (o) { case String s when s.isEmpty() -> 0; default -> { yield 1; } }; }",
        "boolean NAME(Object o) { return o instanceof Point(int x, int y) && x > y; }",
        "@Nullable String @NonNull [] NAME(@A List<@B String> list) { return list.toArray(String[]::new); }",
        "<T extends Comparable<? super T> & S> Map<T, List<int[]>> NAME(T[]... t) throws X, Y { return f(t); }",
        "int NAME()[] { return values; }",
        "void NAME(A this, int b) { b++; work(b); }",
        "Supplier<int[][]> NAME() { return () -> new int[1][]; }",
        "void NAME() { record P(int a) {} sealed interface S permits P {} use(new P(1)); }",
        "long NAME() { return 0xFFL + 1_000 + 0b11 >>> 2 << 3; }",
        "void NAME() { try (var in = open()) { in.read(); } catch (A | B e) { throw e; } }",
        "char NAME() { return '\\'' == '\"' ? '{' : '\\u007d'; }",
    ],
)
def test_newer_and_rarer_syntax_is_read(method: str) -> None:
    renames = find(in_class(method.replace("NAME", "old")), in_class(method.replace("NAME", "fresh")))
    assert names(renames) == [("old", "fresh", "exact")]


def test_what_javalang_cannot_parse_is_verified_by_tokens() -> None:
    method = 'String NAME() { return """\n  text""" + x; }'
    [rename] = find(in_class(method.replace("NAME", "old")), in_class(method.replace("NAME", "fresh")))
    assert rename.verified_by == "tokens"


def test_text_blocks_do_not_shift_lines() -> None:
    block = 'String s = """\n one\n two\n """;'
    [rename] = find(in_class(block, "int total() " + BODY), in_class(block, "int sum() " + BODY))
    assert (rename.line_before, rename.line_after) == (6, 6)


def test_white_space_in_a_text_block_is_a_difference() -> None:
    method = 'String %s() { return x + """\n  two%swords\n  """; }'
    assert find(in_class(method % ("old", " ")), in_class(method % ("fresh", "  "))) == []


def test_receiver_is_no_parameter() -> None:
    [method] = parse_methods(in_class("void f(@X A this, int b) { }").encode())
    assert method.parameters == ("int",)


def test_windows_and_old_mac_line_ends_are_no_difference() -> None:
    before, after = in_class("// old", "int total()", BODY), in_class("// old", "int sum()", BODY)
    for ending in ("\r\n", "\r"):
        [rename] = find(before.replace("\n", ending), after)
        assert (rename.tier, rename.line_before) == ("exact", 3)


def test_byte_order_mark_is_no_difference() -> None:
    before, after = in_class("int total() " + BODY), in_class("int sum() " + BODY)
    assert names(find(b"\xef\xbb\xbf" + before.encode(), after)) == [("total", "sum", "exact")]
    assert normalize(b"\xef\xbb\xbfclass") == b"class"


def test_latin_1_file_is_read_and_equal_to_its_utf_8_form() -> None:
    before = in_class('String größe() { return "naïve" + x; }')
    after = in_class('String länge() { return "naïve" + x; }')
    assert names(find(before.encode("latin-1"), after.encode())) == [("größe", "länge", "exact")]


def test_unicode_escapes_are_the_characters_they_stand_for() -> None:
    before = in_class(r'String caf\u00e9() { return "\u00e9\uuu0041" + x; }')
    after = in_class('String tea() { return "éA" + x; }')
    assert names(find(before, after)) == [("café", "tea", "exact")]


def test_escaped_backslash_before_u_is_no_unicode_escape() -> None:
    before, after = (in_class('String %s() { return "\\\\u0041" + x; }' % name) for name in ("old", "fresh"))  # noqa: UP031
    [rename] = find(before, after)
    assert r"\\u0041" in rename.before.text


def test_escapes_without_a_printable_character_stay_as_they_are() -> None:
    [method] = parse_methods(in_class(r"""void f() { a('\u0000', "\ud800", "\ud83d\ude00"); } // \u000a""").encode())
    assert r"'\u0000', " in method.text
    assert r"\ud800" in method.text
    assert "😀" in method.text


def test_signature_is_read_without_annotations_modifiers_and_names() -> None:
    header = "@A(x = {1, 2}) public static <T extends B<T>> @C List< T > find"
    parameters = "(final Map<String,List<T>> m, @D int x[], T... r) throws Z, Y"
    [method] = parse_methods(in_class(header, parameters, "{ return g(m); }").encode())
    assert method.parameters == ("Map<String,List<T>>", "int[]", "T...")
    assert method.parameter_names == (b"m", b"x", b"r")
    assert (method.type_parameters, method.return_type, method.throws) == ("<T extends B<T>>", "List<T>", ("Y", "Z"))


def test_byte_ranges_point_at_the_method_and_its_name() -> None:
    [method] = parse_methods("class A { /** Größe. */ int größe() { return 1; } }".encode())
    assert method.source[method.start : method.end].decode() == "int größe() { return 1; }"
    assert method.source[method.name_start :].startswith("größe".encode())
    assert method.javadoc.decode() == "/** Größe. */"


@pytest.mark.parametrize("raw", [b"class A {\0}", b" " * (MAX_BYTES + 1)])
def test_what_cannot_be_java_is_refused(raw: bytes) -> None:
    with pytest.raises(BadSource):
        parse_methods(raw)


@pytest.mark.parametrize("raw", [b"", b"\xff\xfe\xfd", b"class {{{{ int a(", b"int f(", b"}" * 999, b"class A { int ("])
def test_nonsense_gives_no_methods_and_no_error(raw: bytes) -> None:
    assert parse_methods(raw) == []


def test_method_with_a_syntax_error_is_for_review() -> None:
    before, after = (in_class(f"int {name}() {{ return 1 +* 2 + total(parts); }}") for name in ("old", "fresh"))
    assert {tier for _, _, tier in names(find(before, after))} <= {"review"}
