"""Sentences of drawn campaigns are true to the numbers below them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.agreement.intervals import says_enough
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.files.records import JudgmentsRead
from ranking.models import RankingRun
from ranking.pages.summary import summarise_run
from ranking.reports.analyses.options import completed
from ranking.reports.analyses.stopping import STOPPING
from ranking.reports.inputs import Input, WorkFacts
from ranking.reports.wording.agreement import kappa_in_words
from ranking.reports.wording.ranges import rank_range
from ranking.services.run_results import run_result_of_blocks
from tests.properties import examples
from tests.worlds import World, draw_campaign

SEED = 5

worlds = st.builds(
    World,
    name=st.just("drawn"),
    systems=st.integers(5, 8),
    spread=st.sampled_from([0, 5, 20, 80]),
    blocks=st.integers(6, 200),
    segments=st.sampled_from([None, 12, 40]),
    judges=st.integers(1, 8),
    taste_sd=st.sampled_from([0.0, 3.0]),
    redundancy=st.integers(1, 3),
).filter(lambda world: world.redundancy <= world.judges)


def ranked(world: World) -> RankingRun:
    """Rank a drawn campaign as pages do, without storing anything."""
    blocks, _truth = draw_campaign(world, SEED)
    run = RankingRun(
        method="expected_wins",
        seed=SEED,
        parameters={
            **RangeOptions().recorded,
            "method_parameters": METHODS["expected_wins"].defaults,
            "resamples": 100,
            "systems": list(blocks.systems),
            "excluded_judges": [],
            "left_out": [],
            "agreement": {
                "chance": "conger",
                "chance_of_judges": "own",
                "resample": "two_way",
                "confidence": 0.95,
            },
        },
    )
    run.result = run_result_of_blocks(run, blocks)
    return run


def overlap(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether the rank ranges of two rows share a rank."""
    return bool(
        max(one["rank_low"], other["rank_low"])
        <= min(one["rank_high"], other["rank_high"]),
    )


@examples(100)
@given(world=worlds)
def test_headline_names_clusters_and_leaders_of_table(world: World) -> None:
    run = ranked(world)
    summary, rows = summarise_run(run), run.result["systems"]
    known = [row for row in rows if not row.get("shortage")]
    headline = summary.headline
    if clusters := re.search(r"(\d+) clusters? among (\d+)", headline):
        assert int(clusters[1]) == len({row["cluster"] for row in known})
        assert int(clusters[2]) == len(rows)
    if " of " in headline:
        assert run.result["not_estimable"]
    if leading := re.match(r"(.*) leads?: ", headline):
        names = re.split(", | and ", leading[1])
        assert names == [row["system"] for row in rows[: len(names)]]
        assert len(known) == len(rows)
        others = rows[len(names) :]
        assert others
        assert not any(
            overlap(leader, row) for leader in rows[: len(names)] for row in others
        )
    if headline.startswith(("No clusters", "All ")):
        assert len({row["cluster"] for row in rows}) == 1
    if headline == "Rank ranges are not estimable yet":
        assert {rank_range(row) for row in rows} == {"not estimable yet"}


@examples(100)
@given(world=worlds)
def test_sentences_about_overlap_and_clusters_match_ranges(world: World) -> None:
    run = ranked(world)
    rows = {row["system"]: row for row in run.result["systems"]}
    for sentence in summarise_run(run).details:
        if sentence == "All rank ranges overlap.":
            assert all(
                overlap(one, other) for one in rows.values() for other in rows.values()
            )
            continue
        match = re.match(r"(.*) form one cluster so far, at 95%\.$", sentence)
        assert match is not None, sentence
        if " systems from " in sentence:
            continue
        names = re.split(", | and ", match[1])
        assert len({rows[name]["cluster"] for name in names}) == 1
        together = [rows[name] for name in names]
        for row in together:
            assert any(overlap(row, other) for other in together if other is not row)


@examples(100)
@given(world=worlds)
def test_agreement_has_strength_only_with_interval_that_says_enough(
    world: World,
) -> None:
    agreement = ranked(world).result["agreement"]
    words, inter = kappa_in_words(agreement), agreement["inter"]
    if words["strength"] is not None:
        assert inter["kappa"] is not None
        assert inter["low"] <= inter["kappa"] <= inter["high"]
        assert says_enough(inter["low"], inter["high"])
    assert bool(words["kappa_missing"]) == (inter["kappa"] is None)
    if inter["comparable"] == 1:
        assert inter["kappa"] is None


def told(
    world: World,
    **work: Any,
) -> tuple[Sequence[str], dict[str, list[dict[str, Any]]]]:
    """Return the notes and the tables of *When to stop* of a drawn campaign, their rows by column."""
    blocks, _truth = draw_campaign(world, SEED)
    # Fewer experiments than organisers may choose.
    options = completed(STOPPING.options, {"limit": 1_000}).replaced(
        {"experiments": 10},
    )
    read = JudgmentsRead(
        files=(),
        input_format=None,
        languages=("cs", "en"),
        skipped=0,
        blank_labels=0,
        judges=len(blocks.judges),
        blocks=blocks,
        duration_ms=np.full(len(blocks), -1),
    )
    facts = WorkFacts(
        judged=len(blocks),
        counted=len(blocks),
        rule_judgments=None,
        today=0,
        days=(),
        pace=((20, 800.0, 720.0), (10, 400.0, 360.0), (15, 600.0, 540.0)),
        base_words=10.0,
        output_words=10.0,
        most_shown=5,
        **work,
    )
    asked = Input(read=read, blocks=blocks, reference=None, work=facts)
    assert STOPPING.find is not None
    assert STOPPING.tell is not None
    found = STOPPING.find(asked, options, lambda _step: lambda _done, _all: None)
    report = STOPPING.tell(asked, options, found)
    tables = {
        table.name: [
            dict(zip([column.key for column in table.columns], row, strict=True))
            for row in table.rows
        ]
        for table in report.tables
    }
    return report.notes, tables


@examples(12)
@given(world=worlds, wanted=st.sampled_from([None, 150]))
def test_remaining_judgments_are_same_in_answer_and_tables(
    world: World,
    wanted: int | None,
) -> None:
    notes, tables = told(world, wanted=wanted)
    ahead = {row["target"]: row for row in tables.get("time_ahead", [])}
    for row in tables.get("plan", []):
        assert row["more"] == ahead[row["target"]]["judgments"], row["target"]
    missing = [row for row in ahead.values() if row["judgments"] != 0]
    if not missing:
        assert not any("Remaining judgments: " in note for note in notes)
        return
    chosen = [row for row in missing if row["target"].startswith("Target: ")]
    row = (chosen or missing)[0]
    assert notes[0].startswith(row["target"])
    if row["judgments"] is None:
        assert "more than" in notes[0]
    else:
        assert f"Remaining judgments: {row['judgments']:,}" in notes[0]
    if wanted is not None and chosen:
        assert row["judgments"] == max(0, wanted - min(wanted, world.blocks))
