"""Texts to begin with: the questionnaire on four names of a method, and the smaller one on stable names."""

from __future__ import annotations

from dataclasses import replace

from labeling.annotation.protocols.codebook import Option, Question
from labeling.study.texts import Practice, Practised, Reason, Texts

CONSENT = """\
You are invited to take part in a study on how developers judge method names.

- You will see Java methods without their names, and for each a few names that it could have. You say of each
  name whether it fits.
- Taking part is voluntary. You can stop at any time without giving a reason, and then choose whether your
  answers are kept or deleted.
- Your answers are saved as you give them. You can close the page and go on later with the same link.
- We ask for no name and no address. Results are published as sums over all participants; a comment that you write
  may be quoted without saying whose it is, so leave out what would tell who you are.

By agreeing you say that you are at least 18 years old and that you have read this.
"""

INSTRUCTIONS = """\
On each page there is one method. Its name is taken out; below it are names that it could have.

- **Read the method first.** Then judge each name by itself: would it be a consistent name for this body? Several
  names of a method can fit, or none.
- **If a name does not fit, say why.** Choose the reason that weighs most.
- There is no time limit, and there are no right answers. It is your judgement that counts.
- Please do not look the code up elsewhere.
"""

STORED = """\
- your answers, your comments, and how long each page was open, in use, or in the background;
- what you tell us about your experience;
- when you agreed, to which version of this text, and when you began and ended;
- the identifier with which a recruiting service sent you here, if one did.

We store no name, no address of yours and no address of your computer with the answers.
"""

THANKS = "Thank you. Your answers are stored, and there is nothing more to do."

REASONS = [
    Reason("completely_inconsistent", "Completely inconsistent", "The name says something else than the body does."),
    Reason("partially_inconsistent", "Partially inconsistent", "The name says a part of it, or too much."),
    Reason("convention", "Coding convention or style", "The meaning fits, the form does not."),
    Reason("mistake", "Mistake or typo", "A wrong or misspelt word."),
    Reason("context", "Depends on the broader context", "The body alone does not tell."),
]

BACKGROUND = [
    Question("years_developer", "Years as a professional software developer", "number", low=0, high=70),
    Question("years_java", "Years of experience with Java", "number", low=0, high=40),
    Question(
        "java_use",
        "How often do you write Java in your current job?",
        "likert",
        options=[
            Option("use_1", "1 – never"),
            Option("use_2", "2"),
            Option("use_3", "3"),
            Option("use_4", "4"),
            Option("use_5", "5 – daily"),
        ],
    ),
    Question(
        "degree",
        "Highest degree",
        options=[
            Option("none", "None or other"),
            Option("bachelor", "Bachelor"),
            Option("master", "Master"),
            Option("phd", "PhD"),
        ],
    ),
    Question(
        "affiliation",
        "Where do you work?",
        options=[
            Option("academia", "Academia"),
            Option("industry", "Industry"),
            Option("both", "Both"),
            Option("neither", "Neither"),
        ],
    ),
    Question("position", "Current position", "text", help="for example: senior engineer", required=False),
]

PRACTICE = Practice(
    body="""\
int ___(List<Order> orders) {
    int total = 0;
    for (Order order : orders) {
        if (order.isOpen()) {
            total++;
        }
    }
    return total;
}
""",
    names=[
        Practised("countOpenOrders", "Most people say yes: it says what is counted."),
        Practised("getOrders", "Most people say no: the method returns a number, not the orders."),
        Practised("countorders", "Often no, by convention or because a part is missing. You decide which weighs more."),
    ],
)

FOUR_NAMES = Texts(
    title="Names of methods",
    consent=CONSENT,
    instructions=INSTRUCTIONS,
    question="Is this name consistent with the method body?",
    reason_question="Why is it not consistent?",
    reasons=REASONS,
    background=BACKGROUND,
    practice=PRACTICE,
    exit_question="Could you guess where some of the names came from? If so, how?",
    thanks=THANKS,
    stored=STORED,
)

STABLE_NAMES = replace(
    FOUR_NAMES,
    consent=CONSENT.replace("a few names", "two or more names"),
    exit_question="Did one kind of name seem better to you throughout? If so, which?",
)

PRESETS = {"four_names": FOUR_NAMES, "stable_names": STABLE_NAMES}
