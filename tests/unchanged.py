"""Check that a refusal changes no row."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.apps import apps

#: A session notes which test set was looked at; that is no part of a campaign.
_OF_A_VISIT = {"campaign.Session"}


def rows_of_all_tables() -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of all our tables by primary key."""
    return {
        model._meta.label: list(model._base_manager.order_by("pk").values_list())
        for app in ("campaign", "annotation", "ranking")
        for model in apps.get_app_config(app).get_models()
        if model._meta.label not in _OF_A_VISIT
    }


@contextmanager
def nothing_changes() -> Iterator[None]:
    """Fail if a row is added, changed or deleted in this block."""
    before = rows_of_all_tables()
    yield
    assert rows_of_all_tables() == before
