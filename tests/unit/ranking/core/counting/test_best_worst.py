"""Best-worst scaling implies comparisons with the best and the worst output only (Kiritchenko & Mohammad 2017)."""

from dataclasses import replace
from pathlib import Path

import pytest

from campaign.formats import JudgedBlock, write_five_way_csv
from ranking.core.agreement.tallies import tally_agreement
from ranking.core.agreement.units import COMPARISONS
from ranking.core.counting.counts import Layout, count, listed_comparisons, tally
from ranking.core.diagnosis.one_system import outcomes_of
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.judged.collapsed_candidates import Outcome, collapsed_comparisons
from ranking.core.judges.patterns import tally_lines, tie_sums
from ranking.core.judges.shares import shares_of_sums
from ranking.files.reading import read_judgments
from ranking.files.records import SelectionError

SYSTEMS = ("a", "b", "c", "d")


def best_worst(*rows: tuple[str, list[int | None]]) -> Blocks:
    """Return a block of all systems for each judge and their labels."""
    candidates = [[name] for name in SYSTEMS]
    blocks = blocks_from_rows(
        (BlockRow(judge, 1, candidates, labels) for judge, labels in rows),
        SYSTEMS,
    )
    return replace(blocks, best_worst=True)


def test_four_outputs_imply_five_comparisons() -> None:
    blocks = best_worst(("ann", [1, 2, 2, 3]))
    _block, first, second, outcome = listed_comparisons(blocks)
    compared = set(zip(first.tolist(), second.tolist(), outcome.tolist(), strict=True))
    assert compared == {(0, 1, 1), (0, 2, 1), (0, 3, 1), (1, 3, 1), (2, 3, 1)}
    assert tally(blocks).tied == 0


def test_three_outputs_are_ranked() -> None:
    blocks = best_worst(("ann", [1, 2, 3, None]))
    assert tally(blocks).comparisons == 3


def test_every_count_has_the_same_comparisons() -> None:
    blocks = best_worst(("ann", [1, 2, 2, 3]), ("bob", [2, 1, 2, 3]))
    tallies = tally(blocks)
    collapsed = collapsed_comparisons(blocks)
    agreement = tally_agreement(blocks)
    of_systems = [outcomes_of(blocks, system) for system in range(4)]
    shares = shares_of_sums(tie_sums(tally_lines(blocks), 2, best_worst=True))
    assert tallies.comparisons == len(collapsed.outcome) == 10
    assert agreement.of_judges[:, COMPARISONS].sum() == 10
    assert [(share.successes, share.trials) for share in shares] == [(0, 5), (0, 5)]
    assert (
        sum(int((each.won | each.lost | each.tied).sum()) for each in of_systems) == 20
    )
    assert Outcome.TIE not in collapsed.outcome
    assert tallies.tied == 0


def test_equal_labels_count_where_only_some_systems_are_ranked() -> None:
    blocks = best_worst(("ann", [1, 2, 2, 3])).without({"a", "d"})
    assert tally(blocks).comparisons == 0
    layout = Layout(2, ties=True, outright=True)
    assert count(blocks, layout).sum() == 0


def judged(*, best_worst: bool, judge: str = "ann") -> JudgedBlock:
    return JudgedBlock(
        source_language="en",
        target_language="de",
        segment=1,
        judge=judge,
        candidates=(("a",), ("b",), ("c",), ("d",)),
        labels=(1, 2, 2, 3),
        system_numbers=((),) * 4,
        best_worst=best_worst,
    )


def test_file_keeps_what_is_no_tie(tmp_path: Path) -> None:
    path = tmp_path / "judgments.csv"
    path.write_text(
        "".join(write_five_way_csv([judged(best_worst=True)], best_worst=True)),
    )
    assert tally(read_judgments([str(path)]).blocks).comparisons == 5
    path.write_text("".join(write_five_way_csv([judged(best_worst=False)])))
    assert tally(read_judgments([str(path)]).blocks).comparisons == 6


def test_judgments_of_both_kinds_are_not_ranked_together(tmp_path: Path) -> None:
    path = tmp_path / "judgments.csv"
    lines = [*write_five_way_csv([judged(best_worst=True)], best_worst=True)]
    other = lines[1].replace("ann", "bob").rstrip().removesuffix("1") + "0\n"
    path.write_text("".join([*lines, other]))
    with pytest.raises(SelectionError, match="best-worst"):
        read_judgments([str(path)])
