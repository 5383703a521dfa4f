"""Report on the robustness of first place: the judgments that decide it, and the winner without each unit."""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import NamedTuple, TypedDict

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ranking.core.counting.counts import compared_groups
from ranking.core.firmness.fewest_blocks import FewestBlocks, fewest_blocks
from ranking.core.firmness.without_each import LeftOut, WithoutEach, without_each
from ranking.core.methods.method import CountsMethod, Method
from ranking.core.methods.registry import METHODS, counts_method_named
from ranking.reports.analyses.kind import AnalysisKind, Begin, Need, converging
from ranking.reports.analyses.options import METHOD, AnalysisOptions
from ranking.reports.inputs import Input, report_on
from ranking.reports.plots import IntervalPlot
from ranking.reports.tables import (
    Column,
    Named,
    Report,
    Table,
    judge_column,
    swap_columns,
)
from ranking.reports.wording.methods import METHOD_WORDS
from ranking.reports.wording.numbers import decimals
from ranking.reports.wording.published_content import FirstPlace
from ranking.reports.wording.published_method import firmness_in_words


#: Methods for which removing a judge or a block only subtracts counts; others would be refitted each time.
def _is_by_counts(method: Method) -> bool:
    return isinstance(method, CountsMethod) and method.influence is not None


COUNTS_METHOD = replace(
    METHOD,
    choices={
        method.name: METHOD_WORDS[method.name]
        for method in filter(_is_by_counts, METHODS.values())
    },
)
_EPOCH = date(1970, 1, 1)
#: Maximum number of deciding judgments listed individually.
_MOST_LISTED = 100
#: Maximum number of units in the plot: those with the smallest lead.
_MOST_DRAWN = 40


class DecidingRow(TypedDict):
    """A judgment that decides first place, with the labels of the old and the new first system."""

    judge: str
    segment: int
    label: int | None
    other_label: int | None


class FirstPlaceFindings(FirstPlace):
    """The judgments that decide first place, one by one; empty if they are not known."""

    rows: list[DecidingRow]


@dataclass(frozen=True, eq=False, kw_only=True)
class FirmnessFindings:
    """The evidence for first place; rankings without each unit are None for fewer than two units."""

    method: str
    fewest: FewestBlocks
    judges: WithoutEach | None
    documents: WithoutEach | None
    days: WithoutEach | None


def _find(inputs: Input, options: AnalysisOptions, begin: Begin) -> FirmnessFindings:
    method = counts_method_named(options[COUNTS_METHOD])
    if len(compared_groups(inputs.tallies)) > 1:
        raise ValueError(
            _(
                "No comparisons connect all systems, so there is no overall first place.",
            ),
        )
    with converging(method.name):
        begin(_("Ranking"))
        fewest = fewest_blocks(inputs.blocks, method)
        begin(_("Ranking"))
        return FirmnessFindings(
            method=method.name,
            fewest=fewest,
            judges=_judges(inputs, method),
            documents=_documents(inputs, method),
            days=_days(inputs, method),
        )


def _judges(inputs: Input, method: CountsMethod) -> WithoutEach | None:
    blocks = inputs.blocks
    if len(np.unique(blocks.judge)) < 2:
        return None
    return without_each(blocks, method, blocks.judge, blocks.judges)


def _documents(inputs: Input, method: CountsMethod) -> WithoutEach | None:
    document = inputs.blocks.document
    if document is None:  # fewer than two, or unknown
        return None
    return without_each(inputs.blocks, method, document, inputs.documents)


def _days(inputs: Input, method: CountsMethod) -> WithoutEach | None:
    day = inputs.read.day
    if day is None:
        return None
    days = np.unique(day).tolist()
    if len(days) < 2:
        return None
    names = {number: (_EPOCH + timedelta(number)).isoformat() for number in days}
    return without_each(inputs.blocks, method, day, names)


class _Units(NamedTuple):
    """Units that are left out one by one, in words."""

    name: str
    without: WithoutEach
    heading: str
    title: str
    names: Named


def _units(answer: FirmnessFindings) -> list[_Units]:
    """Return the kinds of units with at least two units."""
    units = []
    if answer.judges is not None:
        title = _("Leaving out one judge")
        units.append(_Units("judges", answer.judges, _("Judge"), title, "judge"))
    if answer.documents is not None:
        title = _("Leaving out one document")
        units.append(
            _Units("documents", answer.documents, _("Document"), title, "document"),
        )
    if answer.days is not None:
        title = _("Leaving out one day")
        units.append(_Units("days", answer.days, _("Day (UTC)"), title, "day"))
    return units


def _tell(inputs: Input, _options: AnalysisOptions, answer: FirmnessFindings) -> Report:
    """Report the number of judgments that decide first place, and the winner without each judge, document and day."""
    first_place = _first_place(inputs, answer.fewest)
    notes = [
        _("Method: %(method)s.") % {"method": METHOD_WORDS[answer.method]},
        *firmness_in_words(first_place),
    ]
    tables = []
    for units in _units(answer):
        tables.append(_left_out_table(units))
        # With equal scores, no system is first.
        if len(answer.fewest.first) < 2:
            notes.append(_first_note(units.title, units.without))
    return report_on(
        inputs,
        notes=notes,
        tables=[*tables, *_deciding(inputs, answer.fewest)],
        data={
            "method": answer.method,
            "first_place": first_place,
            "judges": answer.judges,
            "documents": answer.documents,
            "days": answer.days,
        },
    )


def _deciding(inputs: Input, fewest: FewestBlocks) -> list[Table]:
    if (
        fewest.rows is None
        or fewest.new_first is None
        or len(fewest.rows) > _MOST_LISTED
    ):
        return []
    return [
        Table.of(
            _rows(inputs, fewest),
            name="deciding",
            title=_("Judgments that decide first place"),
            columns=(
                judge_column(),
                Column("segment", _("Segment"), names="segment"),
                Column("label", _("Label of %(system)s") % {"system": fewest.first[0]}),
                Column(
                    "other_label",
                    _("Label of %(system)s") % {"system": fewest.new_first},
                ),
            ),
            keys=2,
            notes=[
                _("Most influential first. Other sets of the same size may exist."),
            ],
        ),
    ]


def _rows(inputs: Input, fewest: FewestBlocks) -> list[DecidingRow]:
    if fewest.rows is None or fewest.new_first is None:
        return []
    blocks = inputs.blocks
    first = blocks.systems.index(fewest.first[0])
    new = blocks.systems.index(fewest.new_first)
    rows: list[DecidingRow] = []
    for row in fewest.rows.tolist():
        rows.append(
            {
                "judge": blocks.judges[blocks.judge[row]],
                "segment": int(blocks.segment[row]),
                "label": int(blocks.labels[row, first]) or None,
                "other_label": int(blocks.labels[row, new]) or None,
            },
        )
    return rows


def _first_place(inputs: Input, fewest: FewestBlocks) -> FirstPlaceFindings:
    return {
        "first": list(fewest.first),
        "judgments": fewest.blocks,
        "deciding": fewest.size,
        "at_least": fewest.at_least,
        "proof": fewest.proof,
        "new_first": fewest.new_first,
        "rows": _rows(inputs, fewest),
    }


def _left_out_table(units: _Units) -> Table:
    without = units.without
    drawn = min(_MOST_DRAWN, len(without.units))

    def change(row: LeftOut) -> float | None:
        if row.lead is None or without.lead is None:
            return None
        return row.lead - without.lead

    return Table.of(
        without.units,
        name=units.name,
        title=units.title,
        columns=(
            Column("unit", units.heading, is_text=True, names=units.names),
            Column("blocks", _("Blocks"), counts="judgments"),
            Column("lead", _("Lead"), decimals=4),
            Column("change", _("Change"), decimals=4, of=change),
            Column("first", _("First place"), is_text=True, names="system"),
            *swap_columns("swaps", "swapped"),
        ),
        notes=_lead_notes(without, drawn),
        plot=IntervalPlot(label="unit", value="lead", mark=0.0, most=drawn),
    )


def _lead_notes(without: WithoutEach, drawn: int) -> list[str]:
    if without.lead is None:
        return []
    notes = [
        _(
            "Lead: score of %(first)s minus score of %(second)s (%(lead)s with all judgments). Below 0, %(second)s is ahead.",
        )
        % {
            "first": without.first,
            "second": without.second,
            "lead": decimals(without.lead, 4),
        },
    ]
    if drawn < len(without.units):
        notes.append(
            _("The plot shows the %(drawn)d smallest leads of %(all)s.")
            % {"drawn": drawn, "all": number_format(len(without.units))},
        )
    return notes


def _first_note(title: str, without: WithoutEach) -> str:
    """Return a note on whether first place is robust against leaving out each unit of a table."""
    deciding = len(without.deciding)
    if not deciding:
        return _("%(table)s: first place never changes.") % {"table": title}
    return ngettext(
        "%(table)s: first place changes in %(deciding)d of %(all)s cases.",
        "%(table)s: first place changes in %(deciding)d of %(all)s cases.",
        len(without.units),
    ) % {"table": title, "deciding": deciding, "all": number_format(len(without.units))}


FIRMNESS = AnalysisKind(
    name="firmness",
    title=gettext_lazy("Robustness"),
    question=gettext_lazy(
        "How many judgments decide first place, and does it depend on one judge, document or day?",
    ),
    options=(COUNTS_METHOD,),
    needs=frozenset({Need.RULE}),
    is_slow=True,
    find=_find,
    tell=_tell,
)
