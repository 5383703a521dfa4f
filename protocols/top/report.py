"""How much active time blocks of two tasks take, as a report."""

from __future__ import annotations

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from protocols.top.statistics.times import Times, TimesCompared
from protocols.top.times import TimesRead
from ranking.code_version import code_version
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.tables import Column, Report, Table, Value
from ranking.wording.not_yet import lowered, not_yet_in_words
from ranking.wording.numbers import percent_in_figures


def times_report(
    read: TimesRead,
    compared: TimesCompared,
    *,
    confidence: float = 0.95,
    given: Input | None = None,
) -> Report:
    """Tell active seconds per block of both tasks, and the ratio with its interval; `given` is told before it."""
    return Report(
        notes=[*([] if given is None else input_notes(given)), *_notes(read, compared)],
        tables=[_table(read, compared, confidence)],
        data={
            **({} if given is None else {"input": input_data(given)}),
            "tasks": [task.pk for task in read.tasks],
            "watermarks": read.watermarks,
            "confidence": confidence,
            "candidates": [_shown(read.first), _shown(read.second)],
            "compared": compared,
            "version": code_version(),
        },
    )


def _notes(read: TimesRead, compared: TimesCompared) -> list[str]:
    notes = [
        _("Judges: %(judges)s, of whom %(both)s worked on both.")
        % {"judges": number_format(compared.judges), "both": number_format(compared.judges_of_both)}
    ]
    shown = [_shown(each) for each in (read.first, read.second)]
    if None not in shown and shown[0] != shown[1]:
        notes.append(
            _("Their blocks do not show equally many outputs, so times differ for that, too.")
        )
    if compared.shortage is not None:
        notes.append(
            _("Interval of the ratio: %(why)s in each task.")
            % {"why": lowered(not_yet_in_words(compared.shortage))}
        )
    elif compared.ratio is not None and compared.low is None:
        notes.append(_("Where all times are equal, the ratio has no interval."))
    return notes


def _table(read: TimesRead, compared: TimesCompared, confidence: float) -> Table:
    rows: list[list[Value]] = [
        [
            str(task.get_protocol_display()),
            len(times.seconds),
            _shown(times),
            *(compared.means[place], compared.medians[place]),
            *((compared.ratio, compared.low, compared.high) if place == 0 else (None, None, None)),
        ]
        for place, (task, times) in enumerate(
            zip(read.tasks, (read.first, read.second), strict=True)
        )
    ]
    percent = {"percent": percent_in_figures(confidence)}
    return Table(
        name="times",
        title=_("Active time per block"),
        columns=[
            Column("protocol", _("Protocol"), is_text=True),
            Column("blocks", _("Blocks")),
            Column("candidates", _("Outputs of a block")),
            Column("mean", _("Seconds, mean")),
            Column("median", _("Seconds, median")),
            Column("ratio", _("Ratio of means")),
            Column("low", _("From, %(percent)s %%") % percent),
            Column("high", _("To, %(percent)s %%") % percent),
        ],
        rows=rows,
    )


def _shown(times: Times) -> float | None:
    return float(times.candidates.mean()) if len(times.candidates) else None
