"""What people fill in to come in, invite others, and look after their account."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.password_validation import password_validators_help_texts, validate_password
from django.http import HttpRequest

from labeling.people.models import ApiToken, Invitation, User

LONGEST_ADDRESS = 254


def claimed_address(request: HttpRequest, credentials: dict[str, str] | None) -> str:
    """Whose log-in an attempt counts against, however it was spelled."""
    given = (credentials or {}).get("username") or request.POST.get("username", "")
    return given.strip().lower()[:LONGEST_ADDRESS]


class LoginForm(AuthenticationForm):
    """Says the same for a wrong password and for an unknown address."""

    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": "This e-mail address and password do not belong together.",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "E-mail"
        self.fields["username"].widget = forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True})

    def clean_username(self) -> str:
        address = str(self.cleaned_data["username"]).strip().lower()
        if len(address) > LONGEST_ADDRESS:
            raise self.get_invalid_login_error()
        return address


class JoinForm(forms.Form):
    """A new account, for the address that the invitation names."""

    name = forms.CharField(
        max_length=150, help_text="How others in the project see you.", widget=forms.TextInput({"autocomplete": "name"})
    )
    password = forms.CharField(
        strip=False,
        help_text=" ".join(password_validators_help_texts()),
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
    )

    def __init__(self, *args: Any, email: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.email = email

    def clean_password(self) -> str:
        password = str(self.cleaned_data["password"])
        validate_password(password, User(email=self.email, name=self.cleaned_data.get("name", "")))
        return password


class InvitationForm(forms.ModelForm[Invitation]):
    class Meta:
        model = Invitation
        fields = ["email", "role"]
        widgets = {"email": forms.EmailInput(attrs={"autocomplete": "off", "placeholder": "name@example.org"})}


class AccountForm(forms.ModelForm[User]):
    class Meta:
        model = User
        fields = ["name"]


class ApiTokenForm(forms.ModelForm[ApiToken]):
    class Meta:
        model = ApiToken
        fields = ["name"]
        labels = {"name": "What is it for?"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["auto_id"] = "token_%s"  # it shares its page with another form that has a name
        super().__init__(*args, **kwargs)
