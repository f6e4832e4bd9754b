"""One's own account: log in and out, password, name, appearance, API tokens."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout, views as auth
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordResetForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from annotator import limits
from labeling.people.access import AuthedRequest
from labeling.people.forms import AccountForm, ApiTokenForm, LoginForm
from labeling.people.models import ApiToken, User

THEMES = {"light", "dark"}
YEAR = 365 * 24 * 60 * 60


class Login(auth.LoginView):
    form_class = LoginForm
    template_name = "people/login.html"
    redirect_authenticated_user = True


class PasswordChange(auth.PasswordChangeView):
    template_name = "people/password_change.html"
    success_url = reverse_lazy("people:account")

    def form_valid(self, form: object) -> HttpResponse:
        messages.success(self.request, "Your password is changed. Other browsers must log in again.")
        return super().form_valid(form)  # type: ignore[arg-type]


class ResetForm(PasswordResetForm):
    """Also for people who have not set a password yet: the link they got first may have run out."""

    def get_users(self, email: str) -> Iterator[User]:
        for user in User.objects.filter(email=email.strip().lower(), is_active=True):
            if limits.count(f"mail-{user.pk}", window=limits.HOUR) <= limits.MAILS:
                yield user

    def send_mail(self, *arguments: object, **named: object) -> None:
        """Aside, so that the answer comes as quickly where there is nobody to write to."""
        Thread(target=super().send_mail, args=arguments, kwargs=named).start()


class PasswordReset(auth.PasswordResetView):
    form_class = ResetForm
    extra_email_context = {"public_url": settings.PUBLIC_URL}
    template_name = "people/password_reset.html"
    email_template_name = "people/password_reset_mail.txt"
    subject_template_name = "people/password_reset_subject.txt"
    success_url = reverse_lazy("people:password_reset_sent")

    def post(self, request: HttpRequest, *args: str, **kwargs: object) -> HttpResponse:
        limits.require_patience(request, "reset")
        return super().post(request, *args, **kwargs)


class PasswordResetSent(auth.PasswordResetDoneView):
    template_name = "people/password_reset_sent.html"


class PasswordSet(auth.PasswordResetConfirmView):
    template_name = "people/password_set.html"
    success_url = reverse_lazy("people:login")

    def form_valid(self, form: object) -> HttpResponse:
        # Who resets a password may be taking back an account that another used: nothing of theirs may stay.
        ApiToken.objects.filter(user=self.user).delete()
        messages.success(self.request, "Your password is set, and API tokens are revoked. Log in with it.")
        return super().form_valid(form)  # type: ignore[arg-type]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: AuthedRequest) -> HttpResponse:
    form = AccountForm(request.POST or None, instance=request.user)
    if form.is_bound and form.is_valid():
        form.save()
        messages.success(request, "Your name is changed.")
        return redirect("people:account")
    if form.is_bound:
        request.user.refresh_from_db(fields=["name"])
    context = {"form": form, "token_form": ApiTokenForm()}
    return render(request, "people/account.html", context, status=422 if form.is_bound else 200)


@login_required
@require_POST
def log_out_everywhere(request: AuthedRequest) -> HttpResponse:
    request.user.end_all_sessions()
    logout(request)
    messages.success(request, "You are logged out in every browser. API tokens still work; revoke them one by one.")
    return redirect("people:login")


@login_required
@require_POST
def create_token(request: AuthedRequest) -> HttpResponse:
    form = ApiTokenForm(request.POST)
    if not form.is_valid():
        context = {"form": AccountForm(instance=request.user), "token_form": form}
        return render(request, "people/account.html", context, status=422)
    token, secret = ApiToken.issue(user=request.user, name=form.cleaned_data["name"])
    return render(request, "people/token.html", {"token": token, "secret": secret})


@login_required
@require_POST
def revoke_token(request: AuthedRequest, pk: int) -> HttpResponse:
    token = get_object_or_404(request.user.api_tokens, pk=pk)
    token.delete()
    messages.success(request, f"The token “{token}” no longer works.")
    return redirect("people:account")


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Light, dark, or whatever the system says; kept in this browser only."""
    chosen, back = request.POST.get("theme", ""), request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        back = "/"
    response = HttpResponseRedirect(back)
    if chosen in THEMES:
        response.set_cookie(
            "theme", chosen, max_age=YEAR, samesite="Lax", secure=not settings.PLAIN_HTTP, httponly=True
        )
    else:
        response.delete_cookie("theme", samesite="Lax")
    return response
