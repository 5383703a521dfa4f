"""How rank ranges are made: one setting by service, page and command, and the rankings that follow."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, InternalError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import JudgmentSequence
from annotation.services import design_change
from campaign.models import Document, Segment, User
from ranking.core.rankings.rank import rank
from ranking.models import RankingRun, RankingSettings
from ranking.range_choices import RangeChoice, RangeChoiceError, recorded_choice
from ranking.selectors.judged_blocks import judged_blocks
from ranking.selectors.runs import due_test_sets, latest_run, ranking_is_due
from ranking.selectors.settings import ranking_settings_in_force
from ranking.services import (
    ranking_run_compute,
    ranking_run_reproduce,
    ranking_settings_change,
)
from ranking.services.stored_pairs import pairs_of
from ranking.tasks import rank_what_is_due
from tests.integration.ranking.pages import addresses, text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


@pytest.fixture
def varied(writer: TestSetWriter) -> TestSetWriter:
    """Twelve segments by six judges: for four A is better than B, for two B than A.

    72 blocks tell A and B apart; six judges do not.
    """
    for segment in range(1, 13):
        block = writer.block(segment, ["A", "B", "C"])
        for judge in range(6):
            writer.judgment(f"j{judge}", block, [2, 1, 3] if judge < 2 else [1, 2, 3])
    return writer


def change(writer: TestSetWriter, **changes: Any) -> RankingSettings:
    return ranking_settings_change(test_set=writer.test_set, **changes)


def documents_of(writer: TestSetWriter, size: int) -> None:
    """Give every `size` segments in a row a document of their own."""
    for segment in Segment.objects.filter(test_set=writer.test_set).order_by("number"):
        number = (segment.number - 1) // size
        document, _created = Document.objects.get_or_create(
            test_set=writer.test_set, name=f"d{99 - number}", defaults={"position": 10 + number}
        )
        place = {"document": document, "position": segment.number}
        Segment.objects.filter(pk=segment.pk).update(**place)


def page_of(writer: TestSetWriter) -> str:
    return reverse("ranking-settings", args=[writer.campaign.slug, writer.test_set.pk])


def test_nobody_changed_anything_and_ranges_are_two_way(varied: TestSetWriter) -> None:
    assert ranking_settings_in_force(test_set_id=varied.test_set.pk).choice == RangeChoice()
    run = ranking_run_compute(test_set_id=varied.test_set.pk)
    assert run is not None
    recorded = {name: run.parameters[name] for name in RangeChoice().recorded}
    assert recorded == {
        "resample": "two_way",
        "ranges": "percentile",
        "correction": "none",
        "sides": 2,
        "confidence": 0.95,
    }
    assert run.parameters["method_parameters"] == {}
    assert not RankingSettings.objects.exists()


@pytest.mark.parametrize("level", ["two_way", "segments", "judges", "blocks", "pairs"])
def test_a_run_has_the_ranges_of_the_level_bit_for_bit(varied: TestSetWriter, level: Any) -> None:
    change(varied, resample=level)
    run = ranking_run_compute(test_set_id=varied.test_set.pk)
    assert run is not None
    blocks = judged_blocks(test_set_id=varied.test_set.pk, watermark=run.watermark)
    expected = rank(blocks, "expected_wins", resample=level)
    assert [
        (row["system"], row["score"], row["rank_low"], row["rank_high"], row["cluster"])
        for row in run.result["systems"]
    ] == [
        (row.system, row.score, row.rank_low, row.rank_high, row.cluster)
        for row in expected.systems
    ]
    assert ranking_run_reproduce(RankingRun.objects.get(pk=run.pk)) == run.result


def test_a_stored_run_of_before_is_reproduced_bit_for_bit(varied: TestSetWriter) -> None:
    """Its parameters name blocks and none of what is recorded since; its result says less."""
    now = ranking_run_compute(test_set_id=varied.test_set.pk)
    assert now is not None
    new = {"ranges", "correction", "sides", "method_parameters"}
    blocks = judged_blocks(test_set_id=varied.test_set.pk, watermark=now.watermark)
    ranges = {row.system: row for row in rank(blocks, resample="blocks").systems}
    said_since = {"limits", "refusals", "pairs"}
    result = {name: value for name, value in now.result.items() if name not in said_since}
    result["input"] = {
        name: value
        for name, value in result["input"].items()
        if name in {"blocks", "comparisons", "ties", "judges", "systems"}
    }
    result["systems"] = [
        row
        | {
            name: getattr(ranges[row["system"]], name)
            for name in ("rank_low", "rank_high", "cluster")
        }
        for row in result["systems"]
    ]
    assert result["systems"] != now.result["systems"]
    before = RankingRun.objects.create(
        test_set=varied.test_set,
        method=now.method,
        parameters={
            **{name: value for name, value in now.parameters.items() if name not in new},
            "resample": "blocks",
        },
        seed=now.seed,
        watermark=now.watermark,
        code_version="1.0.0",
        result=result,
        started_at=now.started_at,
    )
    assert ranking_run_reproduce(RankingRun.objects.get(pk=before.pk)) == result
    change(varied, resample="judges")
    assert ranking_run_reproduce(RankingRun.objects.get(pk=before.pk)) == result
    # It stays, but is not what the test set asks for: a newer one follows.
    assert ranking_is_due(test_set_id=varied.test_set.pk)


def test_a_change_is_ranked_once_and_what_was_there_stays(varied: TestSetWriter) -> None:
    first = ranking_run_compute(test_set_id=varied.test_set.pk)
    assert first is not None
    assert due_test_sets() == []
    change(varied, resample="blocks")
    assert due_test_sets() == [varied.test_set.pk]

    rank_what_is_due()

    latest = latest_run(test_set_id=varied.test_set.pk)
    assert latest is not None
    assert (latest.parameters["resample"], latest.watermark) == ("blocks", first.watermark)
    assert due_test_sets() == []
    rank_what_is_due()
    assert RankingRun.objects.count() == 2
    # There and back again is a third run: the latest must be of the settings in force.
    change(varied, resample="two_way")
    rank_what_is_due()
    again = latest_run(test_set_id=varied.test_set.pk)
    assert again is not None
    assert (RankingRun.objects.count(), again.result) == (3, first.result)
    assert due_test_sets() == []


def test_the_worker_is_told_of_a_change_and_of_nothing_else(
    varied: TestSetWriter, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    ranking_run_compute(test_set_id=varied.test_set.pk)
    requested = JudgmentSequence.objects.filter(ranking_requested_at__isnull=False)
    with django_capture_on_commit_callbacks() as told:
        change(varied, resample="two_way")
    assert (len(told), requested.exists()) == (0, False)
    with django_capture_on_commit_callbacks() as told:
        change(varied, resample="segments")
    assert (len(told), requested.exists()) == (1, True)


def test_changes_are_history_with_their_author(varied: TestSetWriter, organiser: User) -> None:
    change(varied, resample="blocks", changed_by=organiser)
    change(varied, resample="blocks", changed_by=organiser)
    change(varied, ranges="sign_test", correction="holm")
    change(varied, confidence=0.9)
    rows = list(RankingSettings.objects.of(varied.test_set.pk).order_by("id"))
    recorded = [tuple(row.choice.recorded.values()) for row in rows]
    assert recorded == [
        ("blocks", "percentile", "none", 2, 0.95),
        ("pairs", "sign_test", "holm", 1, 0.95),
        ("pairs", "sign_test", "holm", 1, 0.9),
    ]
    assert [row.changed_by for row in rows] == [organiser, None, None]
    # What belongs to sign tests goes with them.
    assert tuple(change(varied, ranges="percentile").choice.recorded.values()) == (
        *("two_way", "percentile", "none", 2, 0.9),
    )


@pytest.mark.parametrize(
    "chosen",
    [
        {"ranges": "sign_test", "correction": "benjamini_hochberg", "sides": 2},
        {"ranges": "confidence_set", "correction": "holm"},
        {"ranges": "confidence_set", "resample": "judges"},
        {"ranges": "anytime"},
        {"correction": "holm"},
    ],
)
def test_a_run_has_the_ranges_and_the_pairs_that_were_chosen(
    varied: TestSetWriter, chosen: dict[str, Any]
) -> None:
    choice = change(varied, **chosen).choice
    run = ranking_run_compute(test_set_id=varied.test_set.pk)
    assert run is not None
    blocks = judged_blocks(test_set_id=varied.test_set.pk, watermark=run.watermark)
    expected = rank(blocks, **choice.arguments)
    assert pairs_of(run) == list(expected.pairs)
    assert [(row["rank_low"], row["rank_high"]) for row in run.result["systems"]] == [
        (row.rank_low, row.rank_high) for row in expected.systems
    ]
    assert ranking_run_reproduce(RankingRun.objects.get(pk=run.pk)) == run.result
    assert due_test_sets() == []


def test_anytime_ranges_are_of_expected_wins_and_not_for_active_designs(
    varied: TestSetWriter,
) -> None:
    change(varied, ranges="anytime")
    design_change(test_set=varied.test_set, kind="active")
    run = ranking_run_compute(test_set_id=varied.test_set.pk)
    assert run is not None
    assert run.method == "expected_wins"
    assert not ranking_is_due(test_set_id=varied.test_set.pk)
    change(varied, ranges="percentile")
    with pytest.raises(RangeChoiceError, match="active design"):
        change(varied, ranges="anytime")


def test_what_makes_no_ranges_is_refused_and_changes_nothing(varied: TestSetWriter) -> None:
    for changes, field in (
        ({"ranges": "confidence_set", "correction": "benjamini_hochberg"}, "correction"),
        ({"ranges": "anytime", "sides": 1}, "sides"),
        ({"confidence": 1.0}, "confidence"),
        ({"confidence": 0.9999}, "confidence"),
    ):
        with pytest.raises(RangeChoiceError) as refused:
            change(varied, **changes)
        assert refused.value.field == field
    assert not RankingSettings.objects.exists()


@pytest.mark.parametrize(
    ("nonsense", "fact"),
    [
        ({"resample": "docs"}, "level_is_known"),
        ({"ranges": "guess"}, "ranges_are_known"),
        ({"correction": "all"}, "correction_is_known"),
        ({"sides": 3}, "sides_one_or_two"),
        ({"confidence": 1.0}, "confidence_above_0_up_to_0_999"),
        ({"confidence": float("nan")}, "confidence_above_0_up_to_0_999"),
        ({"ranges": "sign_test"}, "sign_tests_are_of_pairs"),
        ({"ranges": "confidence_set", "sides": 1}, "confidence_sets_hold_each_or_all"),
        ({"ranges": "anytime"}, "anytime_ranges_hold_for_all_pairs"),
    ],
)
def test_the_database_refuses_nonsense(
    writer: TestSetWriter, nonsense: dict[str, Any], fact: str
) -> None:
    with (
        pytest.raises(IntegrityError, match=f"ranking_settings_{fact}"),
        transaction.atomic(),
    ):
        RankingSettings.objects.create(test_set=writer.test_set, **nonsense)


def test_settings_never_change_but_forget_who_made_them(
    writer: TestSetWriter, organiser: User
) -> None:
    settings = change(writer, resample="blocks", changed_by=organiser)
    settings.resample = "pairs"
    with pytest.raises(InternalError, match="rankingsettings"), transaction.atomic():
        settings.save()
    organiser.delete()
    settings.refresh_from_db()
    assert (settings.resample, settings.changed_by) == ("blocks", None)


@pytest.mark.parametrize("count", [1, 20])
def test_what_is_due_takes_two_queries_with_settings_too(varied: TestSetWriter, count: int) -> None:
    for number in range(count):
        change(varied, confidence=0.5 + number / 100)
    with CaptureQueriesContext(connection) as queries:
        assert due_test_sets() == [varied.test_set.pk]
    assert len(queries) == 2


def test_one_document_is_said_where_ranges_are_over_segments(varied: TestSetWriter) -> None:
    run = ranking_run_compute(test_set_id=varied.test_set.pk)
    assert run is not None
    assert run.result["limits"] == ["one_document"]
    other = Document.objects.create(test_set=varied.test_set, name="other", position=9)
    Segment.objects.filter(test_set=varied.test_set, number=12).update(document=other, position=1)
    change(varied, confidence=0.9)
    run = ranking_run_compute(test_set_id=varied.test_set.pk)
    assert run is not None
    assert run.result["limits"] == ["few_documents"]
    assert run.result["input"]["documents"] == 2
    assert run.result["input"]["effective_documents"] == pytest.approx(12**2 / (11**2 + 1))


def test_documents_take_the_place_of_segments(varied: TestSetWriter, as_organiser: Client) -> None:
    """Systems differ by document: its two segments say no more than one."""
    run = ranking_run_compute(test_set_id=varied.test_set.pk)
    documents_of(varied, 2)
    change(varied, confidence=0.9)
    by_documents = ranking_run_compute(test_set_id=varied.test_set.pk)
    assert run is not None
    assert by_documents is not None
    assert by_documents.parameters["documents"] is True
    assert by_documents.result["limits"] == []
    assert by_documents.result["input"]["documents"] == 6
    assert by_documents.result["input"]["effective_documents"] == pytest.approx(6)
    assert by_documents.result["input"]["segments"] == 12
    blocks = judged_blocks(test_set_id=varied.test_set.pk, watermark=by_documents.watermark)
    document = ((blocks.segment - 1) // 2).astype(np.int32)
    expected = rank(replace(blocks, document=document), confidence=0.9)
    without = rank(blocks, confidence=0.9)
    assert pairs_of(by_documents) == list(expected.pairs)
    assert expected.pairs != without.pairs
    stored = RankingRun.objects.get(pk=by_documents.pk)
    assert ranking_run_reproduce(stored) == by_documents.result
    said = text_of(as_organiser.get(addresses(varied)["dashboard"]))
    assert "account for documents and judges" in said
    rest = as_organiser.get(reverse("api-ranking-latest", args=[varied.test_set.pk])).json()
    assert (rest["input"]["documents"], rest["input"]["effective_documents"]) == (6, 6)


@pytest.mark.parametrize(
    "chosen",
    [{}, {"ranges": "confidence_set"}, {"ranges": "anytime"}, {"resample": "segments"}],
)
def test_a_run_of_before_documents_counted_keeps_its_bits(
    varied: TestSetWriter, chosen: dict[str, Any]
) -> None:
    """Percentiles and confidence sets took no account of documents, anytime ranges did."""
    documents_of(varied, 1)
    change(varied, **chosen)
    now = ranking_run_compute(test_set_id=varied.test_set.pk)
    assert now is not None
    del now.parameters["documents"]
    blocks = judged_blocks(test_set_id=varied.test_set.pk, watermark=now.watermark)
    if chosen.get("ranges") == "anytime":
        blocks = replace(blocks, document=blocks.segment)
    expected = rank(blocks, **recorded_choice(now.parameters).arguments)
    result = ranking_run_reproduce(now)
    assert result["systems"] == [asdict(row) for row in expected.systems]
    assert result["input"] == {
        name: value
        for name, value in now.result["input"].items()
        if name not in {"documents", "effective_documents"}
    }
    assert result["limits"] == now.result["limits"] == []


def test_anytime_ranges_take_the_documents_of_a_test_set_for_independent(
    varied: TestSetWriter,
) -> None:
    """Two are too few to say anything, where twelve segments by themselves were not."""
    change(varied, ranges="anytime")
    without = ranking_run_compute(test_set_id=varied.test_set.pk)
    other = Document.objects.create(test_set=varied.test_set, name="other", position=9)
    later = Segment.objects.filter(test_set=varied.test_set, number__gt=6)
    for position, segment in enumerate(later.order_by("number"), 1):
        Segment.objects.filter(pk=segment.pk).update(document=other, position=position)
    change(varied, confidence=0.9)
    run = ranking_run_compute(test_set_id=varied.test_set.pk)
    assert without is not None
    assert run is not None
    blocks = judged_blocks(test_set_id=varied.test_set.pk, watermark=run.watermark)
    documents = (blocks.segment > 6).astype(np.int32)
    expected = rank(replace(blocks, document=documents), ranges="anytime", confidence=0.9)
    assert run.result["refusals"] == expected.extra["refusals"]
    assert run.result["refusals"]["A"] == ["few_segments"]
    assert without.result["refusals"] != run.result["refusals"]
    assert run.result["input"]["segments"] == 12
    assert run.result["input"]["effective_segments"] == pytest.approx(12)
    assert run.result["input"]["effective_judges"] == pytest.approx(6)


def test_the_page_offers_levels_in_words_and_changes_the_level(
    as_organiser: Client, organiser: User, varied: TestSetWriter
) -> None:
    ranking_run_compute(test_set_id=varied.test_set.pk)
    dashboard = addresses(varied)["dashboard"]
    assert page_of(varied) in as_organiser.get(dashboard).content.decode()
    shown = as_organiser.get(page_of(varied))
    assert "Choose this if only these judges matter." in text_of(shown)
    assert 'value="two_way" id="id_resample_two_way"' in shown.content.decode()
    assert shown.content.decode().count(" checked>") == 1

    answer = as_organiser.post(page_of(varied), {"resample": "blocks"}, follow=True)

    assert "Changed. A ranking with the new rank ranges will appear within seconds." in text_of(
        answer
    )
    settings = RankingSettings.objects.get()
    assert (settings.resample, settings.changed_by) == ("blocks", organiser)
    rank_what_is_due()
    page = text_of(as_organiser.get(dashboard))
    assert "95 % rank ranges from 1,000 resamples of blocks. They treat blocks" in page
    assert "Blocks are drawn at random again and again" in page
    assert "Last changed by Olga" in text_of(as_organiser.get(page_of(varied)))
    again = as_organiser.post(page_of(varied), {"resample": "blocks"}, follow=True)
    assert "Nothing was changed." in text_of(again)
    refused = as_organiser.post(page_of(varied), {"resample": "docs"})
    assert refused.status_code == 400
    assert "Select a valid choice" in text_of(refused)
    assert RankingSettings.objects.count() == 1


def test_the_page_makes_ranges_by_tests_percentiles_again_but_keeps_sets(
    as_organiser: Client, varied: TestSetWriter
) -> None:
    change(varied, ranges="sign_test")
    shown = as_organiser.get(page_of(varied))
    assert "currently come from tests of pairs" in text_of(shown)
    assert " checked>" not in shown.content.decode()
    as_organiser.post(page_of(varied), {"resample": "blocks"})
    change(varied, ranges="confidence_set", correction="holm")
    as_organiser.post(page_of(varied), {"resample": "segments"})
    rows = RankingSettings.objects.order_by("id").values_list("ranges", "resample", "correction")
    assert list(rows)[1:] == [
        ("percentile", "blocks", "none"),
        ("confidence_set", "two_way", "holm"),
        ("confidence_set", "segments", "holm"),
    ]


def test_the_campaigns_settings_lead_to_those_of_its_test_sets(
    as_organiser: Client, varied: TestSetWriter
) -> None:
    page = as_organiser.get(reverse("campaign-settings", args=[varied.campaign.slug]))
    assert page_of(varied) in page.content.decode()


def command(writer: TestSetWriter, *arguments: str) -> str:
    out = StringIO()
    name = ["--campaign", writer.campaign.slug, "--test-set", writer.test_set.name]
    call_command("change_ranking", *name, *arguments, stdout=out)
    return out.getvalue()


def test_the_command_changes_what_it_names(varied: TestSetWriter, organiser: User) -> None:
    said = command(varied, "--resample", "segments", "--by", "olga@example.org")
    assert "resample=segments, ranges=percentile" in said
    command(varied, "--rank-ranges", "sign_test", "--correction", "bh", "--sided", "two")
    command(varied, "--confidence", "0.9")
    rows = list(RankingSettings.objects.order_by("id"))
    assert [row.changed_by for row in rows] == [organiser, None, None]
    assert tuple(rows[-1].choice.recorded.values()) == (
        *("pairs", "sign_test", "benjamini_hochberg", 2, 0.9),
    )
    command(varied, "--rank-ranges", "bootstrap")
    command(varied, "--rank-ranges", "two_way")
    levels = RankingSettings.objects.order_by("id").values_list("ranges", "resample", "correction")
    assert list(levels)[-2:] == [
        ("percentile", "blocks", "none"),
        ("percentile", "two_way", "none"),
    ]


def test_the_command_refuses_what_contradicts_itself(varied: TestSetWriter) -> None:
    for arguments in (
        ("--rank-ranges", "two_way", "--resample", "blocks"),
        ("--rank-ranges", "anytime", "--correction", "none"),
        ("--rank-ranges", "confidence_set", "--sided", "one"),
    ):
        with pytest.raises(CommandError):
            command(varied, *arguments)
    assert not RankingSettings.objects.exists()


@pytest.mark.parametrize(
    ("chosen", "arguments"),
    [
        ({}, []),
        ({"resample": "judges"}, ["--resample", "judges"]),
        ({"ranges": "confidence_set"}, ["--rank-ranges", "confidence_set"]),
        (
            {"ranges": "sign_test", "correction": "holm"},
            ["--rank-ranges", "sign_test", "--correction", "holm"],
        ),
    ],
)
@pytest.mark.parametrize("size", [None, 6, 2])
def test_the_page_rest_and_the_command_on_the_downloaded_file_give_the_same_bits(
    as_organiser: Client,
    varied: TestSetWriter,
    tmp_path: Path,
    chosen: dict[str, Any],
    arguments: list[str],
    size: int | None,
) -> None:
    """For one document, for two, which are too few, and for six."""
    if size is not None:
        documents_of(varied, size)
    change(varied, **chosen)
    ranking_run_compute(test_set_id=varied.test_set.pk)
    rest = as_organiser.get(reverse("api-ranking-latest", args=[varied.test_set.pk])).json()
    dashboard = as_organiser.get(addresses(varied)["dashboard"])
    download = as_organiser.get(
        reverse("judgments-download", args=[varied.campaign.slug, varied.test_set.pk])
    )
    file = tmp_path / "judgments.csv"
    file.write_bytes(b"".join(download))
    out = StringIO()
    call_command("rank_judgments", str(file), *arguments, "--format", "json", stdout=out)
    (said,) = json.loads(out.getvalue())["rankings"]

    assert [line.row for line in dashboard.context["plot"].rows] == rest["systems"]
    assert said["systems"] == rest["systems"]
    assert said["pairs"] == rest["pairs"]
    # One document says nothing of others, and a file need not mean it.
    assert said["limits"] == [limit for limit in rest["limits"] if limit != "one_document"]
    for name in ("effective_segments", "effective_documents", "effective_judges"):
        assert said[name] == rest["input"][name]
