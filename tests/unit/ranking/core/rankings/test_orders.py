"""The orders of several methods, and which pairs they differ in."""

from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.rankings.mean_scores import orders_by_methods


def blocks_of(*pairs: tuple[str, int, str, int]) -> Blocks:
    rows = [
        BlockRow("j", segment, [(one,), (other,)], [first, second])
        for segment, (one, first, other, second) in enumerate(pairs, 1)
    ]
    return blocks_from_rows(rows, ("A", "B", "C"))


def test_systems_with_equal_scores_are_in_no_order() -> None:
    # A and C win one each, and so do B and C, who tie twice: by Expected Wins all three have one half.
    won = [("A", 1, "C", 2), ("A", 2, "C", 1), ("B", 1, "C", 2), ("B", 2, "C", 1)]
    blocks = blocks_of(*won, ("B", 1, "C", 1), ("B", 1, "C", 1))
    equal, counted = orders_by_methods(blocks, ["expected_wins", "geq_others"])
    assert (list(equal.ranks), list(counted.ranks)) == (["A", "B", "C"], ["B", "C", "A"])
    assert counted.swapped == ()
    assert orders_by_methods(blocks, ["geq_others", "expected_wins"])[1].swapped == ()


def test_pairs_in_another_order_are_named_the_better_by_the_first_method_first() -> None:
    # A ties with C seven times and beats it once; B wins five of eight against C, and loses the others.
    ties = [("A", 1, "C", 1)] * 7
    others = [("B", 1, "C", 2)] * 5 + [("B", 2, "C", 1)] * 3
    blocks = blocks_of(*ties, ("A", 1, "C", 2), *others)
    _first, strict = orders_by_methods(blocks, ["expected_wins", "gt_others"])
    assert strict.swapped == (("A", "B"), ("A", "C"))
