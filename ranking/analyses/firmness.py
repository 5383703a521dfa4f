"""Tell how firm first place is: how many judgments decide it, and what it is without each unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from ranking.analyses.kind import AnalysisKind, Begin, converging
from ranking.analyses.options import METHOD, Option, swaps_in_words
from ranking.core.firmness.fewest_blocks import FewestBlocks, Proof, fewest_blocks
from ranking.core.firmness.without_each import WithoutEach, without_each
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import METHODS, counts_method_named
from ranking.core.rankings.rank import compared_groups
from ranking.reports.inputs import Input, report_on
from ranking.reports.tables import Column, Named, Plot, Report, Table
from ranking.wording.methods import METHOD_WORDS
from ranking.wording.numbers import decimals
from ranking.wording.published_method import at_least_in_words

#: Counts without a judge, or a block, are a difference of counts; others would be fitted each time.
_BY_COUNTS = tuple(
    name
    for name, method in METHODS.items()
    if isinstance(method, CountsMethod) and method.influence is not None
)
COUNTS_METHOD = Option(
    name="method",
    label=METHOD.label,
    default="expected_wins",
    choices={name: METHOD_WORDS[name] for name in _BY_COUNTS},
)
_EPOCH = date(1970, 1, 1)
#: With more judgments than this, they are not listed one by one.
_MOST_LISTED = 100
#: So many units are drawn, those with the smallest lead.
_MOST_DRAWN = 40
#: What stands in the first column, by the table.
_NAMED: dict[str, Named] = {"judges": "judge", "documents": "document", "days": "day"}


#: Of each table: that first place stays without any unit, and that it falls without some.
_FIRST_PLACE = {
    "judges": (
        gettext_lazy("First place stays, whichever judge is left out."),
        ngettext_lazy(
            "Without %(deciding)d of %(all)s judges, another system would be first.",
            "Without any one of %(deciding)d of %(all)s judges, another system would be first.",
            "deciding",
        ),
    ),
    "documents": (
        gettext_lazy("First place stays, whichever document is left out."),
        ngettext_lazy(
            "Without %(deciding)d of %(all)s documents, another system would be first.",
            "Without any one of %(deciding)d of %(all)s documents, another system would be first.",
            "deciding",
        ),
    ),
    "days": (
        gettext_lazy("First place stays, whichever day is left out."),
        ngettext_lazy(
            "Without %(deciding)d of %(all)s days, another system would be first.",
            "Without any one of %(deciding)d of %(all)s days, another system would be first.",
            "deciding",
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class FirmnessFound:
    """What decides first place; the ranking without each unit, None where there are not several."""

    method: str
    fewest: FewestBlocks
    judges: WithoutEach | None
    documents: WithoutEach | None
    days: WithoutEach | None


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> FirmnessFound:
    method = counts_method_named(options["method"])
    if len(compared_groups(given.tallies)) > 1:
        raise ValueError(
            _("Nothing compares some of these systems with the others, so none is first of all.")
        )
    with converging(method.name):
        begin(_("Looking for the judgments that decide"))
        fewest = fewest_blocks(given.blocks, method)
        begin(_("Leaving out one at a time"))
        return FirmnessFound(
            method=method.name,
            fewest=fewest,
            judges=_judges(given, method),
            documents=_documents(given, method),
            days=_days(given, method),
        )


def _judges(given: Input, method: CountsMethod) -> WithoutEach | None:
    blocks = given.blocks
    if len(np.unique(blocks.judge)) < 2:
        return None
    return without_each(blocks, method, blocks.judge, blocks.judges)


def _documents(given: Input, method: CountsMethod) -> WithoutEach | None:
    document = given.blocks.document
    if document is None:  # fewer than two, or not known
        return None
    return without_each(given.blocks, method, document, given.documents)


def _days(given: Input, method: CountsMethod) -> WithoutEach | None:
    day = given.read.day
    if day is None or len(found := np.unique(day)) < 2:
        return None
    names = {number: (_EPOCH + timedelta(number)).isoformat() for number in found.tolist()}
    return without_each(given.blocks, method, day, names)


def _tell(given: Input, options: Mapping[str, Any], found: FirmnessFound) -> Report:
    """Tell how many judgments decide first place, and what it is without each judge, document and day."""
    del options
    units = {
        "judges": (found.judges, _("Judge"), _("Without each judge")),
        "documents": (found.documents, _("Document"), _("Without each document")),
        "days": (found.days, _("Day (UTC)"), _("Without each day")),
    }
    return report_on(
        given,
        notes=[
            _("By %(method)s.") % {"method": METHOD_WORDS[found.method]},
            *_fewest_notes(found.fewest),
            # Of equal scores, none is first.
            *(
                _first_note(name, without)
                for name, (without, _unit, _title) in units.items()
                if without and len(found.fewest.first) < 2
            ),
        ],
        tables=[
            *_deciding(given, found.fewest),
            *(
                _without(name, without, unit, title, _NAMED[name])
                for name, (without, unit, title) in units.items()
                if without
            ),
        ],
        data={
            "method": found.method,
            "first_place": _fewest_data(given, found.fewest),
            **{name: without for name, (without, *_words) in units.items()},
        },
    )


def _fewest_notes(fewest: FewestBlocks) -> list[str]:
    if not fewest.first:
        return [_("No system has a score.")]
    if len(fewest.first) > 1:
        return [
            _(
                "First with equal scores: %(systems)s. So there is no first place that judgments decide."
            )
            % {"systems": ", ".join(fewest.first)}
        ]
    if fewest.size is None:
        return [
            _("No removal of judgments puts another system first.")
            if fewest.proof is not Proof.NONE
            else _("No removal of judgments was found that puts another system first.")
        ]
    return [_size(fewest, fewest.size), _proof(fewest)]


def _size(fewest: FewestBlocks, size: int) -> str:
    said = {
        "size": number_format(size),
        "blocks": number_format(fewest.blocks),
        "share": decimals(100 * size / fewest.blocks, 1),
        "first": fewest.first[0],
        "new": fewest.new_first,
    }
    words = (
        ngettext(
            "%(size)s of %(blocks)s judgments (%(share)s %%) decides first place: without it, %(new)s is "
            "ahead of %(first)s.",
            "%(size)s of %(blocks)s judgments (%(share)s %%) decide first place: without them, %(new)s is "
            "ahead of %(first)s.",
            size,
        )
        if fewest.proof is not Proof.NONE
        else _(
            "At most %(size)s of %(blocks)s judgments (%(share)s %%) decide first place: without them, "
            "%(new)s is ahead of %(first)s."
        )
    )
    return words % said


def _proof(fewest: FewestBlocks) -> str:
    if fewest.proof is Proof.BOUND:
        return _("It is proven that no fewer would do.")
    if fewest.proof is Proof.SEARCH:
        return _("No fewer would do: all smaller sets were tried.")
    return at_least_in_words(fewest.at_least)


def _deciding(given: Input, fewest: FewestBlocks) -> list[Table]:
    if fewest.rows is None or fewest.new_first is None or len(fewest.rows) > _MOST_LISTED:
        return []
    return [
        Table.of(
            _rows(given, fewest),
            name="deciding",
            title=_("The judgments that decide first place"),
            columns=(
                Column("judge", _("Judge"), is_text=True, names="judge"),
                Column("segment", _("Segment"), names="segment"),
                Column("label", _("Label of %(system)s") % {"system": fewest.first[0]}),
                Column("other_label", _("Label of %(system)s") % {"system": fewest.new_first}),
            ),
            keys=2,
            notes=[
                _("The most influential first. There may be other sets of as many judgments."),
            ],
        )
    ]


def _rows(given: Input, fewest: FewestBlocks) -> list[dict[str, Any]]:
    """Return who judged which segment, and the labels of the first and of the new first."""
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


def _without(name: str, without: WithoutEach, unit: str, title: str, names: Named) -> Table:
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
                _("Change of the lead"),
                decimals=4,
                of=lambda row: None if row.lead is None or all_ is None else row.lead - all_,
            ),
            Column("first", _("First"), is_text=True, names="system"),
            Column("swaps", _("Swaps"), of=lambda row: len(row.swapped)),
            Column(
                "swapped",
                _("Which"),
                is_text=True,
                of=lambda row: swaps_in_words(row.swapped),
            ),
        ),
        notes=_lead_notes(without, drawn),
        plot=Plot(kind="intervals", label="unit", value="lead", mark=0.0, most=drawn),
    )


def _lead_notes(without: WithoutEach, drawn: int) -> list[str]:
    if without.lead is None:
        return []
    notes = [
        _(
            "Lead: score of %(first)s minus that of %(second)s, %(lead)s with all judgments. Below 0, "
            "%(second)s is ahead."
        )
        % {"first": without.first, "second": without.second, "lead": decimals(without.lead, 4)}
    ]
    if drawn < len(without.units):
        notes.append(
            _("Drawn are the %(drawn)d with the smallest lead of %(all)s.")
            % {"drawn": drawn, "all": number_format(len(without.units))}
        )
    return notes


def _first_note(name: str, without: WithoutEach) -> str:
    """Say whether first place stays without any unit of a table."""
    deciding = len(without.deciding)
    stays, falls = _FIRST_PLACE[name]
    if not deciding:
        return str(stays)
    return falls % {"deciding": deciding, "all": number_format(len(without.units))}


FIRMNESS = AnalysisKind(
    name="firmness",
    title=gettext_lazy("Robustness"),
    question=gettext_lazy(
        "How many judgments decide who is first, and what would the ranking be without each judge, each "
        "document, each day?"
    ),
    options=(COUNTS_METHOD,),
    shows_rule=True,
    find=_find,
    tell=_tell,
)
