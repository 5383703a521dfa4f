"""Registry of breakages: for each database rule, rows that it refuses and accepts."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import IntegrityError, InternalError, connection, transaction

from tests.integration.constraints.rules import Rule

Fields = dict[str, Any]
Create = Callable[..., object]


class Attempt:
    """Attempts to break one rule. Each is rolled back, so attempts are independent."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.refused = 0
        self.accepted = 0

    @contextmanager
    def refuses(self, saying: str | None = None) -> Iterator[None]:
        """Assert that PostgreSQL refuses this block by exactly this rule, and stores nothing.

        `saying`: a pattern for the message, where it matters too.
        """
        connection.check_constraints()
        before = self.rule.rows()
        with (
            pytest.raises((IntegrityError, InternalError), match=saying) as refusal,
            _to_the_end(),
        ):
            yield
        assert self.rule.is_broken_by(refusal.value), (
            f"refused, but by another: {refusal.value}"
        )
        assert self.rule.rows() == before
        self.refused += 1

    @contextmanager
    def accepts(self) -> Iterator[None]:
        """Assert that PostgreSQL accepts this block, including deferred checks."""
        with transaction.atomic():
            with _to_the_end():
                yield
            transaction.set_rollback(True)
        self.accepted += 1


@contextmanager
def _to_the_end() -> Iterator[None]:
    """Run a block and check deferred constraints, as at the end of its transaction."""
    with transaction.atomic():
        yield
        connection.check_constraints()


Breakage = Callable[[Attempt], None]
BREAKAGES: dict[str, Breakage] = {}


def breaks(name: str) -> Callable[[Breakage], Breakage]:
    """Register a function that breaks the rule `name` and does something similar that is allowed."""

    def enter(breakage: Breakage) -> Breakage:
        assert name not in BREAKAGES, f"{name} stands in the table twice"
        BREAKAGES[name] = breakage
        return breakage

    return enter


def breaks_by_fields(
    name: str,
    arrange: Callable[[], Create],
    *refused: Fields,
    accepted: Fields | None = None,
) -> None:
    """Register a breakage by rows with wrong fields.

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
