from __future__ import annotations

import pytest

from tests.mining.finding_helpers import find, find_in_files, in_class, in_interface, names

TOTAL = "{ int sum = 0; for (int part : parts) { sum += part; } return sum; }"
CLOSE = "{ for (Door door : doors) { door.shut(); } }"


def test_method_with_another_name_and_nothing_else_is_exact() -> None:
    [rename] = find(in_class("int total() " + TOTAL), in_class("int computeTotal() " + TOTAL))
    assert names([rename]) == [("total", "computeTotal", "exact")]
    assert rename.verified_by == "javalang"
    assert (rename.container, rename.parameters, rename.line_before, rename.line_after) == ("A", (), 2, 2)


@pytest.mark.parametrize(
    "header", ["public int sum()", "@Deprecated int sum()", "/** Adds up. */ int sum()", "static int sum()"]
)
def test_other_modifiers_annotations_or_javadoc_are_the_modifiers_tier(header: str) -> None:
    renames = find(in_class("int total() " + TOTAL), in_class(f"{header} {TOTAL}"))
    assert names(renames) == [("total", "sum", "modifiers")]


def test_annotations_between_modifiers_do_not_hide_a_rename() -> None:
    before = in_class('public @Named("a, b") static @Other(x = {1, 2}) final int total() ' + TOTAL)
    after = in_class('public @Named("a, b") static @Other(x = {1, 2}) final int sum() ' + TOTAL)
    assert names(find(before, after)) == [("total", "sum", "exact")]


def test_annotation_on_a_parameter_is_the_modifiers_tier_and_javalang_agrees() -> None:
    before, after = in_class("int total(int[] parts) " + TOTAL), in_class("int sum(@Given final int[] parts) " + TOTAL)
    [rename] = find(before, after)
    assert (rename.tier, rename.verified_by) == ("modifiers", "javalang")


def test_other_return_type_is_its_own_tier() -> None:
    renames = find(in_class("int total() " + TOTAL), in_class("long sum() " + TOTAL))
    assert names(renames) == [("total", "sum", "return_type")]


@pytest.mark.parametrize(
    "changed",
    [
        "int sum(long bonus) " + TOTAL,
        "int sum() throws Sadness " + TOTAL,
        "<T> int sum() " + TOTAL,
        "int sum() " + TOTAL.replace("+=", "-="),
        "int sum() " + TOTAL.replace("sum = 0", "sum = 1"),
    ],
)
def test_any_other_difference_is_no_rename(changed: str) -> None:
    assert find(in_class("int total() " + TOTAL), in_class(changed)) == []


def test_other_white_space_and_comments_in_the_body_are_no_difference() -> None:
    after = in_class("int sum() " + TOTAL.replace(" ", "\n").replace("int\nsum", "int /* so far */ sum"))
    assert names(find(in_class("int total() " + TOTAL), after)) == [("total", "sum", "exact")]


def test_renamed_parameter_that_the_body_does_not_use_is_for_review() -> None:
    renames = find(in_class("int total(int a) " + TOTAL), in_class("int sum(int b) " + TOTAL))
    assert names(renames) == [("total", "sum", "review")]


def test_overload_that_keeps_the_old_name_is_left_alone() -> None:
    kept = "int total(int[] parts) { return parts.length; }"
    renames = find(in_class(kept, "int total() " + TOTAL), in_class(kept, "int sum() " + TOTAL))
    assert names(renames) == [("total", "sum", "exact")]
    assert renames[0].parameters == ()


def test_trivial_bodies_are_not_matched_with_each_other_for_sure() -> None:
    before = in_class("boolean isRed() { return false; }", "boolean isBig() { return false; }")
    after = in_class("boolean hasRed() { return false; }", "boolean hasBig() { return false; }")
    assert names(find(before, after)) == [("isRed", "hasRed", "review"), ("isBig", "hasBig", "review")]


def test_trivial_body_beside_others_of_the_same_body_is_matched_by_place_and_name() -> None:
    others = ["boolean isRed() { return false; }", "boolean isBig() { return false; }"]
    before = in_class(others[0], "boolean isOpen() { return false; }", others[1])
    after = in_class(others[0], "boolean isWideOpen() { return false; }", others[1])
    assert names(find(before, after)) == [("isOpen", "isWideOpen", "exact")]


def test_trivial_body_with_an_unrelated_name_elsewhere_is_for_review() -> None:
    kept = "void run() { work(); }"
    before = in_class("void open() {}", kept)
    assert names(find(before, in_class(kept, "void shout() {}"))) == [("open", "shout", "review")]


def test_interface_method_is_matched_by_place_and_name() -> None:
    before = in_interface("int size();", "void push(int item);", "int pop();")
    after = in_interface("int size();", "void pushItem(int item);", "int pop();")
    assert names(find(before, after)) == [("push", "pushItem", "exact")]


def test_interface_methods_that_swap_signatures_are_no_renames() -> None:
    before = in_interface("int first(String key);", "int second(long key);")
    after = in_interface("int first(long key);", "int second(String key);")
    assert find(before, after) == []


def test_interface_method_with_another_javadoc_is_for_review() -> None:
    before = in_interface("/** Whether all work is finished and the results are in. */ boolean isDone();")
    after = in_interface("/** If somebody asked to leave early, before anything could be started. */ boolean isGone();")
    assert names(find(before, after)) == [("isDone", "isGone", "review")]


def test_interface_method_is_certain_when_an_implementation_shows_the_same_rename() -> None:
    before = in_interface("void foo();", "void bar();")
    after = in_interface("void lock();", "void open();")
    implementation = in_class("public void foo() " + CLOSE, "public void bar() { doors.clear(); }")
    implemented = in_class("public void lock() " + CLOSE, "public void open() { doors.clear(); }")
    renames = find_in_files(("A.java", "A.java", before, after), ("B.java", "B.java", implementation, implemented))
    assert names(renames) == [("foo", "lock", "exact"), ("bar", "open", "exact")] * 2


def test_two_methods_merged_into_one_are_no_rename() -> None:
    before = in_class("int total() " + TOTAL, "int totalAgain() " + TOTAL)
    assert find(before, in_class("int sum() " + TOTAL)) == []


def test_method_whose_body_an_existing_method_already_has_is_no_rename() -> None:
    kept = "int sum() " + TOTAL
    assert find(in_class("int total() " + TOTAL, kept), in_class(kept)) == []


def test_one_body_copied_into_two_methods_is_for_review() -> None:
    after = in_class("int sum() " + TOTAL, "int totalOfAll() " + TOTAL)
    assert names(find(in_class("int total() " + TOTAL), after)) == [("total", "totalOfAll", "review")]


def test_one_body_copied_into_two_methods_stays_for_review_when_another_file_has_the_rename() -> None:
    before, after = in_class("int total() " + TOTAL), in_class("int sum() " + TOTAL, "int totalOfAll() " + TOTAL)
    elsewhere = in_class("int total() " + CLOSE), in_class("int sum() " + CLOSE)
    renames = find_in_files(("A.java", "A.java", before, after), ("B.java", "B.java", *elsewhere))
    assert names(renames) == [("total", "sum", "review"), ("total", "sum", "exact")]


def test_old_name_taken_over_by_another_method_is_no_rename() -> None:
    after = in_class("int sum() " + TOTAL, "int total() { return -1; }")
    assert find(in_class("int total() " + TOTAL), after) == []


def test_old_name_taken_over_with_another_signature_is_for_review() -> None:
    after = in_class("int sum() " + TOTAL, "int total(Shop shop) { return shop.price(); }")
    assert names(find(in_class("int total() " + TOTAL), after)) == [("total", "sum", "review")]


def test_helper_extraction_that_keeps_the_old_name_is_no_rename() -> None:
    after = in_class("int total() { check(); return sum(); }", "private int sum() " + TOTAL)
    assert find(in_class("int total() " + TOTAL), after) == []
    after = in_class("int total(boolean strict) { return sum(); }", "private int sum() " + TOTAL)
    assert find(in_class("int total() " + TOTAL), after) == []


def test_deprecated_delegate_that_keeps_the_old_name_is_no_rename() -> None:
    after = in_class("@Deprecated int total() { return sum(); }", "int sum() " + TOTAL)
    assert find(in_class("int total() " + TOTAL), after) == []


def test_method_moved_within_the_file_is_still_matched() -> None:
    kept = "void close() " + CLOSE
    renames = find(in_class("int total() " + TOTAL, kept), in_class(kept, "int sum() " + TOTAL))
    assert names(renames) == [("total", "sum", "exact")]


def test_same_body_in_another_class_is_no_rename() -> None:
    before = in_class("int total() " + TOTAL) + in_class("void close() " + CLOSE, name="B")
    after = in_class("void keep() {}") + in_class("void close() " + CLOSE, "int sum() " + TOTAL, name="B")
    assert find(before, after) == []


def test_several_renames_in_one_file_are_told_apart() -> None:
    before = in_class("int total() " + TOTAL, "void close() " + CLOSE)
    after = in_class("int sum() " + TOTAL, "void shutAll() " + CLOSE)
    assert names(find(before, after)) == [("total", "sum", "exact"), ("close", "shutAll", "exact")]
