from __future__ import annotations

import pytest

from labeling.mining.renames.prefilter import may_rename, patch_may_rename
from tests.mining.finding_helpers import in_class

BODY = "{\n    return compute(1);\n  }"


@pytest.mark.parametrize(
    "header",
    [
        "void NAME() ",
        "public static <T> Map<String, T> NAME(Map<String, T> m) ",
        "int[] NAME(int... rest) ",
        "java.util.List<X> NAME(java.util.List<X> a) ",
        "@Named(x = 1) int NAME(@Given int b) ",
        "int NAME(\n      int a,\n      int b) ",
        "int\n  NAME(int a) ",
        "int\n  NAME() ",
        "final /* odd */ int /* odder */ NAME (final int a) ",
        "größe NAME(größe g) ",
    ],
)
def test_every_shape_of_declaration_passes(header: str) -> None:
    before = in_class("int kept() { return 1; }", header.replace("NAME", "old") + BODY)
    assert may_rename(before.encode(), before.replace("old", "fresh").encode())


def test_interface_methods_pass() -> None:
    assert may_rename(b"interface A {\n  int old(int a);\n}", b"interface A {\n  int fresh(int a);\n}")


def test_line_that_occurs_twice_and_changes_once_passes() -> None:
    line = "void run() {\n work();\n}\n"
    before, after = "a\n" + line + "b\n" + line + "c\n", "A\n" + line + "b\n" + line.replace("run", "go") + "C\n"
    assert may_rename(before.encode(), after.encode())


def test_body_whose_first_line_calls_a_renamed_method_or_class_passes() -> None:
    before, after = "void a() {\n  Shop s = old(1);\n}\n", "void b() {\n  Store s = fresh(1);\n}\n"
    assert may_rename(before.encode(), after.encode())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("int a() {\n  x(1);\n}", "int a() {\n  x(2);\n}"),
        ("call(1);", "other(1);"),
        ("return call(1);", "return other(1);"),
        ("x = new A(1);", "x = new B(1);"),
        ("int a = f(1);", "int a = g(1);"),
        ("", "void a() {\n}"),
        ("void a() {\n}", ""),
        ("void a(int x) {\n}", "void b(String x) {\n}"),
        ("void a() {\n  first();\n}", "void b() {\n  int second = 2;\n}"),
        (" * calls to one()", " * calls to two()"),
    ],
)
def test_changes_without_a_renamed_declaration_are_stopped(before: str, after: str) -> None:
    frame = "class A {{\n  int kept() {{ return 1; }}\n{}\n}}\n"
    assert not may_rename(frame.format(before).encode(), frame.format(after).encode())


def test_equal_and_empty_files_are_stopped() -> None:
    assert not may_rename(b"class A { int a() {} }", b"class A { int a() {} }")
    assert not may_rename(b"", b"")


def test_patch_is_judged_by_its_changed_lines() -> None:
    patch = (
        b"--- a/A.java\n+++ b/A.java\n@@ -1,2 +1,2 @@\n class A {\n-  int old() {\n+  int fresh() {\n   int kept();\n"
    )
    assert patch_may_rename(patch)
    assert not patch_may_rename(patch.replace(b"fresh", b"old"))
    assert not patch_may_rename(b"")
