"""What is written of a task and read back onto the same texts says the same, by document, segment, system and judge."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any, Final

import pytest
from django.core.management import call_command
from pytest_django import DjangoDbBlocker

from annotation.importing.answers import answers_import
from annotation.models import HIT, Judgment
from annotation.protocols.answer_files import answer_files
from annotation.protocols.answer_kinds import answer_kinds, answers_read
from annotation.services.numbers import judgments_number
from campaign.formats.streams import StoredFile
from campaign.models import Campaign, Document, Judge, Protocol, System, Task
from protocols.spans.files.formats import SpansFormat
from ranking.core.counting.counts import tally
from ranking.export.kinds import KINDS, ExportFormat
from ranking.files.reading import read_judgments
from ranking.files.records import InputFormat
from tests.exporting import export_of, exported
from tests.factories import make_campaign, make_judge, make_task
from tests.integration.exports.test_formats import whole
from tests.integration.protocols.judging import Shown, labelled_all
from tests.integration.protocols.test_files_in_again import other_of
from tests.integration.protocols.test_files_of_every_protocol import COMMANDS
from tests.outputs_shown import names_shown
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

#: What separates cells, fields, paths and ids in one format or another, and letters from right to left.
ODD: Final = {
    "amber": "Llama-3.1 8B",
    "birch": 'say "no"',
    "cobalt": "a/b#c_#_1",
    "dune": "مترجم ٢",
    "ember": "=1+1",
    "document 1": 'news/2026.11 #1 "a"',
    "document 2": "אתר <b> & c",
    "ada": "@ada.1 b",
    "ben": "'-1",
    "cleo": 'כ "3"/#4',
}
RANKED = [
    (kind, file_format)
    for kind in ("counted", "comparisons")
    for file_format in KINDS[kind].formats
]
ORDERS = (InputFormat.PAIRWISE_CSV, InputFormat.APPRAISE_XML)
WRITTEN = [
    (kind.protocol, file_format)
    for kind in answer_kinds()
    for files in [answer_files(kind.protocol)]
    if files is not None
    for file_format in (*files.writers, *ORDERS)
    # Of sorts, orders are written for commands on files.
    if file_format in files.formats
]


def renamed(task: Task) -> Task:
    """Give systems, documents and judges the odd names."""
    for name, odd in ODD.items():
        System.objects.filter(test_set=task.test_set, name=name).update(name=odd)
        Document.objects.filter(test_set=task.test_set, name=name).update(name=odd)
        Judge.objects.filter(campaign=task.test_set.campaign, pseudonym=name).update(
            pseudonym=odd,
        )
    # Sorts remember by name what they asked; names stay as they are from then on.
    if task.protocol == Protocol.SORTING:
        for hit in HIT.objects.filter(task=task):
            why = json.loads(json.dumps(hit.why), object_hook=_compared)
            HIT.objects.filter(pk=hit.pk).update(why=why)
    return task


def _compared(why: dict[str, Any]) -> dict[str, Any]:
    pair = why.get("comparison")
    return (
        why | {"comparison": sorted(ODD.get(name, name) for name in pair)}
        if pair
        else why
    )


def said(task: Task, file_format: str = "") -> Counter[tuple[Any, ...]]:
    """Count what judges said by document, place in it, judge and systems, as far as a format carries it.

    Labels of orders and answers of the protocol's own format; of spans each output by itself, since other formats do
    not have which were shown side by side, and MQM has no scores; of sorts without which output was shown first.
    """
    found = list(
        Judgment.objects.of(task.pk)
        .current()
        .select_related("judge", "block__segment__document"),
    )
    answers = answers_read(task.protocol, [each.pk for each in found])
    counted: Counter[tuple[Any, ...]] = Counter()
    for each in found:
        segment = each.block.segment
        key = (segment.document.name, segment.position, each.judge.pseudonym)
        shown = [tuple(sorted(systems)) for systems in names_shown(each.block)]
        answer = {} if file_format in ORDERS else dict(answers.get(each.pk, {}))
        if task.protocol == Protocol.SPANS:
            for systems, output in zip(shown, answer["outputs"], strict=True):
                scored = (
                    {}
                    if file_format == SpansFormat.MQM_TSV
                    else {"score": output["score"]}
                )
                counted[*key, systems, _text({**scored, "spans": output["spans"]})] += 1
        elif task.protocol == Protocol.SORTING:
            counted[*key, *sorted(zip(shown, each.labels, strict=True))] += 1
        else:
            counted[*key, *shown, tuple(each.labels), _text(answer)] += 1
    return counted


def _text(answer: dict[str, Any]) -> str:
    return json.dumps(answer, sort_keys=True)


def imported(task: Task, content: str, folder: Path) -> str:
    path = folder / "written"
    path.write_text(content, encoding="utf-8")
    printed = StringIO()
    call_command(
        "import_answers",
        str(path),
        campaign=task.test_set.campaign.slug,
        test_set=task.test_set.name,
        protocol=task.protocol,
        stdout=printed,
        stderr=StringIO(),
    )
    return printed.getvalue()


def texts(campaign: Campaign) -> Task:
    """Return a ranking of two documents that share numbers; amber and birch wrote every other text alike."""
    return make_task(campaign, documents=(3, 3), planned=0)


def ranked_task() -> Task:
    """Three judges rank; of every other segment two systems are one candidate."""
    task = texts(make_campaign())
    judges = [
        make_judge(task.test_set.campaign, name) for name in ("ada", "ben", "cleo")
    ]
    shown = [
        Shown(
            judge=judge,
            systems=("amber", "dune", "cobalt", "ember"),
            number=number,
            labels=[1 + (number + place) % 4, 2, 3, 1],
        )
        for place, judge in enumerate(judges)
        for number in range(1, 7)
    ]
    labelled_all(task, shown)
    judgments_number(task_id=task.pk)
    return renamed(task)


@pytest.fixture(scope="module")
def pair(
    request: pytest.FixtureRequest,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[tuple[Task, Task]]:
    """A task of a protocol with answers, and one of the same texts without."""
    make = partial(answered_and_other, request.param)
    with shared_rows(django_db_blocker, make) as tasks:
        yield tasks


def answered_and_other(protocol: Protocol) -> tuple[Task, Task]:
    if protocol == Protocol.RANKING:
        return ranked_task(), renamed(texts(make_campaign("other")))
    task = COMMANDS[protocol][0](make_campaign())
    judgments_number(task_id=task.pk)
    other = other_of(task)
    return renamed(task), renamed(other)


@pytest.mark.parametrize(("kind", "file_format"), RANKED)
@pytest.mark.parametrize("pair", [Protocol.RANKING], indirect=True)
def test_ranking_comes_back_from_each_format(
    pair: tuple[Task, Task],
    kind: str,
    file_format: ExportFormat,
) -> None:
    task, other = pair
    content = whole(task, kind, str(file_format))
    file = StoredFile("written", partial(BytesIO, content))
    if file_format is ExportFormat.FIVE_WAY_CSV:
        assert answers_import(task=other, files=[file]).losses == ()
    else:
        answers_import(task=other, files=[file])
    assert said(other) == said(task)
    assert len(said(task)) == 18


@pytest.mark.parametrize(("pair", "file_format"), WRITTEN, indirect=["pair"])
def test_answers_come_back_from_each_format(
    pair: tuple[Task, Task],
    file_format: str,
    tmp_path: Path,
) -> None:
    task, other = pair
    if file_format in ORDERS:
        # Ties are ties, whatever judges said of them.
        Task.objects.filter(pk=other.pk).update(rules={})
    imported(other, exported(task, file_format), tmp_path)
    before, after = said(task, file_format), said(other, file_format)
    assert len({judge for _document, _place, judge, *_said in after}) >= 3
    assert len({document for document, *_said in after}) == 2
    written = export_of(task, file_format).answers
    losses = written.losses if written else []
    lost = sum(each.count for each in losses if each.what.startswith("acceptances"))
    assert not after - before
    assert (before - after).total() == lost


def test_odd_names_of_a_file_are_the_same_in_each_format(tmp_path: Path) -> None:
    case = "tests/data/cases/files/76-odd-names-through-every-format/x.csv"
    of = {"campaign": make_campaign("files").slug, "test_set": "odd"}
    call_command("import_answers", case, create_test_set=True, **of, verbosity=0)
    task = Task.objects.get(test_set__name="odd")
    expected = read_judgments([case]).blocks
    for kind, file_format in RANKED:
        path = tmp_path / f"{kind}.{file_format}"
        path.write_bytes(whole(task, kind, str(file_format)))
        blocks = read_judgments([str(path)]).blocks
        assert (blocks.systems, blocks.judges) == (expected.systems, expected.judges)
        assert (tally(blocks).wins == tally(expected).wins).all(), file_format
