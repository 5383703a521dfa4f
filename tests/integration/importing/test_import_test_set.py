"""`import_test_set`: every format, all or nothing."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.models import Design
from annotation.services.planning.designs import design_ensure
from campaign.importing import test_sets
from campaign.models import Campaign, Document, Reference, Segment, System, Task
from tests.conftest import test_database_url as database_url
from tests.factories import make_server_organiser

pytestmark = pytest.mark.django_db

Write = Callable[[str, str | bytes], Path]
Say = Callable[..., str]
Files = dict[str, Path]

SOURCE = (
    "The museum opens at nine.\nBags stay in the cloakroom.\nThe tour takes an hour.\n"
)
REFERENCE = (
    "Das Museum öffnet um neun.\nTaschen bleiben hier.\nDie Führung dauert lang.\n"
)
AMBER = "Museum öffnet neun.\nTaschen hier.\nFührung.\n"
BIRCH = "Ein Museum.\nBeutel.\nTour\\n\t<b>&amp;\n"
NAMES = {
    "campaign": "museum",
    "name": "visit",
    "source_language": "en",
    "target_language": "de",
}


@pytest.fixture
def files(write: Write) -> Files:
    return {
        "source": write("visit.en", SOURCE),
        "reference": write("visit.de", REFERENCE),
        "amber": write("amber.de", AMBER),
        "birch": write("birch.de", BIRCH),
    }


def plain(files: Files, *more: str) -> list[str]:
    return [
        f"--source={files['source']}",
        f"--reference={files['reference']}",
        f"--system=amber={files['amber']}",
        f"--system=birch={files['birch']}",
        *more,
    ]


def said_of_the_reference(done: Say, *arguments: str, name: str) -> str:
    return str(done("import_test_set", *arguments, **NAMES | {"name": name})).partition(
        "s, ",
    )[2]


def test_import_reports_the_use_of_the_reference(
    campaign: Campaign,
    files: Files,
    done: Say,
) -> None:
    none = said_of_the_reference(
        done,
        *plain(files, "--reference-system=none"),
        name="none",
    )
    assert none == "2 systems; the reference is shown to judges and not ranked."
    asked = said_of_the_reference(
        done,
        *plain(files, "--rank-shown-reference"),
        name="asked",
    )
    assert asked == "2 systems and the reference, which judges see and rank."
    assert Design.objects.get(task__test_set__name="asked").reference_rate is None
    without = [each for each in plain(files) if not each.startswith("--reference")]
    assert (
        said_of_the_reference(done, *without, name="without")
        == "2 systems, no reference."
    )
    Campaign.objects.filter(pk=campaign.pk).update(show_reference=False)
    hidden = said_of_the_reference(done, *plain(files), name="hidden")
    assert hidden == "2 systems and the reference as a hidden control."
    assert (
        design_ensure(task=Task.objects.get(test_set__name="hidden")).reference_rate
        is None
    )
    apart = said_of_the_reference(
        done,
        *plain(files, "--reference-system=none"),
        name="apart",
    )
    assert apart == "2 systems; the reference is neither shown nor ranked."


def texts_of(task: Task) -> dict[str, list[str | None]]:
    return {
        system.name: list(
            system.outputs.order_by("segment__number").values_list("text", flat=True),
        )
        for system in task.test_set.systems.all()
    }


def test_plain_text_becomes_segments_references_systems_and_outputs(
    campaign: Campaign,
    files: Files,
    done: Say,
) -> None:
    said = done("import_test_set", *plain(files), blocks_wanted=40, **NAMES)
    task = Task.objects.get()
    warning, summary = said.splitlines()
    assert "segment 3" in warning
    assert summary == (
        f"Test set {task.pk} “visit”: 3 segments, 2 systems; "
        "the reference is shown to judges and not ranked."
    )
    assert design_ensure(task=task).reference_rate == 0
    assert task.test_set.campaign == campaign
    assert task.blocks_wanted == 40
    assert (task.test_set.source_language, task.test_set.target_language) == (
        "en",
        "de",
    )
    assert list(
        Segment.objects.values_list(
            "number",
            "position",
            "source_text",
            "document__name",
        ),
    ) == [(n, n, text, "visit.en") for n, text in enumerate(SOURCE.splitlines(), 1)]
    assert list(
        Reference.objects.order_by("id").values_list(
            "segment__number",
            "number",
            "text",
        ),
    ) == [(n, 1, text) for n, text in enumerate(REFERENCE.splitlines(), 1)]
    assert texts_of(task) == {
        "amber": AMBER.splitlines(),
        "birch": ["Ein Museum.", "Beutel.", "Tour\\n\t<b>&amp;"],
        "_ref": REFERENCE.splitlines(),
    }
    assert dict(System.objects.values_list("name", "kind")) == {
        "amber": "system",
        "birch": "system",
        "_ref": "reference",
    }


def test_documents_of_plain_text_come_from_a_file(
    campaign: Campaign,
    files: Files,
    write: Write,
    done: Say,
) -> None:
    documents = write("documents", "hall\nhall\ntour\n")
    done("import_test_set", *plain(files, f"--documents={documents}"), **NAMES)
    assert list(Document.objects.values_list("name", "position")) == [
        ("hall", 1),
        ("tour", 2),
    ]
    assert list(
        Segment.objects.values_list("document__name", "position", "number"),
    ) == [
        ("hall", 1, 1),
        ("hall", 2, 2),
        ("tour", 1, 3),
    ]


def test_second_references_are_shown_but_do_not_take_part(
    campaign: Campaign,
    files: Files,
    write: Write,
    done: Say,
) -> None:
    second = write("second.de", "Eins.\n\nDrei.\n")
    done("import_test_set", *plain(files, f"--reference={second}"), **NAMES)
    assert list(
        Reference.objects.filter(number=2)
        .order_by("id")
        .values_list("segment__number", "text"),
    ) == [(1, "Eins."), (3, "Drei.")]
    assert System.objects.filter(kind="reference").count() == 1


def test_tsv_jsonl_sgml_and_gzip_give_the_same(
    campaign: Campaign,
    write: Write,
    done: Say,
) -> None:
    texts = (SOURCE, REFERENCE, AMBER, AMBER)
    rows = list(zip(*(text.splitlines() for text in texts), strict=True))
    header = "document\tsource\treference\tamber\tbirch"
    tsv = write(
        "v.tsv",
        "\n".join([header, *("\t".join(("visit", *row)) for row in rows)]),
    )
    jsonl = write(
        "v.jsonl",
        "\n".join(
            json.dumps(
                {
                    "document": "visit",
                    "source": a,
                    "references": [b],
                    "outputs": {"amber": c, "birch": d},
                },
            )
            for a, b, c, d in rows
        ),
    )
    done("import_test_set", str(tsv), **NAMES | {"name": "tsv"})
    done("import_test_set", str(jsonl), **NAMES | {"name": "jsonl"})
    sgml = []
    for place, tag in enumerate(("srcset", "refset", "tstset")):
        body = "\n".join(
            f'<seg id="{n}">{row[place]}</seg>' for n, row in enumerate(rows, 1)
        )
        content = f'<{tag} setid="v">\n<doc docid="visit">\n{body}\n</doc>\n</{tag}>\n'
        sgml.append(write(f"{tag}.sgm.gz", gzip.compress(content.encode())))
    done(
        "import_test_set",
        f"--source={sgml[0]}",
        f"--reference={sgml[1]}",
        f"--system=amber={sgml[2]}",
        f"--system=birch={sgml[2]}",
        **NAMES | {"name": "sgml"},
    )
    for task in Task.objects.all():
        assert texts_of(task) == {
            "amber": AMBER.splitlines(),
            "birch": AMBER.splitlines(),
            "_ref": REFERENCE.splitlines(),
        }, task.test_set.name
        assert (
            list(task.test_set.segments.values_list("source_text", flat=True))
            == SOURCE.splitlines()
        )
        assert list(task.test_set.documents.values_list("name", flat=True)) == ["visit"]


def test_campaign_is_created_with_the_task(files: Files, done: Say) -> None:
    make_server_organiser()
    done("import_test_set", *plain(files), create_campaign="A day", **NAMES)
    assert Campaign.objects.get(slug="museum").name == "A day"


def test_error_after_many_segments_leaves_nothing(
    write: Write,
    refused: Say,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(test_sets, "_BATCH_SEGMENTS", 2)
    rows = [
        {"source": f"S{n}", "outputs": {"amber": f"A{n}", "birch": "B"}}
        for n in range(7)
    ]
    rows.append({"source": "S7", "outputs": {"amber": " ", "birch": "B"}})
    path = write("late.jsonl", "\n".join(map(json.dumps, rows)))
    make_server_organiser()
    said = refused("import_test_set", str(path), create_campaign="New", **NAMES)
    assert said.startswith(
        f'{path}, line 8 (field "outputs"): the output of amber is empty.',
    )


INVALID_FILES: list[tuple[str, str | bytes, str]] = [
    (
        "empty.tsv",
        "source\tamber\nS1\tA1\nS2\t \n",
        'line 3, column 2 (field "amber"): the output of amber is empty',
    ),
    (
        "systems.jsonl",
        '{"source": "S1", "outputs": {"amber": "A"}}\n{"source": "S2", "outputs": {"birch": "B"}}',
        'line 2 (field "outputs"): the line has an output of birch, but line 1 does not',
    ),
    (
        "twice.tsv",
        "document\tsegment\tsource\tamber\nd\t1\tS1\tA1\nd\t1\tS2\tA2\n",
        'line 3: the document "d" has the segment "1" twice',
    ),
    (
        "latin.tsv",
        b"source\tamber\nS1\tcaf\xe9\n",
        "line 2, column 7: the byte 0xE9 is not UTF",
    ),
    ("comma.tsv", "source\ta,b\nS\tA\n", "contains a comma"),
    ("nothing.tsv", "source\tamber\n", "the file contains no segments"),
    ("void.txt", "", "the file contains no segments"),
    (
        "long.tsv",
        f"source\t{'x' * 201}\nS\tA\n",
        "is longer than 200 characters",
    ),
    (
        "document.tsv",
        f"document\tsource\tamber\n{'d' * 301}\tS\tA\n",
        "is longer than 300 characters",
    ),
    ("alone.tsv", "source\treference\nS\tR\n", "there are no system outputs"),
    (
        "one.tsv",
        "source\treference\tamber\nS\tR\tA\n",
        "there is only one system, amber",
    ),
    (
        "ref.tsv",
        "source\treference\t_ref\ta\nS\tR\tT\tU\n",
        "a system is called _ref",
    ),
]


def test_invalid_file_is_named_and_nothing_is_stored(
    campaign: Campaign,
    write: Write,
    refused: Say,
    subtests: pytest.Subtests,
) -> None:
    for name, content, said in INVALID_FILES:
        with subtests.test(name=name, content=content, said=said):
            assert said in refused(
                "import_test_set",
                str(write(name, content)),
                **NAMES,
            )


@pytest.mark.thorough
def test_error_goes_to_standard_error_with_exit_code_1(tmp_path: Path) -> None:
    options = [f"--{name.replace('_', '-')}={value}" for name, value in NAMES.items()]
    finished = subprocess.run(
        [
            sys.executable,
            "manage.py",
            "import_test_set",
            str(tmp_path / "no.tsv"),
            *options,
        ],
        env={**os.environ, "DATABASE_URL": database_url()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 1
    assert finished.stdout == ""
    assert (
        finished.stderr
        == f"CommandError: {tmp_path / 'no.tsv'}: No such file or directory.\n"
    )
