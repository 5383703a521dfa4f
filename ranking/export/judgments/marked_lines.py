"""Judgments as JSON Lines, as pairwise CSV, and as the results XML of Appraise."""

import json
from itertools import combinations
from typing import Any, Final
from xml.sax.saxutils import quoteattr

import numpy as np

from campaign.formats.five_way import BLANK
from ranking.export.judgments.lines import (
    NO_CANDIDATE,
    LabelPieces,
    LinesWriter,
    Pieces,
    Texts,
    by_candidate,
    csv_cells,
    joined,
    texts_of,
)
from ranking.files.pairwise import COLUMNS
from ranking.selectors.exported_columns import ExportedTask, JudgedPart

#: Labels that a candidate may have, 0 for none.
_LABELS: Final = 6


def _same(text: str, count: int) -> Texts:
    return np.full(count, text, dtype=np.object_)


class JudgmentLines(LinesWriter):
    """JSON Lines: an object a judgment, as the commands on files read them."""

    def __init__(self, exported: ExportedTask, *, slots: int) -> None:
        super().__init__(exported, slots=slots)
        self._first, self._others = Pieces(), Pieces()
        self._of_labels = LabelPieces(self._labels)

    def body(self, part: JudgedPart) -> bytes:
        """Return an object a line."""
        first = self._first.of(self.exported.candidates, self._candidate)
        others = self._others.of(
            self.exported.candidates, lambda candidate: f", {self._candidate(candidate)}"
        )
        columns = self._of_rows(part)
        columns += [
            by_candidate(others if place else first, part.candidate[:, place], "")
            for place in range(part.candidate.shape[1])
        ]
        columns.append(self._of_labels.of(part))
        columns.append(
            texts_of("null" if each < 0 else str(each) for each in part.duration_ms.tolist())
        )
        return joined([*columns, _same("}\n", len(part))])

    def _segment(self, segment: Any) -> str:
        source, target = self._languages()
        values = {
            "source_language": source,
            "target_language": target,
            "segment": segment.number,
            "document": segment.document,
            "segment_id": str(segment.position),
        }
        return json.dumps(values, ensure_ascii=False).removesuffix("}")

    def _judge(self, judge: str) -> str:
        return f', "judge": {json.dumps(judge, ensure_ascii=False)}, "candidates": ['

    def _candidate(self, candidate: tuple[int, ...]) -> str:
        return json.dumps(self._names(candidate), ensure_ascii=False)

    def _labels(self, codes: tuple[int, ...]) -> str:
        labels = [code or None for code in codes if code != NO_CANDIDATE]
        return f'], "labels": {json.dumps(labels)}, "duration_ms": '


class AppraiseXml(LinesWriter):
    """The results XML of Appraise: what the commands on files and `import_answers` read."""

    def __init__(self, exported: ExportedTask, *, slots: int) -> None:
        super().__init__(exported, slots=slots)
        self._candidates = Pieces()

    def head(self) -> bytes:
        """Return how the file begins."""
        return b'<?xml version="1.0" encoding="UTF-8"?>\n<results>\n'

    def tail(self) -> bytes:
        """Return how the file ends."""
        return b"</results>\n"

    def body(self, part: JudgedPart) -> bytes:
        """Return a HIT a judgment."""
        known = [
            (candidate, label) for candidate in self.exported.candidates for label in range(_LABELS)
        ]
        candidates = self._candidates.of(known, self._candidate)
        columns = self._of_rows(part)
        columns += _durations(part)
        for place in range(part.candidate.shape[1]):
            candidate = part.candidate[:, place]
            code = candidate * _LABELS + part.label[:, place]
            columns.append(by_candidate(candidates, np.where(candidate < 0, -1, code), ""))
        end = "      </ranking-result>\n    </ranking-task>\n  </HIT>\n"
        return joined([*columns, _same(end, len(part))])

    def _segment(self, segment: Any) -> str:
        source, target = map(quoteattr, self._languages())
        return (
            f"  <HIT source-language={source} target-language={target}>\n"
            f'    <ranking-task id="{segment.number}">\n'
        )

    def _judge(self, judge: str) -> str:
        return f"      <ranking-result user={quoteattr(judge)}"

    def _candidate(self, known: tuple[tuple[int, ...], int]) -> str:
        candidate, label = known
        names = quoteattr(",".join(self._names(candidate)))
        return f'        <translation system={names} rank="{_rank(label)}"/>\n'


class PairwiseCsv(LinesWriter):
    """The pairwise CSV: a row for every two systems of a block that did not give the same output."""

    def __init__(self, exported: ExportedTask, *, slots: int) -> None:
        super().__init__(exported, slots=slots)
        self._systems = Pieces()

    def head(self) -> bytes:
        """Return the names of the columns."""
        return (",".join(COLUMNS) + "\n").encode()

    def body(self, part: JudgedPart) -> bytes:
        """Return the rows of each judgment."""
        known = [(name, label) for name in self.exported.systems for label in range(_LABELS)]
        pieces = self._systems.of(known, self._system)
        row, left, right = self._pairs(part)
        segments = self._segments.of(self.exported.segments, self._segment)
        judges = self._judges.of(self.exported.judges, self._judge)
        numbers = texts_of(map(str, part.number.tolist()))[row]
        return joined(
            [
                *(segments[part.segment[row]], judges[part.judge[row]]),
                *(pieces[left], pieces[right]),
                *(numbers, _same("\n", len(row))),
            ]
        )

    def _pairs(self, part: JudgedPart) -> tuple[Any, Any, Any]:
        """Return for each pair the row of its block, and the codes of both systems with their labels."""
        blocks, width = part.candidate.shape
        places = list(combinations(range(width), 2))
        first, second = np.array(places or np.empty((0, 2)), dtype=np.int64).reshape(-1, 2).T
        left, right = part.candidate[:, first], part.candidate[:, second]
        codes = part.label[:, first].astype(np.int64), part.label[:, second].astype(np.int64)
        row = np.broadcast_to(np.arange(blocks)[:, None], left.shape)
        is_pair = ((left >= 0) & (right >= 0)).ravel()
        row, left, right = row.ravel()[is_pair], left.ravel()[is_pair], right.ravel()[is_pair]
        one, other = codes[0].ravel()[is_pair], codes[1].ravel()[is_pair]
        return self._of_systems(row, left, right, one, other)

    def _of_systems(self, row: Any, left: Any, right: Any, one: Any, other: Any) -> tuple[Any, ...]:
        """Put in the place of each pair of candidates the pairs of their systems."""
        count = len(self.exported.systems)
        sizes = np.array([len(each) for each in self.exported.candidates], dtype=np.int64)
        most = sizes.max(initial=1)
        table = np.zeros((len(sizes), most), dtype=np.int64)
        for number, candidate in enumerate(self.exported.candidates):
            table[number, : len(candidate)] = candidate
        times = sizes[left] * sizes[right]
        at = np.repeat(np.arange(len(row)), times)
        within = np.arange(len(at)) - np.repeat(np.cumsum(times) - times, times)
        first, second = np.divmod(within, sizes[right][at]) if count else (within, within)
        return (
            row[at],
            table[left[at], first] * _LABELS + one[at],
            table[right[at], second] * _LABELS + other[at],
        )

    def _segment(self, segment: Any) -> str:
        number = str(segment.number)
        return csv_cells(*self._languages(), number, number)

    def _judge(self, judge: str) -> str:
        return csv_cells(judge)

    def _system(self, known: tuple[str, int]) -> str:
        name, label = known
        return f"{csv_cells(name)}{_rank(label)},"


def _rank(label: int) -> str:
    return str(label) if label else BLANK


def _durations(part: JudgedPart) -> list[Texts]:
    """Return the pieces of the time on the clock: hours, minutes, seconds and milliseconds."""
    is_known = part.duration_ms >= 0
    seconds, milliseconds = np.divmod(np.where(is_known, part.duration_ms, 0), 1000)
    minutes, seconds = np.divmod(seconds, 60)
    hours, minutes = np.divmod(minutes, 60)
    # The last piece of each is that of a time that is not known.
    most = int(hours.max(initial=0)) + 1
    pieces = (
        (hours, [f' duration="{hour:02}:' for hour in range(most)], ">\n"),
        (minutes, [f"{minute:02}:" for minute in range(60)], ""),
        (seconds, [f"{second:02}." for second in range(60)], ""),
        (milliseconds, [f'{thousandth:03}">\n' for thousandth in range(1000)], ""),
    )
    return [
        by_candidate(texts_of(texts), np.where(is_known, values, -1), missing)
        for values, texts, missing in pieces
    ]
