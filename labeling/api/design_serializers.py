"""What the API takes and shows of the design of a study. How long things may be is for the verbs to say."""

from __future__ import annotations

from rest_framework import serializers

from labeling.study.models import Deviation, Study
from labeling.study.presets import PRESETS


class StudySerializer(serializers.ModelSerializer[Study]):
    state = serializers.CharField(read_only=True)

    class Meta:
        model = Study
        fields = ["id", "name", "state", "seed", "source", "digest", "created_at", "piloted_at", "frozen_at",
                  "opened_at", "closed_at", "unblinded_at"]  # fmt: skip
        read_only_fields = fields


class NewStudySerializer(serializers.Serializer[None]):
    """`design` has the fields that differ from the preset's."""

    name = serializers.CharField()
    preset = serializers.ChoiceField(choices=list(PRESETS), default="four_names")
    design = serializers.DictField(default=dict)
    seed = serializers.IntegerField(default=None, allow_null=True)


class StudyChangeSerializer(serializers.Serializer[None]):
    name = serializers.CharField(required=False)
    design = serializers.DictField(default=dict)


class TextsSerializer(serializers.Serializer[None]):
    content = serializers.DictField()
    why = serializers.CharField(default="", allow_blank=True)


class MaterialSerializer(serializers.Serializer[None]):
    """`origins` has labels by key; `items` rows with key and body; `names` rows with item, origin and name.
    With the number of a `release` its items are taken."""

    origins = serializers.DictField(child=serializers.CharField())
    items = serializers.ListField(default=None, allow_null=True)
    names = serializers.ListField(default=list)
    release = serializers.IntegerField(default=None, allow_null=True)
    group = serializers.CharField(default="", allow_blank=True)
    words = serializers.CharField(default="", allow_blank=True)


class LeakRulingSerializer(serializers.Serializer[None]):
    kind = serializers.CharField()
    act = serializers.CharField(allow_blank=True)
    method = serializers.CharField(default="", allow_blank=True, trim_whitespace=False)
    name = serializers.CharField(default="", allow_blank=True, trim_whitespace=False)
    reason = serializers.CharField(default="", allow_blank=True)


class NamedSerializer(serializers.Serializer[None]):
    name = serializers.CharField()


class DeviationSerializer(serializers.ModelSerializer[Deviation]):
    class Meta:
        model = Deviation
        fields = ["at", "what"]
        read_only_fields = ["at"]


class SampleSizeSerializer(serializers.Serializer[None]):
    population = serializers.IntegerField()
    confidence = serializers.FloatField(default=0.95)
    margin = serializers.FloatField(default=0.05)
    proportion = serializers.FloatField(default=0.5)
    cluster_size = serializers.FloatField(default=1)
    icc = serializers.FloatField(default=0)


class SimulationSerializer(serializers.Serializer[None]):
    """`rates` has the assumed share of yes by origin; spreads are standard deviations of logits."""

    rates = serializers.DictField(child=serializers.FloatField())
    sheets = serializers.IntegerField(min_value=1, max_value=100_000)
    methods_per_sheet = serializers.IntegerField(min_value=1, max_value=100_000)
    shared = serializers.IntegerField(default=0, max_value=100_000)
    shared_by = serializers.IntegerField(default=2, max_value=100_000)
    participant_sd = serializers.FloatField(default=0.5)
    preference_sd = serializers.FloatField(default=0.3)
    method_sd = serializers.FloatField(default=0.5)
    name_sd = serializers.FloatField(default=0.5)
    alpha = serializers.FloatField(default=0.05)
    repetitions = serializers.IntegerField(default=500)
    seed = serializers.IntegerField(default=1, min_value=0, max_value=2**31 - 1)
