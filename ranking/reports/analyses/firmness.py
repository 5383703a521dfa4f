"""Report on the robustness of first place: the judgments that decide it, and the winner without each unit."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, cast

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ranking.core.counting.counts import compared_groups
from ranking.core.firmness.fewest_blocks import FewestBlocks, fewest_blocks
from ranking.core.firmness.without_each import WithoutEach, without_each
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import METHODS, counts_method_named
from ranking.reports.analyses.kind import AnalysisKind, Begin, Need, converging
from ranking.reports.analyses.options import METHOD, swaps_in_words
from ranking.reports.inputs import Input, report_on
from ranking.reports.plots import IntervalPlot
from ranking.reports.tables import Column, Named, Report, Table, judge_column
from ranking.reports.wording.methods import METHOD_WORDS
from ranking.reports.wording.numbers import decimals
from ranking.reports.wording.published_content import PublishedFirmness
from ranking.reports.wording.published_method import firmness_in_words

#: Methods for which removing a judge or a block only subtracts counts; others would be refitted each time.
_BY_COUNTS = tuple(
    name
    for name, method in METHODS.items()
    if isinstance(method, CountsMethod) and method.influence is not None
)
COUNTS_METHOD = replace(
    METHOD, choices={name: METHOD_WORDS[name] for name in _BY_COUNTS}
)
_EPOCH = date(1970, 1, 1)
#: Maximum number of deciding judgments listed individually.
_MOST_LISTED = 100
#: Maximum number of units in the plot: those with the smallest lead.
_MOST_DRAWN = 40
#: Kind of name in the first column, by table.
_NAMED: dict[str, Named] = {"judges": "judge", "documents": "document", "days": "day"}


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> dict[str, Any]:
    """Return the evidence for first place; rankings without each unit are None for fewer than two units."""
    method = counts_method_named(options["method"])
    if len(compared_groups(given.tallies)) > 1:
        raise ValueError(
            _("No comparisons connect all systems, so there is no overall first place.")
        )
    with converging(method.name):
        begin(_("Ranking"))
        fewest = fewest_blocks(given.blocks, method)
        begin(_("Ranking"))
        return {
            "method": method.name,
            "fewest": fewest,
            "judges": _judges(given, method),
            "documents": _documents(given, method),
            "days": _days(given, method),
        }


def _judges(given: Input, method: CountsMethod) -> WithoutEach | None:
    blocks = given.blocks
    if len(np.unique(blocks.judge)) < 2:
        return None
    return without_each(blocks, method, blocks.judge, blocks.judges)


def _documents(given: Input, method: CountsMethod) -> WithoutEach | None:
    document = given.blocks.document
    if document is None:  # fewer than two, or unknown
        return None
    return without_each(given.blocks, method, document, given.documents)


def _days(given: Input, method: CountsMethod) -> WithoutEach | None:
    day = given.read.day
    if day is None or len(found := np.unique(day)) < 2:
        return None
    names = {
        number: (_EPOCH + timedelta(number)).isoformat() for number in found.tolist()
    }
    return without_each(given.blocks, method, day, names)


def _tell(
    given: Input, _options: Mapping[str, Any], found: Mapping[str, Any]
) -> Report:
    """Report the number of judgments that decide first place, and the winner without each judge, document and day."""
    fewest: FewestBlocks = found["fewest"]
    units: dict[str, tuple[WithoutEach | None, str, str]] = {
        "judges": (found["judges"], _("Judge"), _("Leaving out one judge")),
        "documents": (found["documents"], _("Document"), _("Leaving out one document")),
        "days": (found["days"], _("Day (UTC)"), _("Leaving out one day")),
    }
    first_place = _fewest_data(given, fewest)
    return report_on(
        given,
        notes=[
            _("Method: %(method)s.") % {"method": METHOD_WORDS[found["method"]]},
            *firmness_in_words(cast("PublishedFirmness", first_place)),
            # With equal scores, no system is first.
            *(
                _first_note(title, without)
                for without, _unit, title in units.values()
                if without and len(fewest.first) < 2
            ),
        ],
        tables=[
            *(
                _without(name, without, unit, title, _NAMED[name])
                for name, (without, unit, title) in units.items()
                if without
            ),
            *_deciding(given, fewest),
        ],
        data={
            "method": found["method"],
            "first_place": first_place,
            **{name: without for name, (without, *_words) in units.items()},
        },
    )


def _deciding(given: Input, fewest: FewestBlocks) -> list[Table]:
    if (
        fewest.rows is None
        or fewest.new_first is None
        or len(fewest.rows) > _MOST_LISTED
    ):
        return []
    return [
        Table.of(
            _rows(given, fewest),
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
        )
    ]


def _rows(given: Input, fewest: FewestBlocks) -> list[dict[str, Any]]:
    """Return judge and segment of each judgment, with the labels of the old and the new first system."""
    if fewest.rows is None or fewest.new_first is None:
        return []
    blocks = given.blocks
    first = blocks.systems.index(fewest.first[0])
    new = blocks.systems.index(fewest.new_first)
    return [
        {
            "judge": blocks.judges[blocks.judge[row]],
            "segment": int(blocks.segment[row]),
            "label": int(blocks.labels[row, first]) or None,
            "other_label": int(blocks.labels[row, new]) or None,
        }
        for row in fewest.rows.tolist()
    ]


def _fewest_data(given: Input, fewest: FewestBlocks) -> dict[str, Any]:
    return {
        "first": fewest.first,
        "judgments": fewest.blocks,
        "deciding": fewest.size,
        "at_least": fewest.at_least,
        "proof": fewest.proof,
        "new_first": fewest.new_first,
        "rows": _rows(given, fewest),
    }


def _without(
    name: str, without: WithoutEach, unit: str, title: str, names: Named
) -> Table:
    all_ = without.lead
    drawn = min(_MOST_DRAWN, len(without.units))
    return Table.of(
        without.units,
        name=name,
        title=title,
        columns=(
            Column("unit", unit, is_text=True, names=names),
            Column("blocks", _("Blocks"), counts="judgments"),
            Column("lead", _("Lead"), decimals=4),
            Column(
                "change",
                _("Change"),
                decimals=4,
                of=lambda row: (
                    None if row.lead is None or all_ is None else row.lead - all_
                ),
            ),
            Column("first", _("First place"), is_text=True, names="system"),
            Column("swaps", _("Swapped pairs"), of=lambda row: len(row.swapped)),
            Column(
                "swapped",
                _("Pairs"),
                is_text=True,
                of=lambda row: swaps_in_words(row.swapped),
            ),
        ),
        notes=_lead_notes(without, drawn),
        plot=IntervalPlot(label="unit", value="lead", mark=0.0, most=drawn),
    )


def _lead_notes(without: WithoutEach, drawn: int) -> list[str]:
    if without.lead is None:
        return []
    notes = [
        _(
            "Lead: score of %(first)s minus score of %(second)s (%(lead)s with all judgments). Below 0, %(second)s is ahead."
        )
        % {
            "first": without.first,
            "second": without.second,
            "lead": decimals(without.lead, 4),
        }
    ]
    if drawn < len(without.units):
        notes.append(
            _("The plot shows the %(drawn)d smallest leads of %(all)s.")
            % {"drawn": drawn, "all": number_format(len(without.units))}
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
        "How many judgments decide first place, and does it depend on one judge, document or day?"
    ),
    options=(COUNTS_METHOD,),
    needs=frozenset({Need.RULE}),
    is_slow=True,
    find=_find,
    tell=_tell,
)
