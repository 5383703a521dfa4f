"""How many outputs of each system could be edited into acceptable text: a report, asked for by page, REST and command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaign.models import Protocol, Task
from protocols.editing.files import EditsRead, TaskEdits, task_edits
from protocols.editing.statistics import (
    FEWEST_EDITS,
    FEWEST_TESTED,
    Acceptability,
    Counting,
    EditedSystem,
    acceptability,
)
from ranking.analyses import AnalysisKind, Begin, Option
from ranking.analyses.common import CONFIDENCE
from ranking.analyses.judgments import ChosenJudgments
from ranking.code_version import code_version
from ranking.core.scores import Shortage
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.plots import Plot
from ranking.reports.tables import Column, Report, Table
from ranking.wording.agreement import kappa_shown
from ranking.wording.not_yet import shortages_in_words
from ranking.wording.numbers import decimals, percent_in_figures


def edits_report(read: EditsRead, found: Acceptability) -> Report:
    """Tell how many edits of each system are acceptable; no percentage of few."""
    return Report(
        notes=_notes(read, found),
        tables=[_systems(found), _effort(found), _pairs(found)],
        data={
            "input": {
                "files": [{"name": file.name, "sha256": file.sha256} for file in read.files],
                "edits": len(read.edits),
                "segments": len(set(read.edits.segment.tolist())),
                "editors": read.editors,
                "acceptors": read.acceptors,
                "own_segment": read.own_segment,
            },
            "acceptability": found,
            "version": code_version(),
        },
    )


def task_edits_report(given: Input, found: Acceptability) -> Report:
    """Tell the same of the edits of a task."""
    read: TaskEdits = given.answers
    notes = _notes(read, found)
    accepted, asked = read.uncorrected
    if asked:
        notes.append(
            _("Outputs that nobody could correct were accepted as they are: %(counted)s.")
            % {"counted": _counted(accepted, asked)}
        )
    return Report(
        notes=[*input_notes(given), *notes],
        tables=[_systems(found), _effort(found), _pairs(found)],
        data={
            "input": {
                **input_data(given),
                "edits": len(read.edits),
                "editors": read.editors,
                "acceptors": read.acceptors,
                "uncorrected": {"accepted": accepted, "asked": asked},
            },
            "acceptability": found,
            "version": code_version(),
        },
    )


def _notes(read: EditsRead | TaskEdits, found: Acceptability) -> list[str]:
    number = found.number
    notes = [
        _("Edits: %(edits)s; editors: %(editors)s; acceptors: %(acceptors)s.")
        % {
            "edits": number_format(len(read.edits)),
            "editors": number_format(read.editors),
            "acceptors": number_format(read.acceptors),
        },
        _("Edits a system: %(least)s to %(most)s, mean %(mean)s ± %(deviation)s.")
        % {
            "least": number_format(number.least),
            "most": number_format(number.most),
            "mean": decimals(number.mean, 1),
            "deviation": "–" if number.deviation is None else decimals(number.deviation, 1),
        },
    ]
    if any(row.share is None for row in found.systems):
        notes.append(
            ngettext(
                "Systems with fewer than %(count)d edit have no percentage and no rank: so few say too little.",
                "Systems with fewer than %(count)d edits have no percentage and no rank: so few say too little.",
                found.fewest,
            )
            % {"count": found.fewest}
        )
    if alone := read.edits.of_one_editor:
        notes.append(
            _(
                "Warning: one judge alone edited outputs of %(systems)s, so that how judges differ is not in these intervals."
            )
            % {"systems": ", ".join(alone)}
        )
    kappa = kappa_shown(found.acceptors.kappa, found.acceptors.p_chance)
    if kappa is not None:
        notes.append(
            _("Between those who accepted: κ %(kappa)s on %(edits)s edits.")
            % {
                "kappa": kappa if isinstance(kappa, str) else decimals(kappa, 2),
                "edits": number_format(found.acceptors.edits),
            }
        )
    if isinstance(read, EditsRead) and read.own_segment:
        notes.append(
            _(
                "Warning: acceptances by judges who edited the same segment of another system: %(count)s."
            )
            % {"count": number_format(read.own_segment)}
        )
    return notes


def _counted(acceptable: int, decided: int) -> str:
    return _("%(done)s of %(asked)s") % {
        "done": number_format(acceptable),
        "asked": number_format(decided),
    }


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _systems(found: Acceptability) -> Table:
    return Table(
        name="systems",
        title=_("Acceptable edits"),
        columns=(
            Column("system", _("System"), is_text=True, names="system"),
            Column("acceptable", _("Acceptable"), is_text=True),
            Column("percent", "%", decimals=1),
            Column("low", _("From"), decimals=1),
            Column("high", _("To"), decimals=1),
            Column("rank", _("Rank")),
            Column("rank_low", _("From")),
            Column("rank_high", _("To")),
            Column("cluster", _("Cluster")),
            Column("edited", _("Edited"), is_text=True),
            Column("unchanged", _("Unchanged"), is_text=True),
            Column("unable", _("Unable")),
            Column("split", _("Split")),
            Column("open", _("Undecided")),
        ),
        rows=[
            (
                row.system,
                _counted(row.acceptable, row.decided),
                *_interval(row),
                row.rank,
                row.rank_low,
                row.rank_high,
                row.cluster,
                _counted(*row.by_outcome["edited"]),
                _counted(*row.by_outcome["unchanged"]),
                row.unable,
                row.split,
                row.open,
            )
            for row in found.systems
        ],
        notes=[
            _(
                "What nobody could edit is not acceptable. Intervals: Clopper and Pearson on the effective number of edits, segments and editors as clusters, confidence %(confidence)s %%."
            )
            % {"confidence": percent_in_figures(found.confidence)},
            *_counting(found.counting),
        ],
        plot=Plot(kind="intervals", label="system", value="percent", low="low", high="high"),
    )


def _counting(counting: Counting) -> list[str]:
    if counting is Counting.MAJORITY:
        return [_("An edit is acceptable if more than half of those who read it say so.")]
    return [
        _("The percentage counts each acceptance by itself."),
        _("Ranks have no ranges, because the tests are of majorities."),
    ]


def _interval(row: EditedSystem) -> tuple[float | None, float | None, float | None]:
    share = row.share
    if share is None:
        return None, None, None
    return _percent(share.value), _percent(share.low), _percent(share.high)


def _effort(found: Acceptability) -> Table:
    return Table(
        name="effort",
        title=_("Work of the editors"),
        columns=(
            Column("system", _("System"), is_text=True, names="system"),
            Column("edits", _("Edits")),
            Column("unchanged", _("Unchanged, %"), decimals=1),
            Column("characters", _("Characters changed in 100"), decimals=1),
            Column("median_seconds", _("Seconds"), decimals=1),
        ),
        rows=[
            (
                row.system,
                row.edits,
                _percent(row.share_unchanged),
                row.characters,
                row.median_seconds,
            )
            for row in found.systems
        ],
    )


def _pairs(found: Acceptability) -> Table:
    return Table(
        name="pairs",
        title=_("Pairs of systems: Fisher’s exact test"),
        columns=(
            Column("first", _("System"), is_text=True, names="system"),
            Column("first_acceptable", _("Acceptable"), is_text=True),
            Column("second", _("System"), is_text=True, names="other"),
            Column("second_acceptable", _("Acceptable"), is_text=True),
            Column("p", _("p")),
            Column("adjusted_p", _("Corrected p")),
        ),
        rows=[
            (
                pair.first,
                _counted(*pair.counts[:2]),
                pair.second,
                _counted(*pair.counts[2:]),
                pair.p_value,
                pair.adjusted_p,
            )
            for pair in found.pairs
        ],
        keys=3,
        notes=[
            _("Two-sided, corrected by Holm; edits are taken for independent."),
            *shortages_in_words(
                {
                    row.system: Shortage("edits", row.decided, FEWEST_TESTED)
                    for row in found.systems
                    if row.decided < FEWEST_TESTED
                },
                len(found.systems),
            ),
        ],
    )


FEWEST = Option(
    name="fewest",
    label=gettext_lazy("Fewest edits"),
    default=FEWEST_EDITS,
    low=1,
    high=10_000,
    help=gettext_lazy("Systems with fewer have no percentage and no rank."),
)
ACCEPTANCES = Option(
    name="acceptances",
    label=gettext_lazy("Several acceptances of an edit"),
    default=Counting.MAJORITY.value,
    choices={
        Counting.MAJORITY.value: gettext_lazy("by majority"),
        Counting.MEAN.value: gettext_lazy("each by itself"),
    },
)


def _read(
    task: Task, watermark: int, judgments: ChosenJudgments, _options: Mapping[str, Any]
) -> TaskEdits:
    return task_edits(task=task, watermark=watermark, chosen=judgments)


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> Acceptability:
    begin(_("Counting"))
    edits: TaskEdits = given.answers
    if not len(edits.edits):
        raise ValueError(_("No judgment counts by this choice."))
    return acceptability(
        edits.edits,
        fewest=options[FEWEST.name],
        counting=Counting(options[ACCEPTANCES.name]),
        confidence=options[CONFIDENCE.name],
    )


def _tell(given: Input, _options: Mapping[str, Any], found: Acceptability) -> Report:
    return task_edits_report(given, found)


ANALYSIS = AnalysisKind(
    name="editing",
    title=gettext_lazy("Acceptable edits"),
    question=gettext_lazy("How many outputs of each system could be edited into acceptable text?"),
    options=(FEWEST, ACCEPTANCES, CONFIDENCE),
    protocols=frozenset({Protocol.EDITING}),
    stands_for_ranking=True,
    read=_read,
    find=_find,
    tell=_tell,
)
