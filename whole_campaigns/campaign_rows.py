"""Find the rows of a campaign: the path of foreign keys from each model to it, and the parts to clone.

Cloning, erasing, deletion of tasks and campaign files use this.
"""

from collections.abc import Mapping
from enum import Enum
from graphlib import TopologicalSorter
from typing import Any, Final

from django.apps import apps
from django.db.models import Field, ForeignKey, Model, Q, QuerySet

from annotation import models as annotation
from campaign import models as campaign
from protocols import models as protocols
from ranking import models as ranking


class Part(Enum):
    """Part of a campaign that is cloned as a whole."""

    ALWAYS = "always"
    TEXTS = "texts"
    PEOPLE = "people"


_OF_TEXTS: Final = (
    campaign.TestSet,
    campaign.Task,
    campaign.Document,
    campaign.Segment,
    campaign.Reference,
    campaign.System,
    campaign.Output,
    campaign.BadReference,
    protocols.Snippet,
    protocols.SuggestedSpans,
    annotation.Design,
    annotation.TrainingBlock,
    annotation.TrainingCandidate,
    ranking.Metric,
    ranking.RankingSettings,
    ranking.StoppingRule,
)
_OF_PEOPLE: Final = (
    campaign.Membership,
    campaign.Judge,
    campaign.JudgeGroup,
    campaign.GroupMember,
)
_PARTS: Final[Mapping[type[Model], frozenset[Part]]] = {
    **dict.fromkeys(
        (campaign.Instructions, annotation.QualityRule),
        frozenset({Part.ALWAYS}),
    ),
    **dict.fromkeys(_OF_TEXTS, frozenset({Part.TEXTS})),
    **dict.fromkeys(_OF_PEOPLE, frozenset({Part.PEOPLE})),
    campaign.ConflictOfInterest: frozenset({Part.TEXTS, Part.PEOPLE}),
}
_JUDGES: Final = Q(
    external_id="",
    origin=campaign.Judge.Origin.PERSON,
    withdrawn_at=None,
    declined_at=None,
)
#: Conditions of the rows in clones and campaign files, for tables where these are not all.
ONLY: Final[Mapping[type[Model], Q]] = {
    # Without judges from files, simulations and panels, and those who have left.
    campaign.Judge: _JUDGES,
    campaign.JudgeGroup: Q(removed_at=None),
    campaign.GroupMember: Q(judge__in=campaign.Judge.objects.filter(_JUDGES)),
    campaign.Output: Q(replaced_at=None),
    annotation.Design: ~Q(kind=annotation.Design.Kind.IMPORTED),
    annotation.QualityRule: Q(switched_off_at=None),
}


def _parents(model: type[Model]) -> dict[str, type[Model]]:
    """Return the tables that a table depends on, by foreign key."""
    parents: dict[str, type[Model]] = {}
    for field in _foreign_keys(model):
        parent = field.related_model
        if parent is model:
            continue
        if not field.null or parent is campaign.Campaign:
            parents[field.name] = parent
    return parents


def _foreign_keys(model: type[Model]) -> list["ForeignKey[Any, Any]"]:
    return [field for field in columns(model) if isinstance(field, ForeignKey)]


def _path(model: type[Model], goal: type[Model]) -> str | None:
    """Return the shortest path of foreign keys from one table to another; None if there is none."""
    paths = {model: ""}
    queue = [model]
    for child in queue:
        for name, parent in _parents(child).items():
            if parent not in paths:
                paths[parent] = f"{paths[child]}__{name}".removeprefix("__")
                queue.append(parent)
    return paths.get(goal)


def _path_to_campaign(model: type[Model]) -> str | None:
    """Return the path of a table to its campaign, through its task if it depends on one."""
    if model in {annotation.Exposure, annotation.Skip}:
        return "judge__campaign"  # their foreign keys to tasks have no index
    to_task = _path(model, campaign.Task)
    if to_task is not None:
        return f"{to_task}__test_set__campaign".removeprefix("__")
    if model is campaign.Campaign:
        return "pk"
    return _path(model, campaign.Campaign)


def _paths_to_campaign() -> dict[type[Model], str]:
    """Return the path to its campaign of each table that has one."""
    paths = {}
    for app in ("campaign", "annotation", "protocols", "ranking"):
        for model in apps.get_app_config(app).get_models():
            path = _path_to_campaign(model)
            if path is not None and not model._meta.proxy:
                paths[model] = path
    return paths


def _preceding_tables(model: type[Model]) -> list[type[Model]]:
    """Return the tables that must precede a table; for cloned tables, also targets of optional keys."""
    before = list(_parents(model).values())
    if model in _PARTS:
        for field in _foreign_keys(model):
            if field.related_model in _PARTS:
                before.append(field.related_model)
    return [parent for parent in before if parent is not model]


def columns(model: type[Model]) -> list["Field[Any, Any]"]:
    """Return the fields with columns, in the order of `campaign_rows`."""
    return list(model._meta.concrete_fields)


_PATHS: Final = _paths_to_campaign()
_ORDER: Final = TopologicalSorter({model: _preceding_tables(model) for model in _PATHS})
#: All tables of campaigns, parents first. Users and their sessions belong to no campaign.
TABLES: Final[tuple[type[Model], ...]] = tuple(
    model for model in _ORDER.static_order() if model in _PATHS
)
#: Parts that a cloned table belongs to; in the order of `TABLES`.
CLONED: Final = {model: _PARTS[model] for model in TABLES if model in _PARTS}


def campaign_rows(model: type[Model], campaign_id: int) -> QuerySet[Any, Any]:
    """Return the rows of a campaign in a table as tuples of columns, ordered by key."""
    return _rows(model, campaign_id).values_list(
        *(field.attname for field in columns(model)),
    )


def rows_taken(model: type[Model], campaign_id: int) -> QuerySet[Any, Any]:
    """Return the rows for clones and files of a campaign in a table, ordered by key."""
    return _rows(model, campaign_id).filter(ONLY.get(model, Q()))


def _rows(model: type[Model], campaign_id: int) -> QuerySet[Any, Any]:
    rows = model._meta.base_manager.filter(**{_PATHS[model]: campaign_id})
    return rows.order_by("pk")


def test_set_path(model: type[Model]) -> str | None:
    """Return the lookup from a table to the test set of its rows; None for test sets, and if they have none."""
    return _path(model, campaign.TestSet) or None


def task_path(model: type[Model]) -> str | None:
    """Return the lookup from a table to the task of its rows; None if they have none."""
    parts = _PATHS[model].split("__")
    if "task" in parts:
        return "__".join(parts[: parts.index("task") + 1])
    return None
