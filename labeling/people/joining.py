"""The page behind an invitation link."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from annotator.limits import require_patience
from labeling.people import invitations
from labeling.people.forms import JoinForm
from labeling.people.models import Invitation, User
from labeling.refusals import Gone


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Opening the link only shows it; joining is a POST, so a mail scanner that follows links uses nothing up."""
    invitation = invitations.find_invitation(token)
    if invitation is None:
        require_patience(request, "link")
        raise Gone("This invitation link is not complete or was never issued. Copy it again from the message you got.")
    invitations.require_open(invitation)
    if request.user.is_authenticated:
        return join_as_oneself(request, invitation, request.user)
    if User.objects.filter(email=invitation.email).exists():
        return render(request, "people/join.html", {"invitation": invitation, "log_in_first": True})
    return join_anew(request, invitation)


def join_as_oneself(request: HttpRequest, invitation: Invitation, user: User) -> HttpResponse:
    if request.method != "POST":
        return render(request, "people/join.html", {"invitation": invitation})
    membership = invitations.accept(invitation, by=user)
    return welcome(request, invitation, membership.get_role_display())


def join_anew(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    form = JoinForm(request.POST or None, email=invitation.email)
    if not form.is_valid():
        context = {"invitation": invitation, "form": form}
        return render(request, "people/join.html", context, status=422 if form.is_bound else 200)
    user = invitations.accept_with_new_account(
        invitation, name=form.cleaned_data["name"], password=form.cleaned_data["password"]
    )
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    return welcome(request, invitation, invitation.get_role_display())


def welcome(request: HttpRequest, invitation: Invitation, role: str) -> HttpResponse:
    messages.success(request, f"Welcome to {invitation.project}. You are here as {role.lower()}.")
    return redirect("overview:home", invitation.project.slug)
