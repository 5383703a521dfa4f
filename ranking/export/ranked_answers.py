"""The orders that answers imply, in the formats of WMT15 and WMT16."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final
from xml.sax.saxutils import quoteattr

from annotation.answer_files import FileWritten
from annotation.export.shown import systems_shown
from annotation.models import Judgment
from annotation.selectors import excluded_judges
from annotation.services import judgments_number
from campaign.formats.formulas import neutral
from campaign.formats.losses import Losses
from campaign.models import Task
from ranking.files.pairwise import COLUMNS
from ranking.files.records import InputFormat

#: The endings of the names of files, by format.
WRITTEN: Final = {str(InputFormat.PAIRWISE_CSV): "csv", str(InputFormat.APPRAISE_XML): "xml"}
_BLANK: Final = -1


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A judgment: the systems of each candidate, and their ranks."""

    segment: int
    judge: str
    candidates: tuple[tuple[str, ...], ...]
    labels: tuple[int | None, ...]
    duration_ms: int | None


def ranked_file_write(task: Task, file_format: str) -> FileWritten:
    """Return the current judgments of a task by number, without controls and judges who are excluded.

    Four queries, whatever their number.
    """
    losses = Losses()
    ranked = list(_ranked(task, losses))
    lines = _WRITERS[file_format](ranked, task, losses)
    return FileWritten(lines=lines, losses=losses.found())


def _ranked(task: Task, losses: Losses) -> Iterator[_Ranked]:
    until = judgments_number(task_id=task.pk)
    excluded = excluded_judges(campaign_id=task.test_set.campaign_id)
    judgments = Judgment.objects.of(task.pk).counted().current(watermark=until)
    found = list(
        judgments.exclude(judge__pseudonym__in=excluded)
        .order_by("numbered__number")
        .select_related("judge", "block__segment")
    )
    names = dict(task.test_set.systems.values_list("id", "name"))
    shown = systems_shown(judgment.block_id for judgment in found)
    for number, judgment in enumerate(found, 1):
        where = f"judgment {number}"
        losses.add("when it was judged, and the time without breaks", where)
        losses.add("comments", where, bool(judgment.comment))
        yield _Ranked(
            segment=judgment.block.segment.number,
            judge=judgment.judge.pseudonym,
            candidates=tuple(
                tuple(names[id_] for id_ in systems) for systems in shown[judgment.block_id]
            ),
            labels=tuple(judgment.labels),
            duration_ms=judgment.duration_ms,
        )


def _pairwise(ranked: Sequence[_Ranked], task: Task, losses: Losses) -> list[str]:
    buffer = io.StringIO()
    rows = csv.writer(buffer, lineterminator="\n")
    rows.writerow(COLUMNS)
    for number, each in enumerate(ranked, 1):
        losses.add("the time on the clock", f"judgment {number}", int(each.duration_ms is not None))
        languages = (task.test_set.source_language, task.test_set.target_language)
        start = (*map(neutral, languages), each.segment)
        for (systems, label), (others, other) in combinations(
            zip(each.candidates, each.labels, strict=True), 2
        ):
            judge = neutral(each.judge)
            for one in systems:
                rows.writerows(
                    (
                        *start,
                        each.segment,
                        judge,
                        neutral(one),
                        _rank(label),
                        neutral(two),
                        _rank(other),
                        number,
                    )
                    for two in others
                )
    return [buffer.getvalue()]


def _appraise(ranked: Sequence[_Ranked], task: Task, _losses: Losses) -> list[str]:
    languages = (
        f"source-language={quoteattr(task.test_set.source_language)} "
        f"target-language={quoteattr(task.test_set.target_language)}"
    )
    lines = ['<?xml version="1.0" encoding="UTF-8"?>\n<results>\n']
    for each in ranked:
        duration = "" if each.duration_ms is None else f' duration="{_clock(each.duration_ms)}"'
        shown = "".join(
            f'        <translation system={quoteattr(",".join(systems))} rank="{_rank(label)}"/>\n'
            for systems, label in zip(each.candidates, each.labels, strict=True)
        )
        lines.append(
            f'  <HIT {languages}>\n    <ranking-task id="{each.segment}">\n'
            f"      <ranking-result user={quoteattr(each.judge)}{duration}>\n{shown}"
            "      </ranking-result>\n    </ranking-task>\n  </HIT>\n"
        )
    return [*lines, "</results>\n"]


def _rank(label: int | None) -> int:
    return _BLANK if label is None else label


def _clock(duration_ms: int) -> str:
    minutes, milliseconds = divmod(duration_ms, 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{milliseconds / 1000:06.3f}"


_WRITERS: Final[dict[str, Callable[[Sequence[_Ranked], Task, Losses], list[str]]]] = {
    str(InputFormat.PAIRWISE_CSV): _pairwise,
    str(InputFormat.APPRAISE_XML): _appraise,
}
