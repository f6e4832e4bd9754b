"""Choosing a source to mine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from labeling.mining.collecting import STATES, repositories_folder
from labeling.mining.github.pulls import REPOSITORY
from labeling.refusals import Invalid


class MiningForm(forms.Form):
    """A clone on the server and a file of its pull requests."""

    repository = forms.ChoiceField(
        label="Git repository", help_text="A clone in the folder “repositories” of the installation."
    )
    reviews = forms.FileField(
        label="Pull requests and comments",
        help_text="JSONL, one pull request a line.",
        widget=forms.FileInput(attrs={"accept": ".jsonl,.ndjson"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["repository"].choices = [(name, name) for name in repositories()]  # type: ignore[attr-defined]

    def clean_reviews(self) -> UploadedFile[bytes]:
        file: UploadedFile[bytes] = self.cleaned_data["reviews"]
        if not (file.name or "").endswith((".jsonl", ".ndjson")):
            raise forms.ValidationError("The file should end in .jsonl.")
        return file


class GitHubForm(forms.Form):
    """A repository that GitHub hosts."""

    github = forms.RegexField(
        REPOSITORY, label="Repository", help_text="owner/name", error_messages={"invalid": "Write it as owner/name."}
    )
    since = forms.DateField(
        required=False, help_text="Only pull requests touched since.", widget=forms.DateInput(attrs={"type": "date"})
    )
    state = forms.ChoiceField(label="Pull requests", choices=[(state, state) for state in STATES], initial="merged")

    def source(self) -> dict[str, str]:
        since = self.cleaned_data["since"]
        return {**self.cleaned_data, "since": since.isoformat() if since else ""}


def find_clone(name: str) -> Path:
    if name not in repositories():
        raise Invalid(f"repository: there is no clone “{name}” on this installation.")
    return repositories_folder() / name


def repositories() -> list[str]:
    folder = repositories_folder()
    return sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
