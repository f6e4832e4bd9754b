"""Statements that are built once. Django takes a millisecond to turn a query set into SQL, and PostgreSQL longer to
plan it than to answer it. What every vote repeats is said in Django's language, built at its first use, prepared once
for each connection, and kept."""

from labeling.statements.commands import Given, NextNumber, insert, update
from labeling.statements.questions import Statement
from labeling.statements.sessions import writing_along

__all__ = ["Given", "NextNumber", "Statement", "insert", "update", "writing_along"]
