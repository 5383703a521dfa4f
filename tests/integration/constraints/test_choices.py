"""Check constraints allow the values that a field offers, all of them and no others.

Also where a constraint has them from the numeric core, or names a few of them.
"""

from collections.abc import Iterator
from typing import Any, cast

import pytest
from django.db.models import CheckConstraint, Field, Q

from tests.integration.constraints.rules import AnyModel, models_of_the_project

FIELDS = [
    pytest.param(model, field, id=f"{model._meta.label}.{field.name}")
    for model in models_of_the_project()
    for field in model._meta.local_fields
    if field.choices
]


@pytest.mark.parametrize(("model", "field"), FIELDS)
def test_constraints_know_the_choices_of_a_field(
    model: AnyModel,
    field: "Field[Any, Any]",
) -> None:
    offered = {value for value, _label in field.flatchoices} | (
        {""} if field.blank else set()
    )
    conditions = [
        constraint.condition
        for constraint in model._meta.constraints
        if isinstance(constraint, CheckConstraint)
        and isinstance(constraint.condition, Q)
    ]
    compared = [list(_values(condition, field.name)) for condition in conditions]
    assert {value for values in compared for value in values} == offered
    # A constraint over nothing but the field says all of it.
    for condition, values in zip(conditions, compared, strict=True):
        if condition.children and all(
            _is_about(child, field.name) for child in condition.children
        ):
            assert set(values) == offered


def _values(condition: Q, name: str) -> Iterator[str]:
    """Yield the values that a condition compares a field with, negated or not."""
    for child in cast("list[Any]", condition.children):
        if isinstance(child, Q):
            yield from _values(child, name)
        elif _is_about(child, name):
            lookup, value = child
            yield from value if lookup.endswith("__in") else [value]


def _is_about(child: Any, name: str) -> bool:
    """Return whether part of a condition compares the field with values, and is no condition."""
    return isinstance(child, tuple) and child[0] in (name, f"{name}__in")
