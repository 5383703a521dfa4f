"""What was converted from one tool's file into another's, and what was lost, as a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from protocols.spans.files import Loss, SpansRead
from ranking.code_version import code_version
from ranking.reports.tables import Column, Report, Table


def losses_table(losses: Sequence[Loss]) -> Table:
    """Tell what a reader or writer could not carry; the phrases are those of the formats, in English."""
    return Table(
        name="losses",
        title=_("Not carried over"),
        columns=(
            Column("what", _("What"), is_text=True),
            Column("count", _("Number")),
            Column("first", _("First"), is_text=True),
        ),
        rows=[(loss.what, loss.count, loss.first) for loss in losses],
    )


def conversion_report(
    read: SpansRead, written: str, output_format: str, lost: Sequence[Loss]
) -> Report:
    """Tell what was written, and what was lost on the way in and out."""
    losses = (*read.losses, *lost)
    return Report(
        notes=[
            _("%(judgments)s judgments from %(before)s to %(after)s.")
            % {
                "judgments": number_format(len(read.judgments)),
                "before": read.input_format,
                "after": output_format,
            },
            *([] if losses else [_("Nothing was lost.")]),
        ],
        tables=[losses_table(losses)] if losses else [],
        data={
            "files": [asdict(file) for file in read.files],
            "written": written,
            "input_format": read.input_format,
            "output_format": output_format,
            "judgments": len(read.judgments),
            "lost_reading": [asdict(loss) for loss in read.losses],
            "lost_writing": [asdict(loss) for loss in lost],
            "version": code_version(),
        },
    )
