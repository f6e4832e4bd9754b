"""Starting a project and changing its settings."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from labeling.corpus.guessing import guess_field
from labeling.corpus.importing import Options
from labeling.corpus.kinds import KINDS, LABELS
from labeling.corpus.models import Project
from labeling.corpus.payloads import field_types
from labeling.corpus.reading import format_of
from labeling.refusals import Invalid


class ProjectForm(forms.ModelForm[Project]):
    class Meta:
        model = Project
        fields = ["name", "slug", "description"]
        widgets = {"description": forms.Textarea(attrs={"rows": 4})}
        help_texts = {
            "name": "For example: Method names in code review, 2026.",
            "slug": "Part of every link into the project and not changed later. Left empty, it is made from the name.",
            "description": "What is judged and why, for the people you invite.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["slug"].required = False


class ProjectSettingsForm(forms.ModelForm[Project]):
    class Meta:
        model = Project
        fields = ["name", "description"]
        widgets = {"description": forms.Textarea(attrs={"rows": 4})}


class ArchiveForm(forms.Form):
    """Asks for the project's name, so that nobody archives the wrong one."""

    name = forms.CharField(label="Name of the project", widget=forms.TextInput(attrs={"autocomplete": "off"}))

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        kwargs["auto_id"] = "archive_%s"  # it shares its page with another form that has a name
        super().__init__(*args, **kwargs)
        self.project = project

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        if name.strip() != self.project.name.strip():
            raise forms.ValidationError(f"Type the name as it stands: {self.project.name}")
        return name


class UploadForm(forms.Form):
    file = forms.FileField(
        label="A file of items",
        help_text="Choose one, or drop it here: JSONL or CSV, UTF-8. Nothing is stored before you have seen it.",
        widget=forms.FileInput(attrs={"accept": ".jsonl,.ndjson,.csv,.tsv"}),
    )

    def clean_file(self) -> UploadedFile[bytes]:
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        try:
            format_of(file.name or "")
        except Invalid as error:
            raise forms.ValidationError(str(error)) from error
        return file


class ImportForm(forms.Form):
    """How to import, and for a CSV which column is meant for which field."""

    replace = forms.BooleanField(
        required=False, label="Replace items whose content changed", help_text="Never those that have been judged."
    )
    all_or_nothing = forms.BooleanField(required=False, label="Import nothing if a single row is bad")

    def __init__(self, *args: Any, kind: str, columns: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kind = kind
        self.columns = columns
        choices = [("", "leave out"), *((name, name) for name in ["key", *field_types(KINDS[kind])])]
        known = {name for name, _ in choices}
        for number, column in enumerate(columns):
            guess = guess_field(column)
            more = [] if guess in known else [(guess, f"{guess} (kept as it is)")]
            self.fields[f"column_{number}"] = forms.ChoiceField(
                label=column or "(without a name)", choices=[*choices, *more], initial=guess, required=False
            )

    def clean(self) -> dict[str, Any]:
        chosen = [
            target for number in range(len(self.columns)) if (target := self.cleaned_data.get(f"column_{number}"))
        ]
        if doubled := {target for target in chosen if chosen.count(target) > 1}:
            raise forms.ValidationError(f"Two columns are meant for the field “{min(doubled)}”.")
        return self.cleaned_data

    def mapping(self) -> dict[str, str] | None:
        if not self.columns:
            return None
        return {column: self.cleaned_data[f"column_{number}"] for number, column in enumerate(self.columns)}

    def options(self) -> Options:
        return Options(
            kind=self.kind,
            dry_run="dry_run" in self.data,
            replace=self.cleaned_data["replace"],
            all_or_nothing=self.cleaned_data["all_or_nothing"],
        )


class KindForm(forms.Form):
    """Which kind of item a file holds; asked for by GET, since the rest of the page depends on it."""

    kind = forms.ChoiceField(label="Kind of item", choices=LABELS)


class ExportForm(forms.Form):
    form = forms.ChoiceField(label="Format", choices=[("jsonl", "JSONL"), ("csv", "CSV")])
    kind = forms.ChoiceField(label="Kind of item", choices=LABELS, required=False)

    def clean_kind(self) -> str:
        return self.cleaned_data["kind"] or "review_rename"
