from __future__ import annotations

import pytest

from tests.mining.finding_helpers import find, in_class, names

BODY = "{ int sum = 0; for (int part : parts) { sum += part; } return sum; }"
KEPT = "void keep() { work(1); } void hold() { work(2); }"


@pytest.mark.parametrize(
    ("frame", "container"),
    [
        ("class A { class B { METHOD } }", "A.B"),
        ("class A { interface B { default METHOD } }", "A.B"),
        ("class A { Object b = new B<C>(1) { public METHOD }; }", "A.new B"),
        ("class A { void f() { use((B) new B() { METHOD }); } }", "A.f().new B"),
        ("class A { void f() { class L { METHOD } } }", "A.f().L"),
        ("class A { void f() { Runnable r = () -> { new B() { METHOD }; }; } }", "A.f().new B"),
        ("enum A { RED { METHOD }, BLUE; }", "A.RED"),
        ("enum A { RED, BLUE; METHOD }", "A"),
        ("record A(int a) { A { check(a); } METHOD }", "A"),
        ("@interface A { class B { METHOD } }", "A.B"),
        ("class A {} class B { METHOD }", "B"),
    ],
)
def test_methods_are_found_wherever_a_class_can_stand(frame: str, container: str) -> None:
    before, after = (frame.replace("METHOD", f"int {name}() {BODY}") for name in ("total", "sum"))
    [rename] = [rename for rename in find(before, after) if rename.buggy_name == "total"]
    assert (rename.container, rename.fixed_name, rename.tier) == (container, "sum", "exact")


@pytest.mark.parametrize(
    "frame",
    [
        "class NAME { NAME(int a) { this.a = a; } }",
        "record NAME(int a) { NAME { check(a); } }",
        "@interface A { int NAME() default 1; }",
        "class A { record NAME(int a) { } }",
        "class A { int NAME = compute(1); }",
    ],
)
def test_constructors_records_and_annotation_elements_are_never_methods(frame: str) -> None:
    assert find(frame.replace("NAME", "Old"), frame.replace("NAME", "New")) == []


def test_methods_of_an_anonymous_class_are_told_apart_by_the_method_around_it() -> None:
    inner = "new B() { int NAME() { return x + 1; } };"
    frame = in_class(f"void f() {{ {inner.replace('NAME', 'F')} }}", f"void g() {{ {inner.replace('NAME', 'G')} }}")
    before = frame.replace("F()", "a()").replace("G()", "b()")
    after = frame.replace("F()", "c()").replace("G()", "d()")
    assert names(find(before, after)) == [("a", "c", "exact"), ("b", "d", "exact")]


def test_method_around_an_anonymous_class_may_be_renamed_too() -> None:
    frame = "class A { Object F() { return new B() { int G() { return x + 1; } }; } }"
    before, after = frame.replace("F", "f").replace("G", "g"), frame.replace("F", "make").replace("G", "get")
    assert ("g", "get", "exact") in names(find(before, after))


def test_class_newly_nested_is_the_same_class() -> None:
    before = in_class(KEPT) + in_class(KEPT, f"int total() {BODY}", name="B")
    after = in_class(KEPT, "static " + in_class(KEPT, f"int sum() {BODY}", name="B"))
    [rename] = find(before, after)
    assert (rename.container, rename.fixed_name, rename.tier) == ("A.B", "sum", "exact")


def test_interface_newly_nested_is_known_by_its_name() -> None:
    before = in_class(KEPT) + "interface B {\n int oldSize(int a);\n}\n"
    after = in_class(KEPT, "interface B {\n int newSize(int a);\n}")
    assert names(find(before, after)) == [("oldSize", "newSize", "exact")]


def test_file_moved_keeps_its_methods() -> None:
    before, after = in_class(f"int total() {BODY}"), in_class(f"int sum() {BODY}")
    [rename] = find(
        "package old;\n" + before, "package other;\n" + after, path_before="old/A.java", path="other/A.java"
    )
    assert (rename.path_before, rename.path, rename.tier) == ("old/A.java", "other/A.java", "exact")


def test_class_renamed_at_the_same_time_is_the_same_class() -> None:
    before, after = in_class(KEPT, f"int total() {BODY}"), in_class(KEPT, f"int sum() {BODY}", name="Basket")
    [rename] = find(before, after, path_before="A.java", path="Basket.java")
    assert (rename.container, rename.buggy_name, rename.tier) == ("Basket", "total", "exact")


def test_body_that_names_the_renamed_class_is_for_review() -> None:
    before = in_class(KEPT, "static A make() { A made = new A(); made.fill(); return made; }")
    after = in_class(KEPT, "static Box create() { Box made = new Box(); made.fill(); return made; }", name="Box")
    assert names(find(before, after)) == [("make", "create", "review")]


def test_unrelated_class_in_the_place_of_another_is_not_the_same() -> None:
    before = in_class(KEPT, "int firstSize() { return 1; }")
    after = in_class("int lastSize() { return 1; }", "void drop() { work(3); }", "void cut() { }", name="B")
    assert find(before, after) == []
