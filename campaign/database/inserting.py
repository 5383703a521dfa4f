"""Insert many rows of a model."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import models


def rows_insert(
    model: type[models.Model], rows: Sequence[Mapping[str, Any]], **same: Any
) -> list[int]:
    """Insert rows with these values by column, and values shared by all, and return their IDs in the same order."""
    manager: Any = model._meta.default_manager
    made = manager.bulk_create(model(**row, **same) for row in rows)
    return [row.pk for row in made]
