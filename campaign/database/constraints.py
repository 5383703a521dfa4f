"""Check constraints that several models have."""

from collections.abc import Iterable

from django.db.models import CheckConstraint, Q


def is_one_of(field: str, values: Iterable[str], *, name: str) -> CheckConstraint:
    """Return the constraint `name` that a field has one of the values, such as those of its choices."""
    return CheckConstraint(
        condition=Q(**{f"{field}__in": [str(value) for value in values]}), name=name
    )
