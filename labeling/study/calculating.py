"""Two calculators for somebody who plans a study: how large a sample must be, and what a plan could show. They store
nothing, so that what they say can be sent to somebody as an address."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from labeling.people.access import ITEM_READERS, AuthedRequest, take_seat
from labeling.refusals import Invalid, Refusal
from labeling.study.design import sizes
from labeling.study.design.sheets import Layout
from labeling.study.designing import Design
from labeling.study.forms import show_refusal

if TYPE_CHECKING:
    from labeling.study.design.simulating import Simulation

MOST_ANSWERS = 10_000_000  # in a request: about two seconds


def decimal(initial: float, label: str | None = None, help_text: str = "") -> forms.FloatField:
    return forms.FloatField(min_value=0, initial=initial, label=label, help_text=help_text)


class SampleSizeForm(forms.Form):
    population = forms.IntegerField(min_value=1, initial=400, help_text="Methods in all.")
    confidence = decimal(0.95)
    margin = decimal(0.05, help_text="Half the width of the interval.")
    proportion = decimal(0.5, "Expected share", "0.5 needs the most.")
    cluster_size = decimal(1, "Judgements a participant")
    icc = decimal(0, "Correlation within a participant", "Intraclass correlation; 0 for none.")


class SimulatorForm(forms.Form):
    sheets = forms.IntegerField(min_value=2, initial=10, label="Participants")
    methods_per_sheet = forms.IntegerField(min_value=1, initial=20, label="Methods each")
    shared = forms.IntegerField(min_value=0, initial=0, label="Shared methods")
    shared_by = forms.IntegerField(min_value=2, initial=2, label="Each shared by")
    rates = forms.CharField(
        initial="buggy 0.4, fixed 0.8, cognac 0.3, gtnm 0.35",
        label="Assumed shares of yes",
        help_text="For each origin: a word and a share between 0 and 1.",
    )
    participant_sd = decimal(0.5, "Spread of participants")
    preference_sd = decimal(0.3, "Spread of preferences")
    method_sd = decimal(0.5, "Spread of methods")
    name_sd = decimal(0.5, "Spread of names")
    alpha = decimal(0.05, "Significance level")
    repetitions = forms.IntegerField(min_value=1, initial=500, help_text="More are slower and more exact.")
    seed = forms.IntegerField(min_value=0, max_value=2**31 - 1, initial=1)

    def clean_rates(self) -> dict[str, float]:
        rates: dict[str, float] = {}
        for part in self.cleaned_data["rates"].replace("\n", ",").split(","):
            words = part.replace("=", " ").replace(":", " ").split()
            if not words:
                continue
            try:
                name, rate = words[0][:40], float(words[1])
            except (IndexError, ValueError) as error:
                raise forms.ValidationError(f"“{part.strip()[:40]}” is not a word and a number.") from error
            if name in rates:
                raise forms.ValidationError(f"“{name}” is there twice.")
            rates[name] = rate
        return rates


@login_required
@require_safe
def sample_size(request: AuthedRequest, slug: str) -> HttpResponse:
    return calculated(request, slug, SampleSizeForm, needed, "study/sample_size.html")


@login_required
@require_safe
def simulator(request: AuthedRequest, slug: str) -> HttpResponse:
    return calculated(request, slug, SimulatorForm, simulated, "study/simulator.html")


def calculated(
    request: AuthedRequest, slug: str, form_class: type[forms.Form], compute: Callable[..., Any], template: str
) -> HttpResponse:
    """The form as it comes, and with its answer once something was asked."""
    seat = take_seat(request.user, slug, *ITEM_READERS)
    form = form_class(request.GET or None)
    answer = None
    if form.is_bound and form.is_valid():
        try:
            answer = compute(**form.cleaned_data)
        except Refusal as refusal:
            show_refusal(form, refusal)
    status = 422 if form.is_bound and not answer else 200
    return render(request, template, {"seat": seat, "form": form, "answer": answer}, status=status)


def simulator_query(design: Design) -> str:
    """The address of a simulation of this design, under the assumptions that the form begins with."""
    fields = {name: field.initial for name, field in SimulatorForm.base_fields.items()}
    own = ("sheets", "methods_per_sheet", "shared", "shared_by", "alpha")
    return urlencode(fields | {name: getattr(design, name) for name in own})


def needed(*, cluster_size: float = 1, icc: float = 0, **wanted: Any) -> sizes.SampleSize:
    return sizes.sample_size(**wanted, design_effect=sizes.design_effect(cluster_size, icc))


def simulated(  # noqa: PLR0913 (each is an assumption of its own)
    *,
    rates: dict[str, float],
    sheets: int,
    methods_per_sheet: int,
    shared: int = 0,
    shared_by: int = 2,
    alpha: float = 0.05,
    repetitions: int = 500,
    seed: int = 1,
    **spreads: float,
) -> Simulation:
    """Bounded, because somebody waits for it."""
    import numpy as np

    from labeling.study.design.simulating import Assumptions, simulate

    layout = Layout(sheets, methods_per_sheet, shared, shared_by)
    answers = 2 * repetitions * sheets * methods_per_sheet * max(len(rates), 1)
    if answers > MOST_ANSWERS:
        most = MOST_ANSWERS // (2 * sheets * methods_per_sheet * max(len(rates), 1))
        raise Invalid(f"repetitions: a study of this size can be repeated {most:,} times here, not {repetitions:,}.")
    assumptions = Assumptions(rates, **spreads)
    return simulate(assumptions, layout, repetitions=repetitions, rng=np.random.default_rng(seed), alpha=alpha)
