"""Judgments that differ between two moments, and no others."""

from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.live.changes import changed_rows


def judged(**labels: list[int]) -> Blocks:
    rows = [BlockRow(judge, 1, [["A"], ["B"]], given) for judge, given in labels.items()]
    return blocks_from_rows(rows, "AB")


def said(blocks: Blocks) -> list[tuple[str, list[int]]]:
    names = [blocks.judges[judge] for judge in blocks.judge.tolist()]
    return list(zip(names, blocks.labels.tolist(), strict=True))


def test_what_stays_is_neither_removed_nor_added() -> None:
    before = judged(ann=[1, 2], bob=[1, 2], cyd=[2, 1])
    after = judged(bob=[2, 1], cyd=[2, 1], dan=[1, 2])
    removed, added = changed_rows(before, after)
    assert said(removed) == [("ann", [1, 2]), ("bob", [1, 2])]
    assert said(added) == [("bob", [2, 1]), ("dan", [1, 2])]


def test_without_judgments_before_or_after_all_change() -> None:
    some, none = judged(ann=[1, 2]), judged()
    assert [said(rows) for rows in changed_rows(none, some)] == [[], said(some)]
    assert [said(rows) for rows in changed_rows(some, none)] == [said(some), []]
