"""Agreement by part of the judgments as a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from ranking.code_version import code_version
from ranking.core.agreement.intervals import AgreementEstimate
from ranking.core.agreement.parts import PartAgreement
from ranking.reports.inputs import Input, ignored_documents_notes, input_data, input_notes
from ranking.reports.plots import Plot
from ranking.reports.tables import BETWEEN, Column, Named, Report, Table, Value
from ranking.wording.agreement import (
    no_interval_in_words,
    not_estimable_in_words,
    strength_caution,
    strength_in_words,
)
from ranking.wording.numbers import decimals


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementByFound:
    """Agreement between judges, of all and of parts; without κ of all there are no parts."""

    whole: AgreementEstimate
    fewest: int
    by_system: Sequence[PartAgreement] = ()
    by_pair: Sequence[PartAgreement] = ()
    by_document: Sequence[PartAgreement] = ()
    by_segment: Sequence[PartAgreement] = ()


def agreement_by_report(given: Input, found: AgreementByFound) -> Report:
    """Tell where judges agree, least first."""
    return Report(
        notes=[*input_notes(given), *_notes(given, found)],
        tables=_tables(given, found) if found.by_system else [],
        data={
            "input": input_data(given),
            "whole": found.whole,
            "by_system": found.by_system,
            "by_pair": found.by_pair,
            "by_document": [
                {
                    "document": _document(given, row),
                    "segments": row.segments,
                    "agreement": row.agreement,
                }
                for row in found.by_document
            ],
            "by_segment": found.by_segment,
            "fewest": found.fewest,
            "version": code_version(),
        },
    )


def _notes(given: Input, found: AgreementByFound) -> list[str]:
    whole = found.whole
    if whole.kappa is None or whole.p_chance is None:
        return [
            _("κ between all judges: %(why)s.") % {"why": not_estimable_in_words(str(whole.reason))}
        ]
    return [
        _("κ between all judges: %(kappa)s; P(E) of all parts: %(chance)s.")
        % {"kappa": decimals(whole.kappa, 3), "chance": decimals(whole.p_chance, 3)},
        _(
            "Among many parts some are low by chance: look at the intervals, which hold for one part at a "
            "time."
        ),
        strength_caution(),
        *([] if given.blocks.document is not None else ignored_documents_notes(given)),
    ]


def _tables(given: Input, found: AgreementByFound) -> list[Table]:
    tables = [
        _table(
            "by_system",
            _("Agreement on comparisons with each system"),
            _("System"),
            "system",
            [(str(row.part[0]), row) for row in _least_first(found.by_system)],
            found.whole.kappa,
        ),
        _table(
            "by_pair",
            _("Agreement on comparisons of two systems"),
            _("Systems"),
            "systems",
            [(BETWEEN.join(map(str, row.part)), row) for row in _least_first(found.by_pair)],
            found.whole.kappa,
        ),
    ]
    if found.by_document:
        tables.append(
            _table(
                "by_document",
                _("Agreement by document"),
                _("Document"),
                "document",
                [(_document(given, row), row) for row in _least_first(found.by_document)],
                found.whole.kappa,
            )
        )
    tables.append(
        _table(
            "by_segment",
            _("Sentences with the least agreement"),
            _("Sentence"),
            "segment",
            [(str(row.part[0]), row) for row in found.by_segment],
            found.whole.kappa,
            notes=[
                _(
                    "Of the sentences with at least %(fewest)d pairs of comparisons. Intervals are over other "
                    "judges of the same sentence."
                )
                % {"fewest": found.fewest}
            ],
        )
    )
    return tables


def _least_first(parts: Sequence[PartAgreement]) -> list[PartAgreement]:
    def key(row: PartAgreement) -> tuple[bool, float]:
        kappa = row.agreement.kappa
        return kappa is None, kappa or 0.0

    return sorted(parts, key=key)


def _document(given: Input, row: PartAgreement) -> str:
    number = int(row.part[0])
    if number < len(given.documents):
        return given.documents[number]
    return _("document %(number)d") % {"number": number + 1}


def _table(
    name: str,
    title: str,
    heading: str,
    names: Named,
    rows: Sequence[tuple[str, PartAgreement]],
    whole: float | None,
    notes: Sequence[str] = (),
) -> Table:
    return Table(
        name=name,
        title=title,
        columns=(
            Column("part", heading, is_text=True, names=names),
            Column("kappa", _("κ")),
            Column("low", _("From")),
            Column("high", _("To")),
            Column("strength", _("In words"), is_text=True),
            Column("p_agree", _("P(A)")),
            Column("comparable", _("Comparable")),
            Column("segments", _("Segments")),
            Column("why", _("Without κ or interval because"), is_text=True),
        ),
        rows=[(words, *_values(row)) for words, row in rows],
        notes=notes,
        plot=Plot(
            kind="intervals", label="part", value="kappa", low="low", high="high", mark=whole
        ),
    )


def _values(row: PartAgreement) -> tuple[Value, ...]:
    found = row.agreement
    why = None
    if found.reason is not None:
        why = not_estimable_in_words(found.reason)
    elif found.no_interval is not None:
        why = no_interval_in_words(found.no_interval)
    return (
        found.kappa,
        found.low,
        found.high,
        strength_in_words(found.kappa),
        found.p_agree,
        found.comparable,
        row.segments,
        why,
    )
