"""What the API takes and shows of cases. Answers are plain data; most of these describe them."""

from __future__ import annotations

from rest_framework import serializers

from labeling.api.round_serializers import LARGEST, ProtocolInForceSerializer, RoundNameSerializer, TextField
from labeling.consensus.models import OTHERS, WAYS, Case


class CaseItemSerializer(serializers.Serializer[None]):
    kind = serializers.CharField()
    group = serializers.CharField()
    title = serializers.CharField()


class CaseSerializer(serializers.ModelSerializer[Case]):
    """A case without its item's payload."""

    round = RoundNameSerializer()
    item = CaseItemSerializer(source="round_item.item")
    state = serializers.CharField()
    way = serializers.CharField()
    questions = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = Case
        fields = ["id", "version", "state", "way", "why", "questions", "pattern", "opened_at", "round", "item"]


class ShownVoteSerializer(serializers.Serializer[None]):
    rater = serializers.CharField()
    mine = serializers.BooleanField()
    answers = serializers.JSONField()
    note = serializers.CharField()
    flag = serializers.CharField()
    picked = serializers.IntegerField(
        allow_null=True, help_text="A comment of the thread, from 0; else the linked one."
    )


class ShownProposalSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    by = serializers.CharField()
    answers = serializers.JSONField()
    because = serializers.CharField()
    at = serializers.DateTimeField()
    confirmed = serializers.ListField(child=serializers.CharField())
    waiting = serializers.ListField(child=serializers.CharField())
    mine = serializers.BooleanField()


class ShownMessageSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    by = serializers.CharField()
    at = serializers.DateTimeField()
    body = serializers.CharField()
    revision = serializers.IntegerField()
    mine = serializers.BooleanField()


class ShownEventSerializer(serializers.Serializer[None]):
    at = serializers.DateTimeField()
    words = serializers.CharField()
    reason = serializers.CharField()


class ShownDecisionSerializer(serializers.Serializer[None]):
    number = serializers.IntegerField()
    in_force = serializers.BooleanField()
    how = serializers.CharField()
    answers = serializers.JSONField()
    rejected = serializers.BooleanField()
    words = serializers.CharField()
    rationale = serializers.CharField()
    unclear = serializers.CharField()
    made_at = serializers.DateTimeField()


class CaseDetailSerializer(CaseSerializer):
    payload = serializers.JSONField()
    protocol = ProtocolInForceSerializer()
    votes = ShownVoteSerializer(many=True)
    proposals = ShownProposalSerializer(many=True)
    messages = ShownMessageSerializer(many=True)
    events = ShownEventSerializer(many=True)
    decisions = ShownDecisionSerializer(many=True)

    class Meta(CaseSerializer.Meta):
        fields = [
            *CaseSerializer.Meta.fields,
            "payload",
            "protocol",
            "votes",
            "proposals",
            "messages",
            "events",
            "decisions",
        ]


class NewMessageSerializer(serializers.Serializer[None]):
    """A new message has a `submission`; an edit has `message` and `revision`."""

    body = serializers.CharField(trim_whitespace=False)
    submission = serializers.UUIDField(default=None, allow_null=True)
    message = serializers.IntegerField(default=None, allow_null=True)
    revision = serializers.IntegerField(default=0)


class NewProposalSerializer(serializers.Serializer[None]):
    submission = serializers.UUIDField()
    answers = serializers.JSONField()
    because = TextField()


class SeenSerializer(serializers.Serializer[None]):
    """The version of the case that you saw."""

    version = serializers.IntegerField()


class ConfirmSerializer(SeenSerializer):
    proposal = serializers.IntegerField(min_value=1, max_value=LARGEST)


class VerdictSerializer(SeenSerializer):
    submission = serializers.UUIDField()
    answers = serializers.JSONField(default=None, allow_null=True)
    rationale = serializers.CharField(trim_whitespace=False)
    unclear = TextField()
    rejected = serializers.BooleanField(default=False)


class HandOverSerializer(SeenSerializer):
    adjudicator = serializers.EmailField(default="", allow_blank=True)


class ReopenSerializer(SeenSerializer):
    reason = serializers.CharField()


class RuleSerializer(serializers.Serializer[None]):
    way = serializers.ChoiceField(choices=WAYS)
    others = serializers.ChoiceField(choices=OTHERS)
    names_shown = serializers.BooleanField(default=False)
