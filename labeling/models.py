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
from labeling.release.models import Forerunner, Pseudonym, Release, Waiver
from labeling.study.models import Deviation, Method, Name, Ruling, Sheet, Study, StudyText
from labeling.study.origins import FrozenPlan, NameOrigin, Origin
from labeling.study.results.models import Findings
from labeling.study.taking.models import Line, OpenLink, Page, Participant

__all__ = [
    "Activity",
    "ApiToken",
    "Assignment",
    "Case",
    "Confirmation",
    "Decision",
    "Deviation",
    "Draft",
    "Event",
    "Findings",
    "Forerunner",
    "FrozenPlan",
    "GitHubPause",
    "Invitation",
    "Item",
    "ItemWords",
    "Job",
    "KeyMap",
    "Line",
    "Measurement",
    "Membership",
    "Mention",
    "Message",
    "MessageText",
    "Method",
    "MinedChange",
    "Name",
    "NameOrigin",
    "OpenLink",
    "Origin",
    "Page",
    "Participant",
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
    "Ruling",
    "Sheet",
    "Sitting",
    "Skip",
    "Study",
    "StudyText",
    "Upload",
    "User",
    "Vote",
    "Waiver",
]
