"""Starting a project and changing its settings."""

from __future__ import annotations

from typing import Any

from django import forms

from labeling.corpus.models import Project


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
