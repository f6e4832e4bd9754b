"""What to release, what to call it, and what to bring back."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django import forms

from labeling.annotation.models import Round, RoundState
from labeling.corpus.models import Project
from labeling.release.choosing import Choice, choose
from labeling.release.making import LONGEST_NAME, LONGEST_NOTES, Title


class ChoiceForm(forms.Form):
    """Which rounds, and which final answers. By GET: what is found depends on it."""

    round = forms.MultipleChoiceField(
        label="Rounds",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None: all of them. An item in several counts with the newest that has a final answer for it.",
    )
    filter = forms.MultipleChoiceField(
        label="Only items with one of these final answers",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="None: every item with a final answer. Where you choose for several questions, all must hold.",
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project = project
        rounds = Round.objects.filter(project=project).exclude(state=RoundState.PLANNING).order_by("pk")
        self.rounds = [(str(round.pk), round.name) for round in rounds]
        everything = choose(project) if self.rounds else None
        questions = [question for question in everything.columns.values() if question.has_options] if everything else []
        answers = [
            (f"{question.key}={option.key}", f"{question.text} {option.label}")
            for question in questions
            for option in question.options
        ]
        for name, choices in (("round", self.rounds), ("filter", answers)):
            field = self.fields[name]
            if isinstance(field, forms.MultipleChoiceField):
                field.choices = choices

    def choice(self) -> Choice:
        return choose(self.project, rounds=self.cleaned_data["round"], filters=self.cleaned_data["filter"])


def address_of(choice: Choice) -> str:
    """The choice as a page's address has it."""
    rounds = [("round", str(round.pk)) for round in choice.rounds]
    filters = [("filter", f"{key}={option}") for key, options in choice.filters.items() for option in options]
    return urlencode([*rounds, *filters])


class TitleForm(forms.Form):
    name = forms.CharField(max_length=LONGEST_NAME, help_text="As it is cited. The number of the release goes with it.")
    notes = forms.CharField(
        required=False,
        max_length=LONGEST_NOTES,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="For the README: what a reader should know. Markdown.",
    )
    authors = forms.CharField(
        required=False,
        max_length=LONGEST_NOTES,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One a line, for CITATION.cff. They are published as they stand here.",
    )
    licence = forms.CharField(required=False, max_length=60, help_text="An SPDX identifier, such as CC-BY-4.0.")

    def title(self) -> Title:
        return Title(**self.cleaned_data)


class ImportReleaseForm(forms.Form):
    file = forms.FileField(
        label="A release",
        help_text="The ZIP as it was downloaded. It is checked against its manifest before anything is stored.",
        widget=forms.FileInput(attrs={"accept": ".zip"}),
    )
    slug = forms.SlugField(label="Address of the new project", max_length=60)
    name = forms.CharField(
        label="Name of the new project", required=False, max_length=120, help_text="Empty: as the release."
    )
