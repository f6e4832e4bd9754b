"""The contents page: every model, in the order of the flow. Stages import each other's `models`, never this page."""

from labeling.agreement.models import Measurement
from labeling.annotation.models import (
    Assignment,
    Draft,
    KeyMap,
    Protocol,
    ProtocolVersion,
    Rater,
    Round,
    RoundItem,
    Skip,
    Vote,
)
from labeling.consensus.models import (
    Case,
    Confirmation,
    Decision,
    Event,
    Mention,
    Message,
    MessageText,
    Proposal,
    Rule,
    Sitting,
)
from labeling.corpus.models import Item, ItemWords, Project, Upload
from labeling.jobs.models import Job
from labeling.mining.models import GitHubPause, MinedChange
from labeling.people.models import Activity, ApiToken, Invitation, Membership, User
from labeling.release.models import Origin, Pseudonym, Release, Waiver

__all__ = [
    "Activity",
    "ApiToken",
    "Assignment",
    "Case",
    "Confirmation",
    "Decision",
    "Draft",
    "Event",
    "GitHubPause",
    "Invitation",
    "Item",
    "ItemWords",
    "Job",
    "KeyMap",
    "Measurement",
    "Membership",
    "Mention",
    "Message",
    "MessageText",
    "MinedChange",
    "Origin",
    "Project",
    "Proposal",
    "Protocol",
    "ProtocolVersion",
    "Pseudonym",
    "Rater",
    "Release",
    "Round",
    "RoundItem",
    "Rule",
    "Sitting",
    "Skip",
    "Upload",
    "User",
    "Vote",
    "Waiver",
]
