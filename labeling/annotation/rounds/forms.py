"""Designing a round."""

from __future__ import annotations

import json
from typing import Any

from django import forms

from labeling.annotation.models import Handing, Order, ProtocolVersion
from labeling.annotation.rounds.planning import LONGEST_NAME, Design
from labeling.corpus.groups import groups_of
from labeling.corpus.models import Project
from labeling.people.models import Role, User

MOST_GOLD = 1_000_000  # bytes


class RoundForm(forms.Form):
    """Who judges which items how often, and in what order."""

    name = forms.CharField(max_length=LONGEST_NAME, help_text="For example: pilot, main round.")
    protocol = forms.ModelChoiceField(ProtocolVersion.objects.none(), empty_label=None)
    annotators = forms.ModelMultipleChoiceField(User.objects.none(), widget=forms.CheckboxSelectMultiple)
    votes = forms.IntegerField(
        label="Votes an item",
        min_value=1,
        required=False,
        help_text="Empty: every annotator judges every item. Agreement needs at least 2.",
    )
    handing = forms.ChoiceField(
        label="Handing out",
        choices=Handing.choices,
        initial=Handing.CLAIMED,
        help_text="On demand, who is faster judges more; beforehand, everybody has a list of equal length.",
    )
    order = forms.ChoiceField(choices=Order.choices, initial=Order.SHUFFLED)
    group = forms.ChoiceField(label="Only of this group", required=False)
    sample = forms.IntegerField(
        label="Only a random sample of", min_value=1, required=False, help_text="Empty: all items that fit."
    )
    fresh = forms.BooleanField(label="Only items that are in no round yet", required=False)
    calibration = forms.IntegerField(
        label="Calibration set", min_value=0, initial=0, help_text="So many items come first, and for everybody."
    )
    repeat_every = forms.IntegerField(
        label="Hidden repeat after every … votes",
        min_value=0,
        initial=0,
        help_text="Shows an item again without saying so, to measure how consistent one person is. 0: never.",
    )
    repeat_distance = forms.IntegerField(label="with at least … others between", min_value=1, initial=20)
    gold = forms.FileField(
        label="Gold items",
        required=False,
        help_text="JSON: keys of items, each with the answers that are known to be right. Everybody gets them.",
        widget=forms.FileInput(attrs={"accept": ".json"}),
    )
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text="Empty: one is drawn. The same seed makes the same plan.",
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        newest = [protocol.latest.pk for protocol in project.protocols.all()]
        versions = ProtocolVersion.objects.filter(pk__in=newest).select_related("protocol").order_by("protocol__name")
        people = User.objects.filter(memberships__project=project, memberships__role=Role.ANNOTATOR).order_by("name")
        self.fields["protocol"].queryset = versions  # type: ignore[attr-defined]
        self.fields["annotators"].queryset = people  # type: ignore[attr-defined]
        self.fields["annotators"].initial = [user.pk for user in people]
        groups = [(group, f"{group or 'without a group'} ({count})") for group, count in groups_of(project)]
        self.fields["group"].choices = [("", "Any"), *groups]  # type: ignore[attr-defined]

    def clean_gold(self) -> dict[str, Any]:
        file = self.cleaned_data["gold"]
        if not file:
            return {}
        if file.size > MOST_GOLD:
            raise forms.ValidationError("The file is larger than 1 MB.")
        try:
            gold = json.load(file)
        except ValueError as error:
            raise forms.ValidationError(f"This is not JSON: {error}") from error
        if not isinstance(gold, dict):
            raise forms.ValidationError("It should be an object: the key of each item, and its answers.")
        return gold

    def design(self) -> Design:
        return Design(**{**self.cleaned_data, "annotators": list(self.cleaned_data["annotators"])})
