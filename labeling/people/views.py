"""Members of a project, their invitations, and what everybody did."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.people import invitations
from labeling.people.access import AuthedRequest, Seat, take_seat
from labeling.people.forms import InvitationForm
from labeling.people.links import invitation_link
from labeling.people.models import Role

PAGE = 100


@login_required
@require_safe
def members(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR)
    return members_page(request, seat, InvitationForm())


@login_required
@require_POST
def invite(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return members_page(request, seat, form, status=422)
    invitation, token = invitations.invite(
        seat.project, email=form.cleaned_data["email"], role=Role(form.cleaned_data["role"]), by=request.user
    )
    request.session["invitation_link"] = invitation_link(token)
    return redirect("people:invited", slug, invitation.pk)


@login_required
@require_safe
def invited(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    """Shows the link of a new invitation, once: it is kept nowhere else."""
    seat = take_seat(request.user, slug, Role.COORDINATOR)
    invitation = get_object_or_404(seat.project.invitations, pk=pk)
    link = request.session.pop("invitation_link", None)
    if link is None:
        return redirect("people:members", slug)
    return render(request, "people/invited.html", {"seat": seat, "invitation": invitation, "link": link})


@login_required
@require_POST
def revoke(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    invitation = get_object_or_404(seat.project.invitations, pk=pk)
    invitations.revoke(invitation, by=request.user)
    messages.success(request, f"The link of {invitation.email} no longer works.")
    return redirect("people:members", slug)


@login_required
@require_http_methods(["GET", "POST"])
def remove(request: AuthedRequest, slug: str, pk: int) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR, writing=True)
    membership = get_object_or_404(seat.project.memberships.select_related("user", "project"), pk=pk)
    if request.method != "POST":
        return render(request, "people/remove.html", {"seat": seat, "membership": membership})
    invitations.remove_member(membership, by=request.user)
    messages.success(request, f"{membership.user} no longer is {membership.get_role_display().lower()}.")
    return redirect("people:members" if membership.user_id != request.user.pk else "overview:home", slug)


@login_required
@require_safe
def activity(request: AuthedRequest, slug: str) -> HttpResponse:
    seat = take_seat(request.user, slug, Role.COORDINATOR)
    page = Paginator(seat.project.activities.select_related("actor"), PAGE).get_page(request.GET.get("page"))
    return render(request, "people/activity.html", {"seat": seat, "page": page})


def members_page(request: AuthedRequest, seat: Seat, form: InvitationForm, status: int = 200) -> HttpResponse:
    context = {
        "seat": seat,
        "form": form,
        "memberships": seat.project.memberships.select_related("user"),
        "invitations": seat.project.invitations.select_related("created_by")[:PAGE],
    }
    return render(request, "people/members.html", context, status=status)
