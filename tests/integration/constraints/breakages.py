"""The table of breakages: for each rule of the database, how it is broken and what it allows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import IntegrityError, InternalError, connection, transaction

from tests.integration.constraints.rules import Rule

Fields = dict[str, Any]
Create = Callable[..., object]


class Attempt:
    """Tries things on one rule. Whatever is tried is taken back, so tries do not meet."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.refused = 0
        self.accepted = 0

    @contextmanager
    def refuses(self, saying: str | None = None) -> Iterator[None]:
        """Assert that PostgreSQL refuses what is done here by exactly this rule, and keeps nothing.

        `saying`: a pattern for the message, where it matters too.
        """
        connection.check_constraints()
        before = self.rule.rows()
        with (
            pytest.raises((IntegrityError, InternalError), match=saying) as refusal,
            _to_the_end(),
        ):
            yield
        assert self.rule.is_broken_by(refusal.value), f"refused, but by another: {refusal.value}"
        assert self.rule.rows() == before
        self.refused += 1

    @contextmanager
    def accepts(self) -> Iterator[None]:
        """Assert that PostgreSQL accepts what is done here, to the end of the transaction."""
        with transaction.atomic():
            with _to_the_end():
                yield
            transaction.set_rollback(True)
        self.accepted += 1


@contextmanager
def _to_the_end() -> Iterator[None]:
    """Do something as if its transaction ended with it: deferred rules are checked, too."""
    with transaction.atomic():
        yield
        connection.check_constraints()


Breakage = Callable[[Attempt], None]
BREAKAGES: dict[str, Breakage] = {}


def breaks(name: str) -> Callable[[Breakage], Breakage]:
    """Enter a function that breaks the rule `name`, and does something near it that is allowed."""

    def enter(breakage: Breakage) -> Breakage:
        assert name not in BREAKAGES, f"{name} stands in the table twice"
        BREAKAGES[name] = breakage
        return breakage

    return enter


def breaks_by_fields(
    name: str, arrange: Callable[[], Create], *refused: Fields, accepted: Fields | None = None
) -> None:
    """Enter a breakage that is a row with the wrong fields.

    Parameters
    ----------
    name : str
        Of the rule.
    arrange : callable
        Makes a world; returns what creates one more valid row, some of its fields replaced.
    refused : dict
        Fields that the rule refuses, each time in a row that is valid otherwise.
    accepted : dict, optional
        Fields that it does not refuse; without them, the row as it is.
    """

    def breakage(attempt: Attempt) -> None:
        create = arrange()
        for fields in refused:
            with attempt.refuses():
                create(**fields)
        with attempt.accepts():
            create(**(accepted or {}))

    breaks(name)(breakage)
