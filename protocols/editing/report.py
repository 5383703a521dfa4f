"""Report on the acceptability of edited outputs by system, for page, REST and command."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaign.models import Protocol, Task
from protocols.editing.files import EditsRead, read_edits, task_edits
from protocols.editing.statistics import (
    FEWEST_EDITS,
    FEWEST_TESTED,
    Acceptability,
    Counting,
    EditedSystem,
    Edits,
    acceptability,
)
from protocols.frame.tables import files_data, one_judge_notes, report_of_answers
from ranking.analyses.kind import AnalysisKind, Begin, ChosenJudgments
from ranking.analyses.options import CONFIDENCE, Option, OptionError
from ranking.core.judges.shares import Share
from ranking.core.scores import Shortage
from ranking.files.sources import ReadingProgress
from ranking.reports.inputs import AnswersOfFiles, Input
from ranking.reports.tables import Column, Plot, Report, Table
from ranking.wording.agreement import kappa_shown
from ranking.wording.methods import shortages_in_words
from ranking.wording.numbers import decimals, percent_in_figures


def _tell(
    given: Input | AnswersOfFiles, _options: Mapping[str, Any], found: Acceptability
) -> Report:
    """Report the acceptable edits of each system; no percentage of few."""
    read: EditsRead = given.answers
    accepted, asked = read.uncorrected
    return report_of_answers(
        given=given,
        of_files={
            "files": files_data(read.files),
            "edits": len(read.edits),
            "segments": len(set(read.edits.segment.tolist())),
        },
        counted={
            "edits": len(read.edits),
            "editors": read.editors,
            "acceptors": read.acceptors,
            **(
                {"own_segment": read.own_segment}
                if read.files
                else {"uncorrected": {"accepted": accepted, "asked": asked}}
            ),
        },
        notes=_notes(read, found),
        tables=[_systems(found), _effort(found), _pairs(found)],
        data={"acceptability": found},
    )


def _notes(read: EditsRead, found: Acceptability) -> list[str]:
    number = found.number
    notes = [
        _("Edits: %(edits)s; editors: %(editors)s; acceptors: %(acceptors)s.")
        % {
            "edits": number_format(len(read.edits)),
            "editors": number_format(read.editors),
            "acceptors": number_format(read.acceptors),
        },
        _("Edits per system: %(least)s to %(most)s, mean %(mean)s ± %(deviation)s.")
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
                "Systems with fewer than %(count)d edit have no percentage and no rank.",
                "Systems with fewer than %(count)d edits have no percentage and no rank.",
                found.fewest,
            )
            % {"count": found.fewest}
        )
    notes += one_judge_notes(read.edits.systems, read.edits.wrote, read.edits.editor)
    kappa = kappa_shown(found.acceptors.kappa, found.acceptors.p_chance)
    if kappa is not None:
        notes.append(
            _("Agreement between acceptors: κ %(kappa)s on %(edits)s edits.")
            % {
                "kappa": kappa if isinstance(kappa, str) else decimals(kappa, 2),
                "edits": number_format(found.acceptors.edits),
            }
        )
    if read.own_segment:
        notes.append(
            _(
                "Warning: acceptances by judges who edited another output of the same segment: %(count)s."
            )
            % {"count": number_format(read.own_segment)}
        )
    if read.uncorrected[1]:
        notes.append(
            _("Uncorrected outputs accepted unchanged: %(counted)s.")
            % {"counted": _counted(*read.uncorrected)}
        )
    return notes


def _of_outcome(outcome: str) -> Callable[[EditedSystem], str]:
    return lambda row: _counted(*row.by_outcome[outcome])


def _counted(acceptable: int, decided: int) -> str:
    return _("%(done)s of %(asked)s") % {
        "done": number_format(acceptable),
        "asked": number_format(decided),
    }


def _percent(share: Share | None, number: str) -> float | None:
    value = None if share is None else getattr(share, number)
    return None if value is None else 100 * value


def _systems(found: Acceptability) -> Table:
    return Table.of(
        found.systems,
        name="systems",
        title=_("Acceptable edits"),
        columns=(
            Column("system", _("System"), is_text=True, names="system"),
            Column(
                "acceptable",
                _("Acceptable"),
                is_text=True,
                of=lambda row: _counted(row.acceptable, row.decided),
            ),
            Column("percent", "%", decimals=1, of=lambda row: _percent(row.share, "value")),
            Column("low", _("From"), decimals=1, of=lambda row: _percent(row.share, "low")),
            Column("high", _("To"), decimals=1, of=lambda row: _percent(row.share, "high")),
            Column("rank", _("Rank")),
            Column("rank_low", _("From")),
            Column("rank_high", _("To")),
            Column("cluster", _("Cluster")),
            *(
                Column(outcome, heading, is_text=True, of=_of_outcome(outcome))
                for outcome, heading in (("edited", _("Edited")), ("unchanged", _("Unchanged")))
            ),
            Column("unable", _("Unable")),
            Column("split", _("Split")),
            Column("open", _("Undecided")),
        ),
        notes=[
            _(
                "Outputs that could not be edited count as not acceptable. Intervals: Clopper–Pearson on the effective number of edits, clustered by segment and editor (%(confidence)s%% confidence)."
            )
            % {"confidence": percent_in_figures(found.confidence)},
            *_counting(found.counting),
        ],
        plot=Plot(kind="intervals", label="system", value="percent", low="low", high="high"),
    )


def _counting(counting: Counting) -> list[str]:
    if counting is Counting.MAJORITY:
        return [_("An edit is acceptable if more than half of its acceptors say so.")]
    return [
        _("The percentage counts every acceptance separately."),
        _("Ranks have no ranges, because the tests compare majorities."),
    ]


def _effort(found: Acceptability) -> Table:
    return Table.of(
        found.systems,
        name="effort",
        title=_("Editing effort"),
        columns=(
            Column("system", _("System"), is_text=True, names="system"),
            Column("edits", _("Edits")),
            Column(
                "unchanged",
                _("Unchanged, %"),
                decimals=1,
                of=lambda row: None if row.share_unchanged is None else 100 * row.share_unchanged,
            ),
            Column("characters", _("Characters changed per 100"), decimals=1),
            Column("median_seconds", _("Seconds"), decimals=1),
        ),
    )


def _pairs(found: Acceptability) -> Table:
    return Table.of(
        found.pairs,
        name="pairs",
        title=_("Pairs of systems: Fisher’s exact test"),
        columns=(
            Column("first", _("System"), is_text=True, names="system"),
            Column(
                "first_acceptable",
                _("Acceptable"),
                is_text=True,
                of=lambda pair: _counted(*pair.counts[:2]),
            ),
            Column("second", _("System"), is_text=True, names="other"),
            Column(
                "second_acceptable",
                _("Acceptable"),
                is_text=True,
                of=lambda pair: _counted(*pair.counts[2:]),
            ),
            Column("p", _("p"), of=lambda pair: pair.p_value),
            Column("adjusted_p", _("Corrected p")),
        ),
        keys=3,
        notes=[
            _("Two-sided, Holm-corrected; assumes independent edits."),
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
    label=gettext_lazy("Minimum edits"),
    default=FEWEST_EDITS,
    low=1,
    high=10_000,
)
ACCEPTANCES = Option(
    name="acceptances",
    label=gettext_lazy("Several acceptances per edit"),
    default=Counting.MAJORITY.value,
    choices={
        Counting.MAJORITY.value: gettext_lazy("majority"),
        Counting.MEAN.value: gettext_lazy("each counted separately"),
    },
)


def _read(
    task: Task, watermark: int, judgments: ChosenJudgments, _options: Mapping[str, Any]
) -> EditsRead:
    return task_edits(task=task, watermark=watermark, chosen=judgments)


def _find(given: Input | AnswersOfFiles, options: Mapping[str, Any], begin: Begin) -> Acceptability:
    begin(_("Counting"))
    edits: Edits = given.answers.edits
    if not len(edits):
        raise ValueError(_("No judgments match these options."))
    return acceptability(
        edits,
        fewest=options[FEWEST.name],
        counting=Counting(options[ACCEPTANCES.name]),
        confidence=options[CONFIDENCE.name],
    )


def _read_files(
    names: Sequence[str],
    _options: Mapping[str, Any],
    excluded: Sequence[str],
    progress: ReadingProgress,
) -> EditsRead:
    if excluded:
        raise OptionError("judges cannot be excluded from edits.", field="exclude_judge")
    return read_edits(names, progress=progress)


ANALYSIS = AnalysisKind(
    name="editing",
    title=gettext_lazy("Acceptable edits"),
    question=gettext_lazy("How often can each system's output be edited into acceptable text?"),
    options=(FEWEST, ACCEPTANCES, CONFIDENCE),
    protocols=frozenset({Protocol.EDITING}),
    stands_for_ranking=True,
    read=_read,
    find=_find,
    tell=_tell,
    read_files=_read_files,
)
