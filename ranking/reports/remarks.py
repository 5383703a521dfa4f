"""What judges skipped and commented as a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from ranking.code_version import code_version
from ranking.core.diagnosis.remarks import RemarkShare
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.plots import Plot
from ranking.reports.system import length_in_words, limits_notes
from ranking.reports.tables import Column, Named, Report, Table


@dataclass(frozen=True, slots=True)
class PartRemarks:
    """A part of the blocks that were shown: how many were skipped, and how many have a comment."""

    part: str
    shown: int
    skipped: RemarkShare
    commented: RemarkShare


@dataclass(frozen=True, slots=True, kw_only=True)
class RemarksFound:
    """What was skipped and commented, by system and by length of the source; of all blocks shown."""

    systems: Sequence[PartRemarks]
    lengths: Sequence[PartRemarks]
    shown: int
    skipped: int
    commented: int
    confidence: float


def remarks_report(given: Input, found: RemarksFound) -> Report:
    """Tell what was skipped and commented."""
    tables = [
        *_tables("systems", _("By system"), _("System"), found.systems, names="system"),
        *_tables("lengths", _("By length of the source"), _("Words"), found.lengths),
    ]
    return Report(
        notes=[
            *input_notes(given),
            _("%(shown)s blocks answered: %(skipped)s skipped, %(commented)s with a comment.")
            % {
                "shown": number_format(found.shown),
                "skipped": number_format(found.skipped),
                "commented": number_format(found.commented),
            },
            _(
                "A block counts for each system it shows. Intervals account for segments and judges, and hold for one "
                "part at a time: among many parts some seem odd by chance."
            ),
            *limits_notes(
                share.limits
                for each in (*found.systems, *found.lengths)
                for share in (each.skipped, each.commented)
            ),
        ],
        tables=tables,
        data={
            "input": input_data(given),
            "shown": found.shown,
            "skipped": found.skipped,
            "commented": found.commented,
            "systems": found.systems,
            "lengths": found.lengths,
            "confidence": found.confidence,
            "version": code_version(),
        },
    )


def _tables(
    name: str,
    title: str,
    heading: str,
    parts: Sequence[PartRemarks],
    *,
    names: Named | None = None,
) -> list[Table]:
    if not parts:
        return []
    return [
        Table(
            name=name,
            title=title,
            columns=(
                Column("part", heading, is_text=True, names=names),
                Column("shown", _("Blocks")),
                Column("skipped", _("Skipped")),
                Column("skipped_share", _("Share skipped")),
                Column("skipped_low", _("From")),
                Column("skipped_high", _("To")),
                Column("commented", _("With a comment")),
                Column("commented_share", _("Share with a comment")),
                Column("commented_low", _("From")),
                Column("commented_high", _("To")),
            ),
            rows=[
                (
                    each.part if names else length_in_words(each.part),
                    each.shown,
                    *_values(each.skipped),
                    *_values(each.commented),
                )
                for each in parts
            ],
            plot=Plot(
                kind="intervals",
                label="part",
                value="skipped_share",
                low="skipped_low",
                high="skipped_high",
                start=0,
                most=40,
            ),
            notes=[_("Drawn: the share skipped.")],
        )
    ]


def _values(found: RemarkShare) -> tuple[int, float | None, float | None, float | None]:
    return found.count, found.share, found.low, found.high
