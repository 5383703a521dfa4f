"""Answers of other tools, imported into a task of error spans and scores and exported again."""

import gzip
import json
from collections.abc import Callable
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import HIT, Block, Judgment
from annotation.models.hit import POOLED
from annotation.services.tasks import task_rules_change
from campaign.formats.repeats import COUNTED_ONCE
from campaign.management.files import loss_lines
from campaign.models import Judge, Output, Protocol, Task
from protocols.models import SpansAnswer
from protocols.spans.files.answers import scores_read
from protocols.spans.files.formats import SpansFormat, read_spans
from tests.exporting import export_of
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.integration.protocols.conftest import MakeTask

pytestmark = pytest.mark.django_db

Import = Callable[..., str]
Line = dict[str, Any]

EMOJI = "Ein 🦊 springt, Fassung 2."


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    task = make_task_of(Protocol.SPANS)
    # Characters that are two units of UTF-16: positions must not slip.
    Output.objects.filter(segment__number=2, system__name="dune").update(text=EMOJI)
    return task


def importing(slug: str = "museum", **options: Any) -> Import:
    def run(*paths: Path | str) -> str:
        said = StringIO()
        call_command(
            "import_answers",
            *map(str, paths),
            stdout=said,
            stderr=StringIO(),
            **{
                "campaign": slug,
                "test_set": "museum en-de",
                "protocol": "spans",
                **options,
            },
        )
        return said.getvalue()

    return run


def refused(*paths: Path | str, **options: Any) -> str:
    with pytest.raises(CommandError) as error:
        importing(**options)(*paths)
    return str(error.value)


def line(
    number: int,
    judge: str,
    *outputs: tuple[str, int, list[Line]],
    **more: Any,
) -> str:
    said = [
        {"systems": [name], "score": score, "spans": s} for name, score, s in outputs
    ]
    return (
        json.dumps({"segment": number, "judge": judge, "outputs": said, **more}) + "\n"
    )


MINOR: Line = {"start": 0, "end": 3, "severity": "minor"}
MAJOR: Line = {"start": 4, "end": 7, "severity": "major"}
MISSING: Line = {"severity": "major"}

LINES = (
    line(1, "ada", ("amber", 80, [MINOR, MISSING]), started_at=1_770_000_000, ended_at=1_770_000_040.25, duration_ms=21_000, comment="“quotes”, and\ta tab"),
    line(2, "ada", ("dune", 30, [{"start": 6, "end": 13, "severity": "major"}]), ended_at=1_770_000_090),
    line(2, "ben", ("dune", 45, []), ended_at=1_770_000_100),
    line(1, "ben", ("amber", 75, []), ended_at=1_770_000_110),
    line(3, "ben", ("cobalt", 100, []), ended_at=1_770_000_120),
    line(3, "ada", ("cobalt", 91, []), ended_at=1_770_000_130),
    line(3, "ada", ("ember", 60, [MAJOR]), ended_at=1_770_000_140),
    line(4, "ben", ("dune", 55, []), ended_at=1_770_000_150),
)  # fmt: skip


@pytest.fixture
def jsonl(tmp_path: Path) -> Callable[..., Path]:
    def write(*lines: str, name: str = "spans.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(lines or LINES), encoding="utf-8")
        return path

    return write


def test_answers_become_judgments_of_imported_judges(
    task: Task,
    jsonl: Callable[..., Path],
) -> None:
    there = set(task.hits.values_list("pk", flat=True))
    path = jsonl()
    assert importing()(path) == (
        "museum en-de · Error spans and scores (ESA): 8 judgments imported, 0 already there.\n"
    )
    assert task.judgment_numbers.count() == 8
    first = Judgment.objects.of(task.pk).order_by("numbered__number")[0]
    assert (first.judge.pseudonym, first.judge.origin, first.judge.user) == (
        "ada",
        Judge.Origin.IMPORTED,
        None,
    )
    assert (first.labels, first.active_ms, first.duration_ms, first.comment) == (
        [1],
        21_000,
        40_250,
        "“quotes”, and\ta tab",
    )
    assert first.submitted_at.timestamp() == 1_770_000_040.25
    answer = SpansAnswer.objects.get(pk=first.pk)
    assert (answer.scores, answer.span_starts, answer.span_severities) == (
        [80],
        [0, None],
        [1, 2],
    )
    hits = HIT.objects.filter(task=task).exclude(pk__in=there)
    assert sorted(hit.blocks.count() for hit in hits) == [4, 4]
    assert {hit.why["file"] for hit in hits} == {str(path)}
    assert {hit.why["sha256"] for hit in hits} == {
        sha256(path.read_bytes()).hexdigest(),
    }
    # Done, so that no judge is lent one.
    assert not hits.filter(completed_at=None, purpose__in=POOLED).exists()


def test_the_same_file_doubles_nothing(
    task: Task,
    jsonl: Callable[..., Path],
    tmp_path: Path,
) -> None:
    importing()(jsonl())
    assert "0 judgments imported, 8 already there." in importing()(jsonl())
    more = line(5, "ada", ("dune", 10, [])), LINES[2]
    said = importing()(jsonl(*LINES, *more))
    assert "1 judgments imported, 8 already there." in said
    assert f"Not converted: {COUNTED_ONCE} (1 times" in said
    # Another judgment on purpose, with the same answer.
    intended = (
        json.dumps({**json.loads(LINES[2]), "repeat": 2, "ended_at": 1_770_000_200})
        + "\n"
    )
    assert "1 judgments imported, 9 already" in importing()(
        jsonl(*LINES, more[0], intended),
    )
    assert task.judgment_numbers.count() == 10
    # An export says which it was, so that both count in the figures of the file, too.
    for form in (SpansFormat.JSONL, SpansFormat.APPRAISE_CSV):
        written, _losses = exported(task, tmp_path, form)
        assert len(read_spans([str(written)]).judgments) == 10


def exported(task: Task, folder: Path, form: SpansFormat) -> tuple[Path, str]:
    path = folder / f"{task.test_set.campaign.slug}.{form}"
    written = export_of(task, form).answers
    assert written is not None
    path.write_text("".join(written.lines), encoding="utf-8", newline="")
    return path, "\n".join(loss_lines(written.losses))


@pytest.fixture
def other(task: Task) -> Task:
    """The same texts in another campaign."""
    copy = make_task(make_campaign("copy"), documents=(6, 5))
    Output.objects.filter(
        segment__test_set=copy.test_set,
        segment__number=2,
        system__name="dune",
    ).update(text=EMOJI)
    return Task.objects.create(test_set=copy.test_set, protocol=Protocol.SPANS)


@pytest.mark.thorough
def test_side_by_side_and_identical_texts(
    task: Task,
    other: Task,
    jsonl: Callable[..., Path],
    tmp_path: Path,
) -> None:
    outputs = [
        {"systems": ["amber", "birch"], "score": 70, "spans": [MINOR]},
        {"systems": ["cobalt"], "score": 70, "spans": []},
        {"systems": ["dune"], "score": 90, "spans": []},
    ]
    text = json.dumps({"segment": 1, "judge": "ada", "outputs": outputs}) + "\n"
    importing()(jsonl(text))
    judgment = Judgment.objects.get(task=task)
    assert judgment.labels == [2, 2, 1]
    assert Block.objects.get(judgments=judgment).stands_for == [2, 1, 1]
    path, _said = exported(task, tmp_path, SpansFormat.JSONL)
    importing("copy")(path)
    assert scores_read(task=other).judgments == scores_read(task=task).judgments


def test_errors_that_overlap_are_kept_of_files_alone(
    task: Task,
    jsonl: Callable[..., Path],
) -> None:
    importing()(jsonl(line(1, "ada", ("dune", 50, [MINOR, {**MAJOR, "start": 2}]))))
    (read,) = scores_read(task=task).judgments
    assert [(span.start, span.end) for span in read.outputs[0].spans or ()] == [
        (0, 3),
        (2, 7),
    ]


def test_pearmut_resets_are_applied(task: Task, jsonl: Callable[..., Path]) -> None:
    segment = task.test_set.segments.get(number=1)
    text = segment.outputs.get(system__name="dune").text

    def entry(score: int, item: int = 0) -> str:
        return json.dumps(
            {
                "user_id": "ada",
                "item_i": item,
                "item": [{"item_id": "1", "src": segment.source_text, "tgt": {"dune": text}}],
                "annotation": [{"dune": {"score": score, "error_spans": []}}],
            },
        ) + "\n"  # fmt: skip

    reset = (
        json.dumps({"user_id": "ada", "item_i": 0, "annotation": "__RESET__"}) + "\n"
    )
    said = importing()(jsonl(entry(10), reset, entry(80), name="log.jsonl"))
    assert "1 judgments imported" in said
    assert "Not converted: judgments that were reset (1 times" in said
    assert [answer.scores for answer in SpansAnswer.objects.all()] == [[80]]


@pytest.mark.parametrize("file_format", ["pearmut", "jsonl"])
def test_outputs_without_a_score_beside_scored_ones_are_left_out(
    task: Task,
    jsonl: Callable[..., Path],
    file_format: str,
) -> None:
    unscored: Line = {"score": None, "error_spans": []}
    scored: Line = {"score": 50, "error_spans": []}
    segment = task.test_set.segments.get(number=1)
    texts = {}
    for output in segment.outputs.select_related("system"):
        texts[output.system.name] = output.text
    if file_format == "pearmut":
        lines = [
            {
                "user_id": "ann",
                "item_i": number,
                "item": [{"item_id": "1", "src": segment.source_text, "tgt": texts}],
                "annotation": [annotation],
            }
            for number, annotation in enumerate(
                [{"amber": unscored, "birch": scored}, {"dune": unscored}],
            )
        ]
    else:
        lines = [
            {
                "segment": "1",
                "judge": "ann",
                "outputs": [
                    {"systems": ["amber"], "spans": []},
                    {"systems": ["birch"], "score": 50, "spans": []},
                ],
            },
            {
                "segment": "1",
                "judge": "ann",
                "outputs": [{"systems": ["dune"], "spans": []}],
            },
        ]
    said = importing()(jsonl(*(json.dumps(each) + "\n" for each in lines)))
    assert "Not converted: outputs without a score (2 times" in said
    [judgment] = scores_read(task=task).judgments
    assert [(each.systems, each.score) for each in judgment.outputs] == [
        (("birch",), 50),
    ]


def test_special_tokens_of_pearmut_are_marks_of_the_task(
    task: Task,
    jsonl: Callable[..., Path],
) -> None:
    task_rules_change(task=task, rules={"marks": ["untranslated", "off topic"]})
    segment = task.test_set.segments.get(number=1)
    text = segment.outputs.get(system__name="dune").text
    assert text is not None
    spans = [
        {"start_i": at, "end_i": at, "severity": "major", "category": None}
        for at in range(len(text), len(text) + 4)
    ]
    entry = {
        "user_id": "ada",
        "item_i": 0,
        "item": [{"item_id": "1", "src": segment.source_text, "tgt": {"dune": text}}],
        "annotation": [{"dune": {"score": 10, "error_spans": spans}}],
    }
    said = importing()(jsonl(json.dumps(entry) + "\n", name="log.jsonl"))
    assert "special marks that the task does not have (1 times" in said
    (read,) = scores_read(task=task).judgments
    kinds = [span.kind for span in read.outputs[0].spans or ()]
    assert sorted(kinds) == ["missing", "off topic", "untranslated"]


def test_segments_are_found_by_number_document_and_source(
    task: Task,
    jsonl: Callable[..., Path],
) -> None:
    source = task.test_set.segments.get(number=5).source_text
    importing()(
        jsonl(
            line(8, "ada", ("dune", 1, [])),
            line("document 2_#_2", "ada", ("dune", 2, []), document="document 2"),  # type: ignore[arg-type]
            line("document 2_#_3", "ada", ("dune", 3, [])),  # type: ignore[arg-type]
            line("whatever", "ada", ("dune", 4, []), source=source),  # type: ignore[arg-type]
        ),
    )
    found = Judgment.objects.of(task.pk).order_by("numbered__number")
    assert list(found.values_list("block__segment__number", flat=True)) == [8, 8, 9, 5]


def test_unknown_document_is_refused_and_not_counted_through(
    task: Task,
    jsonl: Callable[..., Path],
) -> None:
    with pytest.raises(CommandError, match=r'no document "not here".*document 1'):
        importing()(jsonl(line(4, "ada", ("dune", 5, []), document="not here")))
    assert not Judgment.objects.of(task.pk).exists()


def scored(**output: Any) -> str:
    values = {"systems": ["dune"], "score": 50, "spans": [], **output}
    return json.dumps({"segment": 1, "judge": "eve", "outputs": [values]}) + "\n"


@pytest.mark.thorough
def test_invalid_content_changes_nothing(
    task: Task,
    jsonl: Callable[..., Path],
) -> None:
    cases: list[tuple[str, str]] = [
        (scored(score=101), "the score 101 is not between 0 and 100"),
        (scored(spans=None), "has only a score, but judges in this task mark errors"),
        (scored(score=None, spans=None), "has neither a score nor a search for errors"),
        (scored(systems=["zorro"]), "the system zorro is unknown"),
        (
            scored(spans=[{"start": 0, "end": 400, "severity": "minor"}]),
            "error 1 of dune ends after 400 characters, and its text has",
        ),
        (scored(spans=[MISSING] * 101), "the output of dune has 101 errors"),
        (scored(text="Something else"), "differs from the test set"),
        (scored(systems=["dune", "ember"]), "wrote different texts for segment 1"),
        (line(99, "eve", ("dune", 1, [])), "has no segment 99; its last is 11"),
        (line(1, "eve", ("dune", 1, []), source="Other."), "the source text differs"),
        (
            line(1, "eve", ("dune", 1, []), source_language="fr", target_language="de"),
            "fr → de",
        ),
        (line(1, "eve", ("dune", 1, []), ended_at=1e10), "the time is in the future"),
        (
            line(1, "eve", ("dune", 1, []), comment="x" * 5_001),
            "the comment has 5,001 characters",
        ),
        (
            line(1, "eve", ("dune", 1, []), duration_ms=10**12),
            "the time is longer than 24 days",
        ),
        (
            line(
                1,
                "eve",
                ("dune", 1, []),
                started_at=1,
                ended_at=2,
                duration_ms=5_000,
            ),
            "the active time is longer than the duration",
        ),
        (line(1, "judge01", ("dune", 1, [])), 'the judge "judge01" was not imported'),
        (scored(text="x" * 10_000_000), "the line is longer than 4,194,304 bytes"),
        (scored(systems=["\x00"]), "U+0000"),
    ]
    make_judge(task.test_set.campaign, "judge01")
    hits = HIT.objects.count()
    for text, words in cases:
        said = refused(jsonl(*LINES, text))
        assert words in said
        assert "spans.jsonl, line " in said
        assert "What to do: " in said
        assert not Judgment.objects.exists()
        assert not Judge.objects.filter(origin=Judge.Origin.IMPORTED).exists()
        assert HIT.objects.count() == hits


def test_text_that_only_looks_the_same_is_refused_in_these_words(
    task: Task,
    jsonl: Callable[..., Path],
) -> None:
    """doccano/doccano#2264: positions in a text with accents of their own are others."""
    output = Output.objects.filter(segment__number=1, system__name="dune")
    for stored, written in (
        ("Öffnet um neun.", "O\u0308ffnet um neun."),
        ("um 9 Uhr", "um 9\xa0Uhr"),
    ):
        output.update(text=stored)
        said = refused(jsonl(scored(text=written)))
        assert "differs from the test set, although it looks the same" in said


def test_rules_of_the_task_hold(task: Task, jsonl: Callable[..., Path]) -> None:
    Task.objects.filter(pk=task.pk).update(rules={"spans_asked": False})
    assert "has errors, but judges in this task give only scores" in refused(jsonl())
    alone = json.dumps(
        {
            "segment": 1,
            "judge": "ada",
            "outputs": [{"systems": ["dune"], "score": 87.5}],
        },
    )
    said = importing()(jsonl(alone))
    assert "fractions of scores (rounded) (1 times" in said
    Task.objects.filter(pk=task.pk).update(rules={"missing": False})
    missing = scored(spans=[MISSING])
    assert "missing content is marked in the output of dune, which" in refused(
        jsonl(missing),
    )


@pytest.fixture
def organiser(task: Task, client: Client) -> Client:
    client.force_login(make_organiser(task.test_set.campaign))
    return client


def test_rest_is_the_same_code_path(task: Task, organiser: Client) -> None:
    address = f"/api/v1/tasks/{task.pk}/answers/"
    known = organiser.get(address).json()
    formats = [*map(str, SpansFormat), "machine-judgments-jsonl"]
    assert known == {"read": formats, "imports": []}

    def send(text: str, **more: str) -> Any:
        file = SimpleUploadedFile("spans.jsonl", text.encode())
        return organiser.post(address, {"file": file, **more})

    answer = send("".join(LINES))
    assert (answer.status_code, answer.json()) == (
        200,
        {
            "judgments": 8,
            "skips": 0,
            "already_there": 0,
            "repeated": 0,
            "by_machines": 0,
            "machines": 0,
            "losses": [],
        },
    )
    assert send("".join(LINES)).json()["already_there"] == 8
    assert send("".join([*LINES, LINES[2], LINES[2]])).json() == {
        "judgments": 0,
        "skips": 0,
        "already_there": 8,
        "repeated": 0,
        "by_machines": 0,
        "machines": 0,
        "losses": [{"what": COUNTED_ONCE, "count": 2, "first": "spans.jsonl, line 9"}],
    }
    refused_answer = send(scored(score=101))
    assert refused_answer.status_code == 400
    assert "spans.jsonl, line 1" in refused_answer.content.decode()
    assert send("".join(LINES), file_format="xlsx").status_code == 400
    imports = organiser.get(address).json()["imports"]
    assert [(each["judgments"], each["already_there"]) for each in imports] == [
        (0, 8), (0, 8), (8, 0),
    ]  # fmt: skip
    assert [file["name"] for file in imports[0]["files"]] == ["spans.jsonl"]
    bomb = SimpleUploadedFile("spans.jsonl.gz", gzip.compress(b"\n" * 30_000_000))
    assert "20 MB unpacked" in organiser.post(address, {"file": bomb}).content.decode()
    stream = f"/api/v1/tasks/{task.pk}/exports/stream/"
    written = organiser.get(stream, {"kind": "answers", "file_format": "mqm-tsv"})
    assert written["Not-Carried-Over"].startswith("languages (8); ")
    assert b"".join(written).decode().startswith("system\tdoc\t")
    refused_answer = organiser.get(stream, {"kind": "answers", "file_format": "csv"})
    assert refused_answer.status_code == 400
    assert "Available formats: spans-jsonl, " in refused_answer.content.decode()
