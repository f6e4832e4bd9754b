"""Who takes part: accounts, their roles in projects, the invitations that give them, and what each person did."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from datetime import datetime
from typing import Any, ClassVar, NoReturn

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone


def new_salt() -> str:
    return secrets.token_hex(8)


def new_token() -> str:
    """A secret for a link or a header: 256 bits, safe in a URL."""
    return secrets.token_urlsafe(32)


def digest(token: str) -> str:
    """What we keep of a token. It has 256 random bits, so one fast hash is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        fields |= {"is_staff": True, "is_superuser": True, "can_create_projects": True}
        return self.create_user(email, password, **fields)

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=(username or "").strip().lower())


class User(AbstractBaseUser, PermissionsMixin):
    """A person with an account, known by e-mail address."""

    email = models.EmailField("e-mail", unique=True)
    name = models.CharField(max_length=150)
    can_create_projects = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    joined_at = models.DateTimeField(default=timezone.now)
    session_salt = models.CharField(max_length=16, default=new_salt, editable=False)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(email=Lower("email")), name="user_email_is_lower_case")]

    def __str__(self) -> str:
        return self.name or self.email

    def get_session_auth_hash(self) -> str:
        return self._salted(super().get_session_auth_hash())

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        return (self._salted(value) for value in super().get_session_auth_fallback_hash())

    def _salted(self, value: str) -> str:
        return digest(value + self.session_salt)

    def end_all_sessions(self) -> None:
        """Every browser that is logged in as this person is asked for the password again."""
        self.session_salt = new_salt()
        self.save(update_fields=["session_salt"])


class ApiToken(models.Model):
    """A secret with which a script acts as a person. Only its digest is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def issue(cls, *, user: User, name: str) -> tuple[ApiToken, str]:
        """The token's row, and its secret, which can be shown only now."""
        secret = new_token()
        return cls.objects.create(user=user, name=name, digest=digest(secret)), secret


class Role(models.TextChoices):
    COORDINATOR = "coordinator", "Coordinator"
    ANNOTATOR = "annotator", "Annotator"
    ADJUDICATOR = "adjudicator", "Adjudicator"
    VIEWER = "viewer", "Viewer"


class Membership(models.Model):
    """One role of one person in one project; a person may hold several (ADR 4)."""

    project = models.ForeignKey("labeling.Project", on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role)
    added_at = models.DateTimeField(default=timezone.now)
    added_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["user__name", "user__email", "role"]
        constraints = [
            models.UniqueConstraint(fields=["project", "user", "role"], name="membership_once_per_role"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user}, {self.get_role_display().lower()}"


INVITATION_STATES = ["open", "accepted", "revoked", "expired"]


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self) -> InvitationQuerySet:
        return self.filter(accepted_at=None, revoked_at=None, expires_at__gt=timezone.now())


def default_expiry() -> datetime:
    return timezone.now() + settings.INVITATION_LIFETIME


class Invitation(models.Model):
    """A personal link into a project: for one address, one role, one use."""

    project = models.ForeignKey("labeling.Project", on_delete=models.PROTECT, related_name="invitations")
    email = models.EmailField("e-mail")
    role = models.CharField(max_length=20, choices=Role, default=Role.ANNOTATOR)
    token_digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    expires_at = models.DateTimeField(default=default_expiry)
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(role__in=Role.values), name="invitation_role_is_known"),
            models.CheckConstraint(condition=Q(email=Lower("email")), name="invitation_email_is_lower_case"),
            models.CheckConstraint(condition=Q(expires_at__gt=F("created_at")), name="invitation_lasts"),
            models.CheckConstraint(
                condition=Q(accepted_at=None, accepted_by=None)
                | Q(accepted_at__isnull=False, accepted_by__isnull=False),
                name="invitation_accepted_at_and_by",
            ),
            models.CheckConstraint(
                condition=Q(accepted_at=None) | Q(revoked_at=None), name="invitation_accepted_or_revoked"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} as {self.get_role_display().lower()}"

    @property
    def state(self) -> str:
        if self.accepted_at:
            return "accepted"
        if self.revoked_at:
            return "revoked"
        return "open" if self.expires_at > timezone.now() else "expired"


class ActivityQuerySet(models.QuerySet["Activity"]):
    def update(self, **kwargs: Any) -> NoReturn:
        raise TypeError("The activity log is append-only.")

    def delete(self) -> NoReturn:
        raise TypeError("The activity log is append-only.")


class Activity(models.Model):
    """Who did what when, in one project. Rows are added and never changed or removed."""

    project = models.ForeignKey("labeling.Project", on_delete=models.PROTECT, related_name="activities")
    at = models.DateTimeField(default=timezone.now)
    actor = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    verb = models.CharField(max_length=60)
    subject = models.CharField(max_length=300, blank=True)
    details = models.JSONField(default=dict)

    objects: ClassVar[models.Manager[Activity]] = ActivityQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["project", "-at", "-id"], name="activity_newest_first")]
        verbose_name_plural = "activities"

    def __str__(self) -> str:
        return f"{self.actor or 'The system'} {self.verb} {self.subject}".strip()

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError("The activity log is append-only.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("The activity log is append-only.")
