"""Named rules of the database, read from the project's models so that none is missed.

Rules are what triggers refuse and the constraints in `Meta`, without those that a declaration says all of:
unique columns and the bounds of one field, of which a test would only be a second copy, and what Django gives
every field of a kind (foreign keys, NOT NULL, no negative number, ids).
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pgtrigger
from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, IntegrityError, InternalError
from django.db.models import BaseConstraint, Model, Q, UniqueConstraint

AnyModel = type[Model]


@dataclass(frozen=True)
class Rule(ABC):
    """A database rule on the table of a model."""

    name: str
    model: AnyModel

    @abstractmethod
    def is_broken_by(self, error: DatabaseError) -> bool:
        """Return whether PostgreSQL raised this error because of exactly this rule."""

    def rows(self) -> list[dict[str, Any]]:
        """Return the whole table."""
        return list(self.model._base_manager.order_by("pk").values())


@dataclass(frozen=True)
class ConstraintRule(Rule):
    """A check, a unique or an exclusion constraint of `Meta.constraints`."""

    def is_broken_by(self, error: DatabaseError) -> bool:
        diagnosed = _diagnosis(error)
        return isinstance(error, IntegrityError) and (
            (diagnosed.table_name, diagnosed.constraint_name)
            == (self.model._meta.db_table, self.name)
        )


@dataclass(frozen=True)
class TriggerRule(Rule):
    """A rule of a trigger, named by the constraint that it raises, or by the trigger.

    Attributes
    ----------
    function : str
        The function of the trigger in the database.
    is_named : bool
        Whether the body gives its error the name of the rule, as it would have a constraint.
    """

    function: str
    is_named: bool

    def is_broken_by(self, error: DatabaseError) -> bool:
        diagnosed = _diagnosis(error)
        # The innermost function stands first.
        raised_by = (diagnosed.context or "").partition("\n")[0]
        if f"function {self.function}()" not in raised_by:
            return False
        if self.is_named:
            return (
                isinstance(error, IntegrityError)
                and diagnosed.constraint_name == self.name
            )
        return isinstance(error, InternalError)


def rules_of_the_project() -> list[Rule]:
    """Return every rule of every model of the project's own apps."""
    models = models_of_the_project()
    # Its types speak of instances of models and mean their classes.
    triggers = cast("list[tuple[AnyModel, Any]]", pgtrigger.registered())
    return [
        *(rule for model in models for rule in _rules_of_table(model)),
        *(
            rule
            for model, trigger in triggers
            if model in models
            for rule in _rules_of_trigger(model, trigger)
        ),
    ]


def models_of_the_project() -> list[AnyModel]:
    """Return the models of the apps that stand in folders of this project."""
    return [
        model
        for app in apps.get_app_configs()
        if Path(settings.BASE_DIR, *app.name.split(".")).is_dir()
        for model in app.get_models()
    ]


def _rules_of_table(model: AnyModel) -> Iterator[Rule]:
    for constraint in model._meta.constraints:
        if not _says_all_of_itself(constraint):
            yield ConstraintRule(constraint.name, model)


def _says_all_of_itself(constraint: BaseConstraint) -> bool:
    """Return whether a constraint only makes columns unique or bounds one field."""
    if isinstance(constraint, UniqueConstraint):
        return not constraint.condition and not constraint.expressions
    condition = getattr(constraint, "condition", None)
    return (
        isinstance(condition, Q)
        and len(fields := list(_fields(condition))) <= 2
        and len(set(fields)) == 1
    )


def _fields(condition: Q) -> Iterator[str]:
    for child in cast("list[Any]", condition.children):
        if isinstance(child, Q):
            yield from _fields(child)
        else:
            yield (
                child[0].partition("__")[0] if isinstance(child, tuple) else repr(child)
            )
            if isinstance(child, tuple) and hasattr(child[1], "resolve_expression"):
                # Compared with what other fields hold.
                yield repr(child[1])


def _rules_of_trigger(model: AnyModel, trigger: Any) -> Iterator[TriggerRule]:
    body = str(trigger.render_func(model))
    function = trigger.get_pgid(model)
    named = re.findall(r"(?:CONSTRAINT = |ARRAY\[\s*)'(\w+)'", body)
    for name in named:
        yield TriggerRule(name, model, function, is_named=True)
    if body.count("RAISE EXCEPTION") > len(named):
        yield TriggerRule(trigger.name, model, function, is_named=False)


def _diagnosis(error: DatabaseError) -> Any:
    """Return PostgreSQL's diagnostics of an error: `constraint_name`, `table_name`, `context`."""
    return error.__cause__.diag  # type: ignore[union-attr]
