"""The released files of WMT: texts, judgments onto them, judgments alone, and all of it back."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Judgment, Skip
from campaign.models import Campaign, Output, Reference, Segment, SystemKind, Task
from ranking.core.rankings.rank import rank
from ranking.files.reading import read_judgments
from ranking.services.runs import ranking_run_compute
from tests.exporting import exported
from tests.factories import make_server_organiser

pytestmark = [pytest.mark.django_db, pytest.mark.realdata]

Say = Callable[..., str]


@pytest.fixture
def with_texts(campaign: Campaign, wmt12_with_texts: Path, done: Say) -> Task:
    wmt12 = wmt12_with_texts
    systems = [
        f"--system={path.name.split('.')[2]}={path}"
        for path in sorted((wmt12 / "systems").iterdir())
    ]
    done(
        "import_test_set",
        f"--source={wmt12 / 'newstest2012-src.cs.sgm'}",
        f"--reference={wmt12 / 'newstest2012-ref.en.sgm'}",
        *systems,
        campaign="museum",
        name="newstest2012",
        source_language="cs",
        target_language="en",
    )
    return Task.objects.get(test_set__name="newstest2012")


def bare(done: Say, path: Path, name: str = "bare") -> Task:
    done(
        "import_answers",
        str(path),
        campaign="museum",
        test_set=name,
        create_test_set=True,
    )
    return Task.objects.get(test_set__name=name)


def scores(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a ranking without what depends on documents."""
    ranges = {"rank_low", "rank_high", "cluster"}
    return [
        {name: value for name, value in row.items() if name not in ranges}
        for row in result["systems"]
    ]


def ranked(task: Task) -> dict[str, Any]:
    run = ranking_run_compute(task_id=task.pk)
    assert run is not None
    return dict(run.result)


@pytest.mark.thorough
def test_wmt12_texts(with_texts: Task, wmt12_with_texts: Path) -> None:
    assert with_texts.test_set.segments.count() == 3_003
    assert with_texts.test_set.documents.count() == 99
    assert Reference.objects.count() == 3_003
    assert Output.objects.count() == 7 * 3_003
    kinds = dict(with_texts.test_set.systems.values_list("name", "kind"))
    assert kinds.pop("_ref") == SystemKind.REFERENCE
    assert sorted(kinds) == [
        "cu-bojar",
        "jhu-heiro",
        "onlineA",
        "onlineB",
        "uedin-wmt12",
        "uk-dan-moses",
    ]
    first = Segment.objects.get(test_set_id=with_texts.test_set_id, number=1)
    source = (wmt12_with_texts / "newstest2012-src.cs.sgm").read_text(encoding="utf-8")
    assert f'<seg id="1">{first.source_text}</seg>' in source.splitlines()
    assert first.document.name == "denik.cz/2011/11/15/33709.html"


@pytest.mark.thorough
def test_wmt12_judgments_rank_alike_with_texts_and_without(
    with_texts: Task,
    wmt12_with_texts: Path,
    done: Say,
) -> None:
    said = done(
        "import_answers",
        str(wmt12_with_texts / "judgments.csv"),
        campaign="museum",
        test_set="newstest2012",
    )
    assert "1,291 judgments imported, 0 already there." in said
    # WMT 2012 names the test set where documents stand.
    assert '"cs-en.test"' in said
    assert "(1,294 times" in said
    said = done(
        "import_answers",
        str(wmt12_with_texts / "judgments.csv"),
        campaign="museum",
        test_set="newstest2012",
    )
    assert "0 judgments imported, 1,294 already there." in said
    without = bare(done, wmt12_with_texts / "judgments.csv")
    assert (without.test_set.source_language, without.test_set.target_language) == (
        "cs",
        "en",
    )
    assert without.test_set.segments.count() == 951
    assert Judgment.objects.of(without.pk).count() == 1_291
    assert Skip.objects.filter(block__hit__task=without).count() == 3
    # Judgments alone name one document, which no range can look beyond; the texts have 99, which
    # ranges account for.
    of_texts, of_judgments = ranked(with_texts), ranked(without)
    assert (of_texts["limits"], of_judgments["limits"]) == ([], ["one_document"])
    assert of_texts["input"]["documents"] == 97
    assert scores(of_texts) == scores(of_judgments)
    assert of_texts["agreement"] == of_judgments["agreement"]


@pytest.mark.parametrize(
    "file",
    [
        "wmt10/judgments.cs-en.csv",
        pytest.param("wmt12-es-en/judgments.csv", marks=pytest.mark.thorough),
    ],
)
def test_exported_into_a_fresh_campaign_ranks_the_same_bit_for_bit(
    campaign: Campaign,
    real_data: Path,
    done: Say,
    tmp_path: Path,
    file: str,
) -> None:
    make_server_organiser()
    first = bare(done, real_data / file)
    path = tmp_path / "export.csv"
    path.write_text(exported(first), encoding="utf-8")
    done(
        "import_answers",
        str(path),
        campaign="fresh",
        create_campaign="Fresh",
        test_set="fresh",
        create_test_set=True,
    )
    second = Task.objects.get(test_set__name="fresh")
    result = ranked(first)
    assert ranked(second) == result
    # The files of WMT10 name documents; the command reads them as the database does.
    blocks = read_judgments([str(path)]).blocks
    assert (blocks.document is not None) == file.startswith("wmt10")
    in_file = rank(blocks.without({"_ref"}.intersection(blocks.systems)))
    assert [asdict(row) for row in in_file.systems] == result["systems"]
    if blocks.document is not None:
        assert result["input"]["documents"] == len(set(blocks.document.tolist()))
    assert exported(second) == path.read_text(encoding="utf-8")
