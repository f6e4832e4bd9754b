"""The dashboard of agreement, the table of a pair, and the items behind the figures."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from labeling.agreement import showing
from labeling.agreement.charts import CHARTS, FORMATS, THEMES, charts_there, drawn, edition_of
from labeling.agreement.choosing import FEWEST_COMPLETE, Selection, choose, measurable
from labeling.agreement.drilling import OF_A_RATER, STATES, items_in_cell, items_in_state, items_of_rater
from labeling.agreement.exporting import start_export
from labeling.agreement.keeping import current
from labeling.agreement.models import Measurement
from labeling.digits import whole_number
from labeling.people.access import ITEM_READERS, AuthedRequest, Seat, take_seat
from labeling.people.models import Role
from labeling.refusals import Invalid, Refusal

SHOWN = 20


@login_required
@require_safe
def agreement(request: AuthedRequest, slug: str) -> HttpResponse:
    """Figures of one question; the same template answers the poll that waits for newer ones."""
    seat = take_seat(request.user, slug, *ITEM_READERS)
    selection = choose(seat.project, request.GET.dict())
    context: dict[str, Any] = {"seat": seat, "selection": selection, "fewest": FEWEST_COMPLETE}
    if selection is None or not selection.rounds:
        return render(request, "agreement/agreement.html", context)
    measured, on_its_way = current(selection, by=request.user)
    context |= {"measured": measured, "on_its_way": on_its_way}
    if measured:
        context |= shown(seat, selection, measured)
    return render(request, "agreement/agreement.html", context)


def shown(seat: Seat, selection: Selection, measured: Measurement) -> dict[str, Any]:
    figures, names = measured.figures, showing.names_for(seat, selection)
    return {
        "figures": figures,
        "headline": showing.headline(figures),
        "coefficients": showing.coefficient_rows(figures["agreement"]),
        "matrix": showing.pair_matrix(figures["agreement"], names),
        "categories": showing.category_rows(figures, names),
        "use": showing.use_table(figures, names),
        "slices": showing.slice_tables(figures, selection),
        "influence": showing.named(figures["influence"], names),
        "consistency": showing.named(figures["consistency"], names),
        "gold": showing.named(figures["gold"], names),
        "disagreements": showing.disagreement_rows(figures, names, SHOWN),
        "query": showing.address(selection),
        "charts": charts_there(figures, names),
        "edition": edition_of(measured),
        "chart_forms": FORMATS,
    }


@login_required
@require_POST
def export(request: AuthedRequest, slug: str) -> HttpResponse:
    """Starts the job that writes the figures of all questions to files."""
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    job = start_export(measurable(seat.project, request.POST.dict()), by=request.user)
    return redirect("jobs:job", slug, job.pk)


@login_required
@require_safe
def questions(request: AuthedRequest, slug: str) -> HttpResponse:
    """Every question of the protocol with its headline, for the same votes."""
    seat = take_seat(request.user, slug, *ITEM_READERS)
    selection = measurable(seat.project, request.GET.dict())
    rows = []
    for question in selection.questions:
        one = selection.asking(question)
        measured, _ = current(one, by=request.user)
        found = showing.headline(measured.figures) if measured else None
        used = measured.figures["agreement"] if measured else None
        rows.append({"question": question, "headline": found, "agreement": used, "query": showing.address(one)})
    context = {"seat": seat, "selection": selection, "rows": rows, "query": showing.address(selection)}
    return render(request, "agreement/questions.html", context)


def measured_for(seat: Seat, request: AuthedRequest) -> tuple[Selection, Measurement]:
    selection = measurable(seat.project, request.GET.dict())
    measured, _ = current(selection, by=request.user)
    if measured is None:
        raise Refusal("This is being measured. Come back in a moment.")
    return selection, measured


@login_required
@require_safe
def chart(request: AuthedRequest, slug: str, name: str, form: str) -> HttpResponse:
    """A chart as a picture or a file."""
    seat = take_seat(request.user, slug, *ITEM_READERS)
    theme = request.GET.get("theme", "light")
    if name not in CHARTS or form not in FORMATS or theme not in THEMES:
        raise Http404
    selection, measured = measured_for(seat, request)
    found = drawn(name, measured, showing.names_for(seat, selection), theme=theme, form=form)
    if found is None:
        raise Http404
    response = HttpResponse(found, content_type=FORMATS[form])
    response["Content-Disposition"] = f'inline; filename="agreement-{name}.{form}"'
    return response


@login_required
@require_safe
def pair(request: AuthedRequest, slug: str) -> HttpResponse:
    """What two raters said about their common items, and the items in one cell of that table."""
    seat = take_seat(request.user, slug, *ITEM_READERS)
    selection, measured = measured_for(seat, request)
    names = showing.names_for(seat, selection)
    a, b = number(request, "a"), number(request, "b")
    table = showing.confusion_of(measured.figures, a, b, names)
    if table is None:
        raise Invalid(f"a, b: raters {a} and {b} have no item in common here.")
    cell, after = request.GET.get("cell", ""), request.GET.get("after", "")
    categories = measured.figures["categories"]
    found = items_in_cell(names, (a, b), cell, categories, after=whole_number(after) or 0) if cell else None
    pairs = measured.figures["agreement"]["pairs"]
    figures = next(one for one in pairs if {one["a"], one["b"]} == {f"Rater {a}", f"Rater {b}"})
    context = {
        "seat": seat,
        "selection": selection,
        "a": names.rater(f"Rater {a}"),
        "b": names.rater(f"Rater {b}"),
        "table": table,
        "figures": figures,
        "cell": cell,
        "page": found,
        "query": showing.address(selection),
        "pair_query": showing.address(selection, a=a, b=b),
        "cell_query": showing.address(selection, a=a, b=b, cell=cell),
    }
    return render(request, "agreement/pair.html", context)


@login_required
@require_safe
def items(request: AuthedRequest, slug: str) -> HttpResponse:
    """The items that were used, left out or disagreed on, also without one rater; or what a rater judged again."""
    seat = take_seat(request.user, slug, *ITEM_READERS)
    selection, measured = measured_for(seat, request)
    state, after = request.GET.get("state", "used"), whole_number(request.GET.get("after", "")) or 0
    # Which items are gold, and which were shown again, is not for those who may still judge them.
    states = {**STATES, **OF_A_RATER} if seat.is_coordinator else STATES
    if state not in states:
        raise Invalid(f"state: must be one of {', '.join(states)}, not “{state[:40]}”.")
    names = showing.names_for(seat, selection)
    rater = number(request, "rater") if state in OF_A_RATER or "rater" in request.GET else 0
    if rater > len(selection.users) or ("rater" in request.GET and not rater):
        raise Invalid(f"rater: there is no rater {rater} here.")
    if state in OF_A_RATER:
        page = items_of_rater(names, state, rater, after=after)
    else:
        page = items_in_state(names, state, after=after, without=rater)
    context = {
        "rater": names.rater(f"Rater {rater}") if rater else "",
        "title": states[state],
        "is_of_rater": state in OF_A_RATER,
        "page_query": showing.address(selection, state=state, **({"rater": rater} if rater else {})),
        "seat": seat,
        "selection": selection,
        "figures": measured.figures,
        "state": state,
        "states": STATES,
        "page": page,
        "query": showing.address(selection),
    }
    return render(request, "agreement/items.html", context)


def number(request: AuthedRequest, name: str) -> int:
    found = whole_number(request.GET.get(name, ""))
    if found is None:
        raise Invalid(f"{name}: must be the number of a rater.")
    return found
