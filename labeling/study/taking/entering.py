"""Who stands before the questionnaire: read from a cookie that holds the secret of a link, scoped to one study."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from labeling.people.models import digest
from labeling.refusals import Gone, Invalid, Refusal
from labeling.study.models import Study
from labeling.study.taking.models import OpenLink, Participant, Step

COOKIE = "participant"
LIFETIME = timedelta(days=180)
NEWCOMER = "open."
SALT = "study.newcomer"
LONGEST_ID = 80
NEVER_ISSUED = "This link is not complete, or it is not one of this study. Copy it again from the message you got."
REVOKED = "This link was withdrawn by those who run the study."


class Stranger(Refusal):
    """Nobody we know: the cookie is missing or of another study."""

    status = 403


@dataclass(frozen=True)
class Newcomer:
    """Somebody who came by the open link and has not started."""

    link: OpenLink
    token: str
    external_id: str
    session: str

    @property
    def link_digest(self) -> str:
        """Who comes again from the same place of a recruiting service is the same participant."""
        return digest(f"{self.token}:{self.external_id}:{self.session}")


@dataclass(frozen=True)
class Visit:
    study: Study
    secret: str
    participant: Participant | None = None
    newcomer: Newcomer | None = None

    @property
    def form_token(self) -> str:
        """Proof that a form came from a page of ours. Django's own check wants a referrer, and we send none."""
        return salted_hmac("study.form", self.secret).hexdigest()

    @property
    def known(self) -> Participant:
        """The participant, where only one who has started has anything to do."""
        if self.participant is None or self.participant.step == Step.INVITED:
            raise Refusal("You have not started yet. Go to the first page of the study.")
        return self.participant


def find_study(code: str) -> Study:
    return get_object_or_404(Study.objects.select_related("project"), code=code)


def enter(request: HttpRequest, study: Study) -> Visit:
    """The visit that the cookie stands for; refuses strangers."""
    secret = request.COOKIES.get(COOKIE, "")
    if not secret:
        raise Stranger("This page needs your personal link. Open it again from the message you got.")
    if secret.startswith(NEWCOMER):
        return enter_openly(study, secret)
    return Visit(study, secret, participant=find_participant(study, secret))


def find_participant(study: Study, token: str) -> Participant:
    found = Participant.objects.select_related("consent").filter(study=study, link_digest=digest(token)).first()
    if found is None:
        raise Gone(NEVER_ISSUED)
    if found.step == Step.REVOKED:
        raise Gone(REVOKED)
    return found


def enter_openly(study: Study, secret: str) -> Visit:
    try:
        kept = signing.loads(secret.removeprefix(NEWCOMER), salt=SALT)
    except signing.BadSignature as error:
        raise Gone(NEVER_ISSUED) from error
    newcomer = find_newcomer(study, kept["token"], kept["person"], kept["session"])
    if newcomer.external_id:
        known = Participant.objects.select_related("consent").filter(study=study, link_digest=newcomer.link_digest)
        if found := known.first():
            if found.step == Step.REVOKED:
                raise Gone(REVOKED)
            return Visit(study, secret, participant=found)
    if newcomer.link.revoked_at:
        raise Gone(REVOKED)
    return Visit(study, secret, newcomer=newcomer)


def find_newcomer(study: Study, token: str, person: str, session: str) -> Newcomer:
    link = OpenLink.objects.filter(study=study, link_digest=digest(token)).first()
    if link is None:
        raise Gone(NEVER_ISSUED)
    for name, value in {"PROLIFIC_PID": person, "SESSION_ID": session}.items():
        if len(value) > LONGEST_ID or not value.isprintable():
            raise Invalid(f"{name}: must be printable and at most {LONGEST_ID} characters long.")
    return Newcomer(link, token, person, session)


def newcomer_secret(token: str, person: str, session: str) -> str:
    return NEWCOMER + signing.dumps({"token": token, "person": person, "session": session}, salt=SALT)


def remember(response: HttpResponse, study: Study, secret: str) -> HttpResponse:
    response.set_cookie(
        COOKIE,
        secret,
        max_age=LIFETIME,
        path=reverse("taking:home", args=[study.code]),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def require_form_of_ours(request: HttpRequest, visit: Visit) -> None:
    if not constant_time_compare(request.POST.get("form", ""), visit.form_token):
        raise Stranger("This form is old or came from elsewhere. Reload the page and send it again.")
