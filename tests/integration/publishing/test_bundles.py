"""What is in a bundle, and what it says of nobody."""

import io
import json
from hashlib import sha256
from pathlib import Path

import pyarrow.parquet
import pytest
from django.core.management import call_command
from django.utils import translation

from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Judge, Output, Segment, System, User
from ranking.models import PublishedResult
from ranking.pages.result_bundles import result_bundle_make
from ranking.reports.wording.published_method import method_sentences
from ranking.services.published_results.content import FrontMatter
from ranking.services.published_results.publish import result_publish
from ranking.services.runs import ranking_run_compute
from tests.integration.publishing.bundled import (
    bundled,
    files_of,
    made_and_undone,
    packed,
    said,
)
from tests.integration.ranking.writing import TestSetWriter, settings_change

pytestmark = pytest.mark.django_db


def test_the_zip_is_the_same_whenever_it_is_made(judged: TestSetWriter) -> None:
    result, zipped = made_and_undone(result_publish(task=judged.task, by=None))
    bundle = result.bundle
    assert bundle is not None
    assert sha256(zipped).hexdigest() == bundle.digest
    assert len(zipped) == bundle.size
    files = files_of(zipped)
    assert {each["name"]: each["sha256"] for each in result.bundle_files} == {
        name: sha256(content).hexdigest() for name, content in files.items()
    }
    assert sha256(files["result.json"]).hexdigest() == result.digest
    listed = b"".join(
        f"{sha256(files[name]).hexdigest()}  {name}\n".encode()
        for name in sorted(files)
        if name != "checksums.txt"
    )
    assert files["checksums.txt"] == listed

    # More judgments, systems and HITs change nothing of it.
    judged.system("ember")
    judged.judgment("j9", judged.block(30, ["amber", "ember"]), [1, 2])
    again = result_bundle_make(result=PublishedResult.objects.get())
    assert again.bundle is not None
    assert again.bundle.digest == bundle.digest


def as_letters(path: Path, zipped: bytes) -> str:
    """Return all bytes in a bundle as one text, those of its Parquet unpacked."""
    files = files_of(zipped)
    parquet = path / "judgments.parquet"
    parquet.write_bytes(files.pop("judgments.parquet"))
    table = pyarrow.parquet.read_table(parquet)
    return b"\n".join(files.values()).decode(errors="replace") + json.dumps(
        table.to_pydict(),
    )


def test_anonymous_systems_cannot_be_identified(
    judged: TestSetWriter,
    tmp_path: Path,
    organiser: User,
) -> None:
    System.objects.filter(name="birch").update(
        team="Timber Ltd",
        contact="ceo@timber.example",
    )
    for judge in Judge.objects.select_related("user"):
        assert judge.user is not None
        judge.user.name = f"Person behind {judge.pseudonym}"
        judge.user.email = f"{judge.pseudonym}-mail@example.org"
        judge.user.save()
    Segment.objects.update(source_text="Věta.")
    for output in Output.objects.select_related("system"):
        output.text = f"Sentence {output.system_id % 5}."
        output.save()

    result, zipped = bundled(judged.task, anonymous=["birch", "dune"], with_texts=True)

    text = as_letters(tmp_path, zipped)
    for secret in (
        "birch",
        "dune",
        "Timber",
        "Person behind",
        "-mail@",
        organiser.email or "–",
    ):
        assert secret not in text, secret
    assert "System A" in text
    assert "amber" in text
    files = files_of(zipped)
    texts = [json.loads(line) for line in files["texts.jsonl"].decode().splitlines()]
    assert set(texts[0]["outputs"]) == {"amber", "cobalt", "System A", "System B"}
    # Scores do not depend on names; ranges are drawn in their order, so they were computed under the letters.
    path = packed(tmp_path / "bundle.zip", files)
    assert said(path)[0] == 0
    scores = {row["system"]: row["score"] for row in result.run.result["systems"]}
    labels = {
        System.objects.get(pk=pk).name: label for pk, label in result.labels.items()
    }
    assert {
        row["system"]: row["score"] for row in result.content["ranking"]["systems"]
    } == {labels[name]: score for name, score in scores.items()}


@pytest.mark.thorough
def test_texts_are_in_it_only_where_they_were_asked_for(judged: TestSetWriter) -> None:
    Segment.objects.update(source_text="Tajná věta.")
    _result, without = bundled(judged.task)
    assert "texts.jsonl" not in files_of(without)
    assert "Texts are not included" in files_of(without)["README.md"].decode()
    assert not any(
        "Tajná" in content.decode(errors="replace")
        for content in files_of(without).values()
    )
    _result, with_texts = bundled(judged.task, with_texts=True)
    assert "Tajná věta." in files_of(with_texts)["texts.jsonl"].decode()


@pytest.mark.thorough
def test_judges_who_are_left_out_are_in_a_file_of_their_own(
    judged: TestSetWriter,
    tmp_path: Path,
    organiser: User,
) -> None:
    j3 = Judge.objects.get(pseudonym="j3")
    quality_action_take(
        decision=JudgeDecision(action="exclude", note="Random.", user=organiser),
        judge=j3,
        task=judged.task,
    )
    ranking_run_compute(task_id=judged.task.pk)
    _result, zipped = bundled(judged.task)
    files = files_of(zipped)
    assert ",j3," not in files["judgments.csv"].decode()
    left_out = files["judgments-left-out.csv"].decode().splitlines()[1:]
    assert len(left_out) == 8
    assert all(",j3," in line for line in left_out)
    assert said(packed(tmp_path / "bundle.zip", files))[0] == 0
    # `rank_judgments` reads both formats.
    ranked = []
    for name in ("judgments.csv", "judgments.parquet"):
        (tmp_path / name).write_bytes(files[name])
        out = io.StringIO()
        call_command(
            "rank_judgments",
            str(tmp_path / name),
            "--format",
            "json",
            stdout=out,
        )
        ranked.append(json.loads(out.getvalue())["rankings"])
    assert ranked[0] == ranked[1]


def test_a_reworded_reason_is_all_that_a_bundle_has_of_it(
    judged: TestSetWriter,
    tmp_path: Path,
) -> None:
    reason = "The team of Amber asked for it."
    settings_change(judged, confidence=0.9, reason=reason)
    ranking_run_compute(task_id=judged.task.pk)
    front_matter = FrontMatter(wordings={reason: "A team asked for it."})
    _result, zipped = bundled(
        judged.task,
        anonymous=["amber"],
        front_matter=front_matter,
    )
    text = as_letters(tmp_path, zipped)
    assert "amber" not in text.lower()
    assert "A team asked for it. (reworded for publication)" in text
    status, again = said(packed(tmp_path / "bundle.zip", files_of(zipped)))
    assert (status, again["differences"]) == (0, [])


def test_metadata_describe_each_file(judged: TestSetWriter) -> None:
    front_matter = FrontMatter(authors=("Horáková, Marta",))
    result, zipped = bundled(judged.task, front_matter=front_matter)
    files = files_of(zipped)
    graph = {
        each["@id"]: each
        for each in json.loads(files["ro-crate-metadata.json"])["@graph"]
    }
    assert graph["ro-crate-metadata.json"]["conformsTo"] == {
        "@id": "https://w3id.org/ro/crate/1.2",
    }
    root = graph["./"]
    assert root["identifier"] == result.digest
    assert root["datePublished"] == result.content["published_at"]
    parts = {each["@id"] for each in root["hasPart"]}
    assert parts == set(files) - {"ro-crate-metadata.json"}
    assert all(graph[name]["@type"] == "File" for name in parts)
    assert graph["#author-1"]["name"] == "Horáková, Marta"
    described = graph["judgments.csv"]
    assert described["contentSize"] == str(len(files["judgments.csv"]))
    with translation.override("en"):
        method = " ".join(method_sentences(result.content))
    assert method in files["README.md"].decode()
