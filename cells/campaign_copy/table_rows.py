"""The rows of tables over test sets, each over the systems as its test set calls them in a static copy."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from campaign.models import Task
from cells.campaign_copy.counted import CountedJudges
from cells.campaign_copy.naming import CopiedNames
from cells.campaign_copy.rankings import names_check, untold
from cells.campaign_copy.renaming import renamed_input
from ranking.analyses.judgments import recorded_judgments
from ranking.campaign_tables import TableKind
from ranking.campaign_tables.test_sets import (
    NO_JUDGMENT,
    NOT_RANKED,
    RankedTestSet,
    TableRow,
    TableTestSet,
    recorded_test_set,
)
from ranking.range_choices import recorded_choice
from ranking.selectors.chosen_judgments import stored_input


@dataclass(frozen=True, slots=True)
class CopiedTaskNames:
    """A test set of the campaign, what its systems are called in the copy, and who counts in it.

    `present` is the content of its present ranking; None without one.
    """

    task: Task
    names: CopiedNames
    counted: CountedJudges
    present: Mapping[str, Any] | None = None


# --- Other names --------------------------------------------------------------------------------


def renamed_row(row: TableRow, tasks: Mapping[int, CopiedTaskNames]) -> TableRow:
    """Return a row of a table of what is stored anyway.

    Where a system has a letter, its ranking is the present one over letters, as on its page: the stored one orders
    equal scores by the names that nobody is told.
    """
    copied = tasks.get(row.test_set.pk)
    if copied is None:  # the total
        return row
    task = _renamed_task(row.test_set, copied)
    if not isinstance(row.found, RankedTestSet):
        return replace(row, test_set=task)
    if not copied.names.has_letters or not row.found.systems:
        return replace(row, test_set=task, found=_renamed_ranking(row.found, copied))
    if copied.present is None:  # ranked since the copy was begun
        return TableRow(replace(task, watermark=0), None, NOT_RANKED)
    task = replace(task, watermark=copied.present["method"]["watermark"])
    return replace(row, test_set=task, found=_present_ranking(copied.present))


def _present_ranking(content: Mapping[str, Any]) -> RankedTestSet:
    ranking, method = content["ranking"], content["method"]
    return RankedTestSet(
        method=method["name"],
        choice=recorded_choice(method["parameters"]),
        systems=ranking["systems"],
        not_estimable=ranking["not_estimable"],
        groups=ranking["groups"],
        limits=ranking["limits"],
        counts=ranking["input"],
    )


def _renamed_task(task: TableTestSet, copied: CopiedTaskNames) -> TableTestSet:
    names_check(task.name, [each.name for each in task.systems], copied.names)
    systems = [replace(each, name=copied.names.labels[each.name]) for each in task.systems]
    return replace(task, systems=tuple(sorted(systems, key=lambda each: each.name)))


def _renamed_ranking(found: RankedTestSet, copied: CopiedTaskNames) -> RankedTestSet:
    """Return a ranking in the order of ranks: that of names would tell names."""
    labels = copied.names.labels
    rows = [*found.systems, *found.not_estimable]
    names_check(copied.task.test_set.name, [each["system"] for each in rows], copied.names)
    ranked = [labels[each["system"]] for each in found.systems]
    groups = [sorted((labels[name] for name in group), key=ranked.index) for group in found.groups]
    return replace(
        found,
        systems=[{**each, "system": labels[each["system"]]} for each in found.systems],
        not_estimable=sorted(
            ({**each, "system": labels[each["system"]]} for each in found.not_estimable),
            key=lambda each: str(each["system"]),
        ),
        groups=sorted(groups, key=lambda group: ranked.index(group[0])),
    )


def computed_row(
    kind: TableKind,
    options: Mapping[str, Any],
    recorded: Mapping[str, Any],
    tasks: Mapping[int, CopiedTaskNames],
) -> TableRow:
    """Compute what is told of one test set from what the table recorded, as a worker does, over other names."""
    values = dict(recorded)
    judgments = values.pop("judgments")
    row = recorded_test_set(values)
    found = tasks[row.pk]
    task = _renamed_task(row, found)
    if judgments is None:
        return TableRow(task, None, NO_JUDGMENT)
    chosen = recorded_judgments(judgments)
    assert kind.find is not None  # noqa: S101  tables without are never asked for
    try:
        given = stored_input(
            task=found.task,
            watermark=row.watermark,
            chosen=chosen,
            languages=(row.source, row.target),
        )
        given = renamed_input(given, found.names.labels)
        return TableRow(task, kind.find(task, given, options, untold), rule=chosen.rule)
    except ValueError as error:
        return TableRow(task, None, str(error), rule=chosen.rule)


# --- Tables in which a name is one system in all test sets ----------------------------------------


def unnamed_systems(tasks: Collection[CopiedTaskNames]) -> frozenset[str]:
    """Return the systems that some test set does not name."""
    return frozenset(
        name for each in tasks for name, label in each.names.labels.items() if name != label
    )


def row_without(
    row: TableRow, unnamed: Collection[str], tasks: Mapping[int, CopiedTaskNames]
) -> TableRow | None:
    """Return a row without these systems, whatever they are called in it; None if all that are ranked are among them.

    A letter means another system in each test set, and side by side, a letter in one and a name in the others
    would tell whose it is. Ranks stay as they are.
    """
    if row.found is None:
        return row
    labels = tasks[row.test_set.pk].names.labels
    dropped = {labels[name] for name in unnamed if name in labels}
    is_ranking = isinstance(row.found, RankedTestSet)
    ranking: RankedTestSet = row.found if is_ranking else row.found.ranking
    kept = [each for each in ranking.systems if each["system"] not in dropped]
    if ranking.systems and not kept:
        return None
    ranking = replace(ranking, systems=kept)
    return replace(row, found=ranking if is_ranking else replace(row.found, ranking=ranking))
