"""Rows shared by the tests of a module: created once and restored for each test."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

Made = TypeVar("Made")


def same_bits(bits: int) -> int:
    """Stand-in for `secrets.randbits` with fixed results."""
    return 20111208 % (1 << bits)


@contextmanager
def shared_rows(blocker: DjangoDbBlocker, make: Callable[[], Made]) -> Iterator[Made]:
    """Create rows in a transaction around the module's tests, each of which is rolled back.

    All of these tests find them, whether they ask or not. Not for modules with a test of real transactions, which
    would find none.
    """
    around = transaction.atomic()
    # Like the transaction of a test: what must not begin inside another one may begin inside this one.
    around._from_testcase = True  # type: ignore[attr-defined]
    with blocker.unblock(), around:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("secrets.randbits", same_bits)
            made = make()
        yield made
        transaction.set_rollback(True)
