"""What the API shows of each thing: only the fields named here."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from labeling.corpus.kinds import KINDS
from labeling.corpus.models import Item, Project
from labeling.corpus.reading import FORMATS
from labeling.jobs.models import Job
from labeling.mining.collecting import STATES
from labeling.mining.github.pulls import REPOSITORY
from labeling.people.models import INVITATION_STATES, Activity, Invitation, Membership, Role, User


class UserSerializer(serializers.ModelSerializer[User]):
    class Meta:
        model = User
        fields = ["email", "name", "can_create_projects"]


class ProjectSerializer(serializers.ModelSerializer[Project]):
    """A project and the caller's roles in it."""

    roles = serializers.SerializerMethodField()

    class Meta:
        model = Project
        fields = ["slug", "name", "description", "created_at", "archived_at", "roles"]

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField(choices=Role.choices)))
    def get_roles(self, project: Project) -> list[str]:
        me = self.context["request"].user.pk
        return [membership.role for membership in project.memberships.all() if membership.user_id == me]


class NewProjectSerializer(serializers.ModelSerializer[Project]):
    slug = serializers.SlugField(max_length=60, required=False, default="", allow_blank=True)

    class Meta:
        model = Project
        fields = ["name", "slug", "description"]


class ProjectChangeSerializer(serializers.ModelSerializer[Project]):
    class Meta:
        model = Project
        fields = ["name", "description"]


class MembershipSerializer(serializers.ModelSerializer[Membership]):
    email = serializers.EmailField(source="user.email", read_only=True)
    name = serializers.CharField(source="user.name", read_only=True)

    class Meta:
        model = Membership
        fields = ["id", "email", "name", "role", "added_at"]


class InvitationSerializer(serializers.ModelSerializer[Invitation]):
    state = serializers.ChoiceField(choices=INVITATION_STATES, read_only=True)

    class Meta:
        model = Invitation
        fields = ["id", "email", "role", "state", "created_at", "expires_at"]
        read_only_fields = ["created_at", "expires_at"]


class NewInvitationSerializer(InvitationSerializer):
    """An invitation just made: the only time its link is shown."""

    link = serializers.URLField(read_only=True)

    class Meta(InvitationSerializer.Meta):
        fields = [*InvitationSerializer.Meta.fields, "link"]


class ActivitySerializer(serializers.ModelSerializer[Activity]):
    actor = serializers.EmailField(source="actor.email", read_only=True, allow_null=True, default=None)

    class Meta:
        model = Activity
        fields = ["id", "at", "actor", "verb", "subject", "details"]


class ItemSerializer(serializers.ModelSerializer[Item]):
    class Meta:
        model = Item
        fields = ["id", "kind", "key", "group", "title", "sameness", "payload", "imported_at"]


class ItemSummarySerializer(serializers.ModelSerializer[Item]):
    class Meta:
        model = Item
        fields = ["id", "kind", "key", "group", "title", "sameness", "imported_at"]


class Rows(serializers.ListField):
    """Each row is checked where the rows of files are, which names what is wrong with it."""

    def run_child_validation(self, data: list[Any]) -> list[Any]:
        return data


class NewItemsSerializer(serializers.Serializer[None]):
    """Rows as a JSONL file has them, at most a thousand a call; a file of any size goes by the command or the page."""

    kind = serializers.ChoiceField(choices=list(KINDS), default="review_rename")
    items = Rows(min_length=1, max_length=1000)
    dry_run = serializers.BooleanField(default=False)
    replace = serializers.BooleanField(default=False)
    all_or_nothing = serializers.BooleanField(default=False)


class PickSerializer(serializers.Serializer[None]):
    """`comment` counts the comments of the thread from 0."""

    comment = serializers.IntegerField(min_value=0)


class BadRowSerializer(serializers.Serializer[None]):
    line = serializers.IntegerField()
    field = serializers.CharField()
    reason = serializers.CharField()


class OutcomeSerializer(serializers.Serializer[None]):
    """What became of the rows; `line` counts them from 1."""

    rows = serializers.IntegerField()
    new = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    changed = serializers.IntegerField()
    replaced = serializers.IntegerField()
    kept = serializers.IntegerField()
    bad = serializers.IntegerField()
    first_bad = BadRowSerializer(many=True)


class FunnelSerializer(serializers.Serializer[None]):
    pull_requests = serializers.IntegerField()
    with_naming_words = serializers.IntegerField()
    commits = serializers.IntegerField()
    files = serializers.IntegerField()
    renames = serializers.IntegerField()
    linked = serializers.IntegerField()
    items = serializers.IntegerField()


class FailedChangeSerializer(serializers.Serializer[None]):
    repository = serializers.CharField()
    number = serializers.IntegerField()
    reason = serializers.CharField()


class MiningSerializer(serializers.Serializer[None]):
    funnel = FunnelSerializer()
    waiting = serializers.IntegerField()
    failed = FailedChangeSerializer(many=True)


class NewMiningSerializer(serializers.Serializer[None]):
    """`github` is owner/name; without it, `repository` names a clone here and `changes` are as in docs/formats.md."""

    github = serializers.RegexField(REPOSITORY, required=False, max_length=200)
    since = serializers.DateField(required=False)
    state = serializers.ChoiceField(choices=STATES, default="merged")
    repository = serializers.CharField(max_length=200, default="")
    changes = serializers.ListField(child=serializers.JSONField(), max_length=1000, default=list)


class RetriedSerializer(serializers.Serializer[None]):
    waiting = serializers.IntegerField()


class ExportSerializer(serializers.Serializer[None]):
    kind = serializers.ChoiceField(choices=list(KINDS), default="review_rename")
    form = serializers.ChoiceField(choices=FORMATS, default="jsonl")


class JobSerializer(serializers.ModelSerializer[Job]):
    class Meta:
        model = Job
        fields = [
            "id",
            "kind",
            "title",
            "state",
            "done",
            "total",
            "message",
            "error",
            "result",
            "created_at",
            "ended_at",
        ]
