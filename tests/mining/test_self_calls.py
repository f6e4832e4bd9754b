from __future__ import annotations

import pytest

from tests.mining.finding_helpers import find, find_in_files, in_class, names


@pytest.mark.parametrize(
    "call",
    ["NAME(n - 1)", "this.NAME(n - 1)", "A.this.NAME(n - 1)", "A.NAME(n - 1)", "run(this::NAME)", "run(A::NAME)"],
)
def test_calls_to_itself_may_change_their_name(call: str) -> None:
    method = "int NAME(int n) { return n < 2 ? 1 : n * CALL; }".replace("CALL", call)
    renames = find(in_class(method.replace("NAME", "fac")), in_class(method.replace("NAME", "factorial")))
    assert names(renames) == [("fac", "factorial", "self_call")]
    assert renames[0].verified_by == "javalang"


def test_arguments_with_type_arguments_and_lambdas_count_right() -> None:
    method = (
        "void NAME(Map<K, V> m, F f) { NAME(new HashMap<K, V>(m), (a, b) -> g(a, b)); if (x < y && z > w) stop(); }"
    )
    renames = find(in_class(method.replace("NAME", "walk")), in_class(method.replace("NAME", "visit")))
    assert names(renames) == [("walk", "visit", "self_call")]


def test_field_of_the_same_name_is_no_recursion() -> None:
    before = in_class("int size() { return size + this.size; }")
    assert find(before, in_class("int count() { return count + this.count; }")) == []
    assert names(find(before, in_class("int count() { return size + this.size; }"))) == [("size", "count", "exact")]


def test_method_of_another_object_of_the_same_name_is_no_recursion() -> None:
    before = in_class("void add(Item item) { log(item); items.add(item); }")
    after = in_class("void append(Item item) { log(item); items.add(item); }")
    assert names(find(before, after)) == [("add", "append", "exact")]


@pytest.mark.parametrize("receiver", ["items", "super", "other.this", "A.items", "other.A"])
def test_call_on_another_object_that_follows_the_rename_is_for_review(receiver: str) -> None:
    method = "void NAME(Item item) { log(item); OTHER.NAME(item); }".replace("OTHER", receiver)
    renames = find(in_class(method.replace("NAME", "add")), in_class(method.replace("NAME", "append")))
    assert names(renames) == [("add", "append", "review")]


def test_call_of_an_overload_is_explained_by_the_overload_s_own_rename() -> None:
    one, two = "int NAME(int a) { return NAME(a, 1); }", "int NAME(int a, int b) { return a * b + base; }"
    before = in_class(one.replace("NAME", "mul"), two.replace("NAME", "mul"))
    after = in_class(one.replace("NAME", "product"), two.replace("NAME", "product"))
    assert names(find(before, after)) == [("mul", "product", "self_call"), ("mul", "product", "exact")]


def test_constructor_of_a_class_with_the_same_name_is_no_recursion() -> None:
    before = in_class("Object Box(int a) { return new Box(a); }")
    after = in_class("Object Crate(int a) { return new Crate(a); }")
    assert find(before, after) == []


def test_method_of_that_name_in_a_class_inside_the_body_is_no_recursion() -> None:
    body = "{ use(new B() { public void NAME() { work(); } public void other() { NAME(); } }); }"
    before, after = (in_class(f"void {name}() " + body.replace("NAME", name)) for name in ("run", "start"))
    assert [rename.container for rename in find(before, after) if rename.tier != "review"] == ["A.start().new B"]


def test_call_inside_a_class_that_has_a_method_of_that_name_stays_as_it_is() -> None:
    body = "{ use(new B() { public void run() { work(); } public void other() { run(); } }); }"
    assert names(find(in_class("void run() " + body), in_class("void start() " + body))) == [("run", "start", "exact")]


def test_call_with_another_number_of_arguments_is_no_recursion() -> None:
    kept, body = "int f(int a, int b) { return a * b; }", "(int a) { return f(a, 2); }"
    renames = find(in_class(kept, "int f" + body), in_class(kept, "int g" + body))
    assert names(renames) == [("f", "g", "exact")]


def test_call_of_a_sibling_renamed_beside_it_is_the_self_call_tier() -> None:
    before = in_class("void a() { x = 1; b(2); }", "void b(int n) { for (;;) step(n); }")
    after = in_class("void start() { x = 1; loop(2); }", "void loop(int n) { for (;;) step(n); }")
    renames = find(before, after)
    assert names(renames) == [("a", "start", "self_call"), ("b", "loop", "exact")]
    assert {rename.verified_by for rename in renames} == {"javalang"}


def test_chain_of_renamed_siblings_is_followed_to_its_end() -> None:
    chain = (
        "void A() { x = 1; B(); }",
        "void B() { x = 2; C(); }",
        "void C() { x = 3; D(); }",
        "void D() { x = 4 + y; }",
    )
    before = in_class(*chain)
    after = in_class(*(link.replace("A(", "P(").replace("B(", "Q(") for link in chain))
    after = after.replace("C(", "R(").replace("D(", "S(")
    assert [rename.fixed_name for rename in find(before, after)] == ["P", "Q", "R", "S"]


def test_call_of_a_method_renamed_in_another_file_is_for_review() -> None:
    caller, called = "void a() { shop.b(1); x = 2; }", "void c() { shop.d(1); x = 2; }"
    callee = "void b(int n) { for (;;) step(n); }"
    renames = find_in_files(
        ("A.java", "A.java", in_class(caller), in_class(called)),
        ("B.java", "B.java", in_class(callee), in_class(callee.replace("b(", "d("))),
    )
    assert names(renames) == [("a", "c", "review"), ("b", "d", "exact")]


def test_call_of_something_that_was_not_renamed_is_a_difference() -> None:
    before = in_class("void a() { shop.buy(1); x = 2; }")
    assert find(before, in_class("void c() { shop.sell(1); x = 2; }")) == []


def test_recursion_that_is_none_any_more_is_for_review() -> None:
    before = in_class("int fac(int n) { return n < 2 ? 1 : n * fac(n - 1); }")
    after = in_class("int factorial(int n) { return n < 2 ? 1 : n * fac(n - 1); }")
    assert names(find(before, after)) == [("fac", "factorial", "review")]
