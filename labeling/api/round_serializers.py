"""What the API takes and shows of rounds and votes. Answers to hot calls are plain data; these describe them."""

from __future__ import annotations

from rest_framework import serializers

from labeling.annotation.models import Handing, Order, Round
from labeling.api.serializers import JobSerializer

LARGEST = 2**31 - 1


class TextField(serializers.CharField):
    """Text as it was sent; how long it may be is for the verb to say."""

    def __init__(self) -> None:
        super().__init__(default="", allow_blank=True, trim_whitespace=False)


class NextSerializer(serializers.Serializer[None]):
    round = serializers.IntegerField(default=None, allow_null=True, min_value=1, max_value=LARGEST)
    holding = serializers.ListField(child=serializers.IntegerField(), default=list, max_length=10)


class RoundNameSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    name = serializers.CharField()


class HandedSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    round = RoundNameSerializer()
    lease_until = serializers.DateTimeField(allow_null=True)


class JudgedItemSerializer(serializers.Serializer[None]):
    kind = serializers.CharField()
    group = serializers.CharField()
    title = serializers.CharField()
    payload = serializers.JSONField()


class ProtocolInForceSerializer(serializers.Serializer[None]):
    version = serializers.IntegerField()
    content = serializers.JSONField()


class NextAnswerSerializer(serializers.Serializer[None]):
    assignment = HandedSerializer(allow_null=True)
    item = JudgedItemSerializer(required=False)
    protocol = ProtocolInForceSerializer(required=False)
    detail = serializers.CharField(required=False)


class BallotSerializer(serializers.Serializer[None]):
    """`timing` has wall, active and idle seconds, or is left out; `version` is that of the protocol you answered;
    `picked` is the comment of the thread that asked for it, counted from 0, where it is another than the linked one;
    `next` asks for the next item as well, as the call for it would."""

    submission = serializers.UUIDField()
    answers = serializers.JSONField()
    timing = serializers.JSONField(default=dict)
    note = TextField()
    flag = TextField()
    picked = serializers.IntegerField(default=None, allow_null=True)
    version = serializers.IntegerField(default=None, allow_null=True)
    revises = serializers.IntegerField(default=0, min_value=0)
    next = NextSerializer(default=None, allow_null=True)


class VoteSerializer(serializers.Serializer[None]):
    id = serializers.IntegerField()
    assignment = serializers.IntegerField()
    submission = serializers.UUIDField()
    revision = serializers.IntegerField()
    version = serializers.IntegerField()
    answers = serializers.JSONField()
    note = serializers.CharField()
    flag = serializers.CharField()
    picked = serializers.IntegerField(allow_null=True)
    cast_at = serializers.DateTimeField()
    next = NextAnswerSerializer(required=False)


class SkipSerializer(serializers.Serializer[None]):
    reason = serializers.CharField()


class NewDraftSerializer(serializers.Serializer[None]):
    content = serializers.JSONField()


class DraftSerializer(serializers.Serializer[None]):
    content = serializers.JSONField()
    saved_at = serializers.DateTimeField(allow_null=True)


class EstimateSerializer(serializers.Serializer[None]):
    seconds = serializers.FloatField(allow_null=True)
    reason = serializers.CharField()


class MyRoundSerializer(serializers.Serializer[None]):
    round = serializers.IntegerField()
    name = serializers.CharField()
    state = serializers.CharField()
    votes = serializers.IntegerField()
    left = serializers.IntegerField()
    at_most = serializers.BooleanField()
    seconds_per_item = serializers.FloatField(allow_null=True)
    time_left = EstimateSerializer()


class RoundSerializer(serializers.ModelSerializer[Round]):
    version = serializers.IntegerField(source="protocol.number", read_only=True)
    protocol = serializers.CharField(source="protocol.protocol.name", read_only=True)
    state = serializers.CharField(read_only=True)
    handing = serializers.CharField(read_only=True)

    class Meta:
        model = Round
        fields = [
            "id",
            "name",
            "state",
            "protocol",
            "version",
            "handing",
            "votes_wanted",
            "seed",
            "item_count",
            "votes_due",
            "created_at",
            "closed_at",
        ]


class NewRoundSerializer(serializers.Serializer[None]):
    """`protocol` by its name, in its latest version unless `version` says another; annotators by e-mail. Without
    `votes`, everybody judges everything. `gold` has the right answers by the key of their item."""

    name = serializers.CharField()
    protocol = serializers.CharField()
    version = serializers.IntegerField(default=None, allow_null=True)
    annotators = serializers.ListField(child=serializers.EmailField(), max_length=500)
    votes = serializers.IntegerField(default=None, allow_null=True)
    handing = serializers.ChoiceField(choices=Handing.choices, default=Handing.CLAIMED)
    order = serializers.ChoiceField(choices=Order.choices, default=Order.SHUFFLED)
    seed = serializers.IntegerField(default=None, allow_null=True)
    calibration = serializers.IntegerField(default=0)
    repeat_every = serializers.IntegerField(default=0)
    repeat_distance = serializers.IntegerField(default=20)
    words = serializers.CharField(default="", allow_blank=True)
    group = serializers.CharField(default="", allow_blank=True)
    sample = serializers.IntegerField(default=None, allow_null=True)
    fresh = serializers.BooleanField(default=False)
    gold = serializers.DictField(default=dict)


class StartedRoundSerializer(serializers.Serializer[None]):
    round = RoundSerializer()
    job = JobSerializer()


class VotesSerializer(serializers.Serializer[None]):
    votes = serializers.IntegerField()


class VersionSerializer(serializers.Serializer[None]):
    version = serializers.IntegerField()


class PersonSerializer(serializers.Serializer[None]):
    email = serializers.EmailField()


class CountSerializer(serializers.Serializer[None]):
    count = serializers.IntegerField()
