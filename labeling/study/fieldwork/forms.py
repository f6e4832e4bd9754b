from __future__ import annotations

from typing import Any

from django import forms

from labeling.study.fieldwork.inviting import MOST_AT_ONCE
from labeling.study.models import Stage


class InviteForm(forms.Form):
    """How many links, or for whom."""

    stage = forms.ChoiceField(choices=Stage.choices, initial=Stage.MAIN, label="For")
    count = forms.IntegerField(min_value=1, max_value=MOST_AT_ONCE, required=False, label="How many links")
    labels = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Or one link for each of these",
        help_text="One a line: what you call the person. Only coordinators see it; a number is enough.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        named = [line.strip() for line in cleaned.get("labels", "").splitlines() if line.strip()]
        if named and cleaned.get("count"):
            raise forms.ValidationError("Give a number or a list, not both.")
        if not named and not cleaned.get("count") and not self.errors:
            raise forms.ValidationError("Say how many links you want, or for whom.")
        return {**cleaned, "named": named or [""] * (cleaned.get("count") or 0)}
