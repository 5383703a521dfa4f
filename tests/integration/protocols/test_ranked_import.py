"""Pairwise CSV of WMT15 and WMT16 and Appraise's XML, into tasks whose judges compare outputs, and out again."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Judgment, Skip
from annotation.protocols.answer_kinds import answers_read
from campaign.export.downloads import ending
from campaign.models import Protocol, Task
from campaign.selectors.uploads import judgments_imports
from protocols.models import Verdict
from ranking.files.reading import read_judgments
from tests.exporting import exported
from tests.factories import make_campaign, make_task
from tests.integration.protocols.conftest import MakeTask
from tests.outputs_shown import names_shown

pytestmark = pytest.mark.django_db

HEADER = "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID\n"
TWO = (
    "en,de,2,2,ada,amber,1,dune,2,1\n",
    "en,de,2,2,ben,dune,1,amber,3,2\n",
    "en,de,4,4,ada,amber,2,cobalt,2,3\n",
)
#: amber and birch wrote the same text of segment 1: no row compares them.
FIVE = (
    "en,de,1,1,ada,amber,1,dune,2,1\n",
    "en,de,1,1,ada,birch,1,dune,2,1\n",
    "en,de,1,1,ada,amber,1,cobalt,4,1\n",
    "en,de,1,1,ada,birch,1,cobalt,4,1\n",
    "en,de,1,1,ada,dune,2,cobalt,4,1\n",
)
XML = """<results>
  <HIT source-language="eng" target-language="deu">
    <ranking-task id="2">
      <ranking-result user="ada" duration="00:01:02.345">
        <translation system="amber" rank="2"/><translation system="dune" rank="1"/>
      </ranking-result>
      <ranking-result user="ben" duration="00:00:07"/>
      <ranking-result user="eve"><translation system="amber,birch" rank="1"/></ranking-result>
    </ranking-task>
  </HIT>
</results>
"""


def imported(
    path: Path,
    protocol: Protocol,
    campaign: str = "museum",
    **options: Any,
) -> str:
    said = StringIO()
    call_command(
        "import_answers",
        str(path),
        campaign=campaign,
        test_set="museum en-de",
        protocol=str(protocol),
        stdout=said,
        stderr=StringIO(),
        **options,
    )
    return said.getvalue()


def refused(*arguments: Any, **options: Any) -> str:
    with pytest.raises(CommandError) as error:
        imported(*arguments, **options)
    return str(error.value)


@pytest.fixture
def pairwise(tmp_path: Path) -> Callable[..., Path]:
    def write(*rows: str) -> Path:
        path = tmp_path / "pairwise.csv"
        path.write_text(HEADER + "".join(rows), encoding="utf-8")
        return path

    return write


def said(task: Task) -> list[tuple[str, int, list[list[str]], Any]]:
    """Judge, segment, systems by candidate and answer, by number; labels where these are the answer."""
    found = list(
        Judgment.objects.of(task.pk)
        .select_related("judge", "block__segment")
        .order_by("numbered__number"),
    )
    answers = answers_read(task.protocol, [each.pk for each in found])
    return [
        (
            each.judge.pseudonym,
            each.block.segment.number,
            names_shown(each.block),
            answers.get(each.pk, each.labels),
        )
        for each in found
    ]


def written(task: Task, file_format: str, folder: Path) -> Path:
    path = folder / f"written.{ending(file_format)}"
    path.write_text(exported(task, file_format), encoding="utf-8")
    return path


@pytest.fixture
def two(make_task_of: MakeTask) -> Task:
    return make_task_of(Protocol.TWO_OUTPUTS)


def copy_of(task: Task) -> Task:
    """The same texts in another campaign."""
    copy = make_task(make_campaign("copy"), documents=(6, 5))
    if task.protocol == Protocol.RANKING:
        return copy
    return Task.objects.create(
        test_set=copy.test_set,
        protocol=task.protocol,
        rules=task.rules,
    )


@pytest.mark.thorough
@pytest.mark.parametrize("form", ["pairwise-csv", "appraise-xml"])
def test_two_outputs_go_in_and_out(
    two: Task,
    pairwise: Callable[..., Path],
    tmp_path: Path,
    form: str,
) -> None:
    what = imported(pairwise(*TWO), Protocol.TWO_OUTPUTS)
    assert "3 judgments imported, 0 already there." in what
    assert "rank differences and tied ranks (2 times" in what
    assert said(two) == [
        ("ada", 2, [["amber"], ["dune"]], {"verdict": Verdict.FIRST}),
        ("ben", 2, [["dune"], ["amber"]], {"verdict": Verdict.FIRST}),
        ("ada", 4, [["amber"], ["cobalt"]], {"verdict": Verdict.SAME}),
    ]
    path = written(two, form, tmp_path)
    other = copy_of(two)
    assert "Not imported" not in imported(path, Protocol.TWO_OUTPUTS, "copy")
    assert said(other) == said(two)
    assert "0 judgments imported, 3 already" in imported(
        path,
        Protocol.TWO_OUTPUTS,
        "copy",
    )


def test_a_ranking_of_five_goes_in_and_out(
    make_task_of: MakeTask,
    pairwise: Callable[..., Path],
    tmp_path: Path,
) -> None:
    make_task_of(Protocol.TOP)
    task = Task.objects.get(protocol=Protocol.RANKING)
    imported(pairwise(*FIVE), Protocol.RANKING)
    assert said(task) == [
        ("ada", 1, [["amber", "birch"], ["dune"], ["cobalt"]], [1, 2, 4]),
    ]
    path = written(task, "pairwise-csv", tmp_path)
    other = copy_of(task)
    imported(path, Protocol.RANKING, "copy")
    assert said(other) == said(task)
    before, after = (
        read_judgments([str(each)]).blocks for each in (pairwise(*FIVE), path)
    )
    assert before.key.tolist() == after.key.tolist()


def test_import_of_rankings_keeps_the_top(
    make_task_of: MakeTask,
    pairwise: Callable[..., Path],
) -> None:
    task = make_task_of(Protocol.TOP)
    what = imported(pairwise(*FIVE), Protocol.TOP)
    assert "the order of outputs below the top" in what
    assert [answer for *_others, answer in said(task)] == [
        {"top": [True, False, False]},
    ]


def test_xml_has_times_and_skips(two: Task, tmp_path: Path) -> None:
    path = tmp_path / "results.xml"
    path.write_text(XML, encoding="utf-8")
    what = imported(path, Protocol.TWO_OUTPUTS)
    assert "skips that do not name the outputs (1 times" in what
    assert "blocks with one output, which compare nothing (1 times" in what
    (judgment,) = Judgment.objects.of(two.pk)
    assert (judgment.duration_ms, judgment.active_ms, judgment.labels) == (
        62_345,
        None,
        [2, 1],
    )
    out = written(two, "appraise-xml", tmp_path)
    assert 'duration="00:01:02.345"' in out.read_text(encoding="utf-8")


FIVE_WAY = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system1rank,system2Id,system2rank\n"
    "English,de,2,,2, ada ,amber,1,dune,2\n"
    "en,ger,4,,4,ada,amber,-1,cobalt,-1\n"
    "en,de,6,,6,ben,cobalt,3,,\n"
)


def test_a_five_way_file_is_stored_alike_by_both_commands_and_once(
    make_task_of: MakeTask,
    tmp_path: Path,
) -> None:
    make_task_of(Protocol.TOP)
    path = tmp_path / "five-way.csv"
    path.write_text(FIVE_WAY, encoding="utf-8")
    what = imported(path, Protocol.RANKING)
    assert "2 judgments imported, 0 already there." in what
    assert "1 skip imported." in what
    task = Task.objects.get(protocol=Protocol.RANKING)
    assert said(task) == [
        ("ada", 2, [["amber"], ["dune"]], [1, 2]),
        ("ben", 6, [["cobalt"]], [3]),
    ]
    skip = Skip.objects.get()
    assert (skip.judge.pseudonym, names_shown(skip.block)) == (
        "ada",
        [["amber"], ["cobalt"]],
    )
    out = StringIO()
    call_command(
        "import_answers", str(path), campaign="museum", test_set="museum en-de", stdout=out,
        stderr=StringIO(),
    )  # fmt: skip
    assert "0 judgments imported, 3 already there." in out.getvalue()
    first, second = reversed(judgments_imports(task=task))
    assert (first["judgments"], first["skips"], first["already_there"]) == (2, 1, 0)
    assert (second["judgments"], second["skips"], second["already_there"]) == (0, 0, 3)
    assert first["files"] == second["files"]


def test_invalid_content_changes_nothing(
    two: Task,
    pairwise: Callable[..., Path],
) -> None:
    five = refused(pairwise(*TWO, *(row.replace(",1\n", ",9\n") for row in FIVE)), Protocol.TWO_OUTPUTS)  # fmt: skip
    assert "the number of outputs is 3, but judges in this task see 2" in five
    assert "pairwise.csv, line 5" in five
    blank = refused(pairwise(TWO[0].replace(",2,1\n", ",-1,1\n")), Protocol.TWO_OUTPUTS)
    assert "an output has no rank" in blank
    assert "the database" not in five
    assert not Judgment.objects.exists()
    Task.objects.filter(pk=two.pk).update(rules={"four_answers": True})
    tied = refused(pairwise(*TWO), Protocol.TWO_OUTPUTS)
    assert "this task needs “both fine”" in tied
    five_way = pairwise()
    five_way.write_text("srclang,trglang,srcIndex\n", encoding="utf-8")
    assert "the header has no column documentId" in refused(
        five_way,
        Protocol.TWO_OUTPUTS,
    )
