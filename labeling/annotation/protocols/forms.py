"""Starting a protocol: from one of ours, from a file, or from nothing."""

from __future__ import annotations

from typing import Any

from django import forms

from labeling.annotation.protocols.codebook import LONGEST_LABEL, Codebook
from labeling.annotation.protocols.files import LARGEST_FILE, read_codebook
from labeling.refusals import Invalid


class BlankForm(forms.Form):
    title = forms.CharField(max_length=LONGEST_LABEL, label="Title")


class FileForm(forms.Form):
    file = forms.FileField(
        label="A protocol as YAML",
        help_text="As an export gives it; docs/formats.md describes the fields.",
        widget=forms.FileInput(attrs={"accept": ".yaml,.yml"}),
    )
    title = forms.CharField(
        max_length=LONGEST_LABEL, required=False, label="Title", help_text="Left empty, the one in the file."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["auto_id"] = "file_%s"  # two forms of the page ask for a title
        super().__init__(*args, **kwargs)

    def clean_file(self) -> Codebook:
        file = self.cleaned_data["file"]
        try:
            return read_codebook(file.read(LARGEST_FILE + 1))
        except Invalid as error:
            raise forms.ValidationError(str(error)) from error
