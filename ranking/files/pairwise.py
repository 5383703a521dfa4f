"""Read the pairwise CSV of WMT15 and WMT16: one comparison per row, one block per ``rankingID``."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, product
from typing import NoReturn

from campaign.formats import FormatError, InputFile
from campaign.formats.cells import (
    Refuse,
    filled,
    judge_of,
    label_of,
    segment_of,
    systems_of,
)
from campaign.formats.errors import Losses
from campaign.formats.records import JudgedBlock
from campaign.formats.repeats import COUNTED_ONCE
from campaign.formats.tables import integer, read_table

COLUMNS = (
    "srclang",
    "trglang",
    "srcIndex",
    "segmentId",
    "judgeID",
    "system1Id",
    "system1rank",
    "system2Id",
    "system2rank",
    "rankingID",
)
_OF_THE_BLOCK = ("srclang", "trglang", "srcIndex", "segmentId", "judgeID")


def read_pairwise_csv(file: InputFile, losses: Losses) -> Iterator[JudgedBlock]:
    """Yield a block for every ``rankingID``, once the whole file has been read.

    Systems are in the order of their first occurrence. Two systems of a block that no row
    compares had the same output and are one candidate; they then have the same rank, and are
    compared with the same others. A row that repeats another of its ranking counts once.

    Raises
    ------
    FormatError
        With line, column (the cell's number) and field. Besides errors within a row: if rows of one
        ``rankingID`` differ in segment, judge or languages, give a system two ranks, compare
        a pair twice, or omit a pair that cannot be one candidate.
    """
    blocks: dict[str, _Block] = {}
    table = read_table(file)
    places = table.places(COLUMNS)
    for line, cells in table.rows():
        row = {name: cells[column] for name, column in places.items()}
        refuse = partial(_refuse, file.name, line)
        ranking = filled(row["rankingID"], "rankingID", refuse).strip()
        block = blocks.get(ranking)
        if block is None:
            block = blocks[ranking] = _Block(line, ranking, row)
            for name in ("srclang", "trglang"):
                filled(row[name], name, refuse)
            judge_of(row["judgeID"], "judgeID", refuse)
            segment_of(row["srcIndex"], "srcIndex", refuse)
        if tuple(row.values()) in block.rows:
            losses.add(COUNTED_ONCE, f"line {line}")
        else:
            block.add(row, refuse)
    for block in blocks.values():
        yield block.judged(partial(_refuse, file.name, block.line))


def _refuse(
    file: str,
    line: int,
    field: str | None,
    problem: str,
    remedy: str,
) -> NoReturn:
    column = None
    if field in COLUMNS:
        column = COLUMNS.index(field) + 1
    raise FormatError(file, problem, remedy, line=line, column=column, field=field)


@dataclass(slots=True)
class _Block:
    """The rows of one ``rankingID`` so far."""

    line: int
    ranking: str
    first: dict[str, str]
    rows: set[tuple[str, ...]] = field(default_factory=set)
    labels: dict[str, int | None] = field(default_factory=dict)
    pairs: set[frozenset[str]] = field(default_factory=set)

    def add(self, row: dict[str, str], refuse: Refuse) -> None:
        for name in _OF_THE_BLOCK:
            if row[name] != self.first[name]:
                refuse(
                    name,
                    f"the ranking {self.ranking} has {self.first[name]!r} in line {self.line}"
                    f" and {row[name]!r} here",
                    "use a separate rankingID for each ranking",
                )
        names: set[str] = set()
        firsts = self._systems(row, 1, names, refuse)
        seconds = self._systems(row, 2, names, refuse)
        for systems in product(firsts, seconds):
            pair = frozenset(systems)
            if pair in self.pairs:
                refuse(
                    "rankingID",
                    f"the ranking {self.ranking} compares {' and '.join(systems)} twice",
                    "remove one of the rows or change its rankingID",
                )
            self.pairs.add(pair)
        self.rows.add(tuple(row.values()))

    def _systems(
        self,
        row: dict[str, str],
        position: int,
        names: set[str],
        refuse: Refuse,
    ) -> tuple[str, ...]:
        column = f"system{position}rank"
        systems = systems_of(
            row[f"system{position}Id"],
            f"system{position}Id",
            names,
            refuse,
        )
        label = label_of(row[column], column, refuse)
        for system in systems:
            if self.labels.setdefault(system, label) != label:
                refuse(
                    column,
                    f"the ranking {self.ranking} gives {system} another rank in an earlier row",
                    "use the same rank in all rows of a ranking",
                )
        return systems

    def judged(self, refuse: Refuse) -> JudgedBlock:
        candidates: list[list[str]] = []
        for system in self.labels:
            for candidate in candidates:
                if frozenset((candidate[0], system)) not in self.pairs:
                    candidate.append(system)
                    break
            else:
                candidates.append([system])
        self._complete(candidates, refuse)
        return JudgedBlock(
            line=self.line,
            source_language=self.first["srclang"],
            target_language=self.first["trglang"],
            segment=integer(self.first["srcIndex"].strip(), 1) or 0,
            judge=self.first["judgeID"],
            candidates=tuple(map(tuple, candidates)),
            labels=tuple(self.labels[candidate[0]] for candidate in candidates),
        )

    def _complete(self, candidates: list[list[str]], refuse: Refuse) -> None:
        """Check that there is exactly one row for each pair of different candidates."""
        expected = set()
        for one, other in combinations(candidates, 2):
            for pair in product(one, other):
                expected.add(frozenset(pair))
        same_rank = all(
            len({self.labels[system] for system in candidate}) == 1
            for candidate in candidates
        )
        if self.pairs != expected or not same_rank:
            refuse(
                "rankingID",
                f"the rows of the ranking {self.ranking} omit pairs of its systems",
                "write a row for every pair of systems in a ranking, except pairs with the same output",
            )
