"""What our verbs raise when they will not do something: a sentence for a person and a status for a script."""


class Refusal(Exception):  # noqa: N818 (it is no error: the app works as it should)
    """The act cannot be done in the present state; nothing was changed."""

    status = 409


class Gone(Refusal):
    """What was asked for existed and is over: an expired, used or revoked link."""

    status = 410


class Invalid(Refusal):
    """What was sent is not acceptable; the sentence names what and where."""

    status = 422
