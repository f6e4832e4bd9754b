"""What coordinators fill in about a study. The verbs check it; a refusal is shown beside the field it names."""

from __future__ import annotations

from typing import Any

import yaml
from django import forms
from django.core.files.uploadedfile import UploadedFile

from labeling.annotation.protocols.files import Writer, compose, decoded, plain_data
from labeling.corpus.groups import groups_of
from labeling.corpus.models import Project
from labeling.refusals import Invalid, Refusal
from labeling.release.models import ReleaseState
from labeling.study import presets
from labeling.study.designing import Analysis, Design, Flag, Unfinished, read_design
from labeling.study.material import MOST_BYTES
from labeling.study.models import Study
from labeling.study.texts import Texts, read_texts

LABELS = {
    "four_names": "Four names of a method: Buggy, Fixed, Cognac, GTNM",
    "stable_names": "Stable names beside suggested ones",
}
ANALYSES: dict[Analysis, str] = {
    "sign_flip": "Sign-flip test over participants for each pair of origins, Holm’s correction (primary)",
    "mcnemar": "McNemar’s exact test for each pair",
    "cochran_q": "Cochran’s Q",
    "gee": "GEE, clustered by participant",
    "effects": "Risk differences and matched odds ratios",
    "reasons": "Reasons of the no’s (Stuart–Maxwell)",
    "order": "Order effects",
    "agreement": "Agreement on shared methods",
    "sensitivity": "Sensitivity: without flagged, distinct names only",
}
FLAGS: dict[Flag, str] = {
    "speeder": "Speeders",
    "straight_liner": "Straight-liners",
    "attention": "Who missed attention checks",
}
SOURCES = {"project": "Items of this project", "release": "A release", "file": "A file of items"}
BELONGS = {"release": "release", "group": "project", "words": "project", "items": "file"}  # a field to its source
UNFINISHED: dict[Unfinished, str] = {
    "stopped": "Who stopped and let their answers be kept",
    "timed_out": "Who went away without a word",
}


def show_refusal(form: forms.Form, refusal: Refusal) -> None:
    """Beside the field that the sentence begins with, or above all fields: there it keeps the file and line it names,
    also of a file that is called as a field is."""
    field, _, rest = str(refusal).partition(": ")
    field = field.split("[")[0]
    if rest and field in form.fields:
        form.add_error(field, rest[:1].upper() + rest[1:])
    else:
        form.add_error(None, str(refusal))


def in_words(refusal: Refusal) -> str:
    """The sentence for a page on which no field has the name that it begins with."""
    field, _, rest = str(refusal).partition(": ")
    return rest[:1].upper() + rest[1:] if rest and field.isidentifier() else str(refusal)


class StudyForm(forms.Form):
    name = forms.CharField(max_length=120, help_text="For you and the log; participants see the title in the texts.")
    preset = forms.ChoiceField(choices=list(LABELS.items()), label="Begin with", help_text="All of it can be changed.")
    seed = forms.IntegerField(
        required=False, help_text="Sample, sheets and orders follow from it. Left empty, one is made up."
    )


def number(label: str, help_text: str = "", **bounds: Any) -> forms.IntegerField:
    return forms.IntegerField(label=label, help_text=help_text, **bounds)


class DesignForm(forms.Form):
    name = forms.CharField(max_length=120)
    sheets = number("Sheets", "One a participant.", min_value=1)
    methods_per_sheet = number("Methods a sheet", min_value=1)
    shared = number("Shared methods", "Judged by several, so that agreement is defined.", min_value=0)
    shared_by = number("Each shared by", "Participants.", min_value=2)
    spares = number(
        "Spare sheets", "For participants beyond the plan; none can be added after the freeze.", min_value=0
    )
    stratified = forms.BooleanField(required=False, label="Take of each group its share")
    allow_missing = forms.BooleanField(required=False, label="Allow methods that lack the name of an origin")
    pilot_sheets = number("Pilot sheets", min_value=0)
    pilot_methods_per_sheet = number("Methods a pilot sheet", min_value=1)
    timeout_hours = number("Hours until a place is given back", "After the last answer.", min_value=1)
    speeder_share = forms.FloatField(
        label="Speeder below", help_text="Share of the median seconds a judgement.", min_value=0, max_value=1
    )
    missed_checks = number("Missed attention checks that are flagged", min_value=1)
    excluded = forms.MultipleChoiceField(
        required=False,
        choices=list(FLAGS.items()),
        widget=forms.CheckboxSelectMultiple,
        label="Left out of the primary analysis",
        help_text="Flagged participants stay in the data; results with all of them stand beside.",
    )
    unfinished = forms.MultipleChoiceField(
        required=False,
        choices=list(UNFINISHED.items()),
        widget=forms.CheckboxSelectMultiple,
        label="Counted though not finished",
        help_text="With the names that they answered.",
    )
    small_group = number("Smallest group shown", "Cells with fewer participants are masked.", min_value=1)
    alpha = forms.FloatField(label="Significance level", min_value=0, max_value=1)
    analyses = forms.MultipleChoiceField(
        choices=list(ANALYSES.items()), widget=forms.CheckboxSelectMultiple, label="Planned analyses"
    )
    hypotheses = forms.CharField(
        required=False, widget=forms.Textarea(attrs={"rows": 4}), help_text="In words; frozen with the plan."
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        design = read_design(study.design)
        known = {name: getattr(design, name) for name in self.base_fields if name != "name"}
        super().__init__(*args, **{**kwargs, "initial": {"name": study.name, **known}})
        for field in self.fields.values():
            field.disabled = study.is_frozen

    def design(self) -> dict[str, Any]:
        return {name: value for name, value in self.cleaned_data.items() if name in Design.__dataclass_fields__}


class MaterialForm(forms.Form):
    source = forms.ChoiceField(choices=list(SOURCES.items()), label="Methods from")
    release = forms.TypedChoiceField(required=False, coerce=int, empty_value=None, label="Which release")
    group = forms.ChoiceField(required=False, label="Only of the group")
    words = forms.CharField(required=False, label="Only with the words")
    items = forms.FileField(
        required=False,
        label="File of items",
        help_text="JSONL or CSV with key and body, or items of a release. A column such as fixed_name is a name.",
        widget=forms.FileInput(attrs={"accept": ".jsonl,.ndjson,.csv,.tsv"}),
    )
    names = forms.FileField(
        required=False,
        label="File of names",
        help_text="JSONL or CSV with item, origin, name. Of items of this project, buggy and fixed are known.",
        widget=forms.FileInput(attrs={"accept": ".jsonl,.ndjson,.csv,.tsv"}),
    )
    origins = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}),
        help_text="One a line, in the order in which results are to show them: key: Label. "
        "Attention checks are names of the origins attention-yes and attention-no.",
    )

    def __init__(self, *args: Any, project: Project, origins: dict[str, str], **kwargs: Any) -> None:
        lines = "\n".join(f"{key}: {label}" for key, label in origins.items())
        super().__init__(*args, **{**kwargs, "initial": {"origins": lines}})
        choices = [(group, f"{group or '(none)'} ({count})") for group, count in groups_of(project)]
        self.fields["group"].choices = [("", "all groups"), *choices]  # type: ignore[attr-defined]
        frozen = project.releases.filter(state=ReleaseState.FROZEN)
        self.fields["release"].choices = [("", "–"), *((one.number, str(one)) for one in frozen)]  # type: ignore[attr-defined]

    def clean_origins(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for line in self.cleaned_data["origins"].splitlines():
            key, _, label = (part.strip() for part in line.partition(":"))
            if key in found:
                raise forms.ValidationError(f"“{key}” is there twice.")
            if key:
                found[key] = label or key
        return found

    def clean(self) -> dict[str, Any]:
        for name in ("items", "names"):
            file: UploadedFile[bytes] | None = self.cleaned_data.get(name)
            if file and (file.size or 0) > MOST_BYTES:
                self.add_error(name, f"The file has {file.size:,} bytes; at most {MOST_BYTES:,} are taken.")
        if self.cleaned_data.get("source") == "file" and not self.cleaned_data.get("items"):
            self.add_error("items", "Choose a file, or take the items of this project.")
        if self.cleaned_data.get("source") == "release" and self.cleaned_data.get("release") is None:
            self.add_error("release", "Choose a release, or take the items of this project.")
        self.require_used()
        return self.cleaned_data

    def require_used(self) -> None:
        """Whatever was picked is used: what belongs to another source would else be passed over in silence."""
        source = self.cleaned_data.get("source", "")
        for name, wanted in BELONGS.items():
            if source and source != wanted and self.cleaned_data.get(name):
                told = f"This goes with “{SOURCES[wanted]}”, and the methods are from “{SOURCES[source]}”."
                self.add_error(name, f"{told} Change Methods from, or leave this empty.")


class TextsForm(forms.Form):
    title = forms.CharField(help_text="What participants call the study. It should not give away what is compared.")
    question = forms.CharField()
    reason_question = forms.CharField(label="Question after a no")
    consent = forms.CharField(widget=forms.Textarea(attrs={"rows": 12}), help_text="Markdown.")
    instructions = forms.CharField(widget=forms.Textarea(attrs={"rows": 10}), help_text="Markdown.")
    stored = forms.CharField(required=False, label="What is stored", widget=forms.Textarea(attrs={"rows": 7}))
    retention_days = number("Days until it is deleted", min_value=1)
    thanks = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3}))
    exit_question = forms.CharField(required=False, label="Question at the end")
    completion_url = forms.CharField(
        required=False, label="Address to go to in the end", help_text="Of a recruiting service; https://…"
    )
    contact = forms.CharField(required=False)
    lists = forms.CharField(
        label="Reasons, background questions and practice item",
        widget=forms.Textarea(attrs={"rows": 20, "spellcheck": "false", "class": "code"}),
        help_text="YAML, in the form in which protocols are written: reasons, background, practice.",
    )
    why = forms.CharField(
        required=False, label="Why they change", help_text="Kept as a deviation from the frozen plan."
    )

    def __init__(self, *args: Any, texts: Texts, is_frozen: bool, **kwargs: Any) -> None:
        content = texts.write()
        lists = {name: content[name] for name in ("reasons", "background", "practice") if name in content}
        known = {name: getattr(texts, name) for name in self.base_fields if name not in {"lists", "why"}}
        text = yaml.dump(lists, Dumper=Writer, sort_keys=False, allow_unicode=True, width=100)
        super().__init__(*args, **{**kwargs, "initial": {**known, "lists": text}})
        if is_frozen:
            self.fields["why"].required = True
        else:
            del self.fields["why"]

    def clean_lists(self) -> dict[str, Any]:
        try:
            found = plain_data(compose(decoded(self.cleaned_data["lists"])), "", {})
        except Invalid as refusal:
            raise forms.ValidationError(str(refusal)) from refusal
        if not isinstance(found, dict) or not set(found) <= {"reasons", "background", "practice"}:
            raise forms.ValidationError("It should have reasons, background and practice, and nothing else.")
        return found

    def content(self) -> dict[str, Any]:
        plain = {name: value for name, value in self.cleaned_data.items() if name not in {"lists", "why"}}
        texts = {name: text.replace("\r\n", "\n") if isinstance(text, str) else text for name, text in plain.items()}
        return {**texts, **self.cleaned_data["lists"]}


def latest_texts(study: Study) -> Texts:
    latest = study.texts.last()
    return read_texts(latest.content) if latest else presets.FOUR_NAMES
