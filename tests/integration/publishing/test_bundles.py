"""Bundles: made of a frozen result and its judgments, computed again without a database, checked file by file."""

import csv
import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow.parquet
import pytest
from django.core.management import CommandError, call_command
from django.db import InternalError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from annotation.export.shown import systems_shown
from annotation.models import HIT, Block, Design
from annotation.selectors import assigned_blocks
from annotation.services import (
    design_use_again,
    hits_plan,
    judgment_submit,
    quality_action_take,
)
from annotation.services.planning.designs import PARAMETERS
from campaign import services
from campaign.models import Campaign, Job, Judge, Output, Segment, System, Task, User
from campaign.services.jobs import job_cancel, jobs_run_waiting
from ranking.export.bundles import result_bundle_make
from ranking.models import BundlePart, PublishedResult, ResultBundle
from ranking.selectors.result_bundles import bundle_bytes
from ranking.selectors.runs import latest_run
from ranking.services import ranking_run_compute
from ranking.services.analyses import analysis_compute
from ranking.services.publishing import (
    PublishedWords,
    PublishingRefusedError,
    firmness_ask,
    result_bundle_ask,
    result_publish,
    result_retract,
    result_reviewer_link_make,
)
from ranking.wording.published_method import method_sentences
from tests.at_work import assignment_lend
from tests.factories import make_judge, make_task
from tests.integration.ranking.writing import TestSetWriter, documents_of, settings_change

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[3]
Command = Callable[..., "subprocess.CompletedProcess[str]"]


def bundled(task: Task, **chosen: Any) -> tuple[PublishedResult, bytes]:
    """Publish a test set; return its result and the bundle."""
    result = result_publish(task=task, by=None, **chosen)
    bundle = result_bundle_make(bundle=ResultBundle.objects.get(pk=result.pk))
    return result, b"".join(bundle_bytes(bundle))


def files_of(zipped: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(zipped)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(path: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Run a command in an empty folder, without any of the variables that services need."""

    def started(*arguments: object) -> "subprocess.CompletedProcess[str]":
        services = ("SECRET_KEY", "DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")
        folder = tmp_path / "elsewhere"
        folder.mkdir(exist_ok=True)
        return subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *map(str, arguments)],
            cwd=folder,
            env={name: value for name, value in os.environ.items() if name not in services},
            capture_output=True,
            check=False,
            encoding="utf-8",
        )

    return started


def said(command: str, path: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Run a command here; return its exit status and what it says."""
    out = io.StringIO()
    try:
        call_command(command, str(path), *arguments, "--format", "json", stdout=out)
    except BaseException as error:
        status = getattr(error, "returncode", None)
        if status is None:
            raise
        return int(status), json.loads(out.getvalue())
    return 0, json.loads(out.getvalue())


@pytest.fixture
def wmt12(campaign: Campaign, real_data: Path) -> Task:
    """The judgments of WMT12 Czech–English, ranked."""
    path = real_data / "wmt12-cs-en" / "judgments.csv"
    call_command(
        "import_judgments",
        str(path),
        campaign="autumn",
        test_set="newstest2012",
        create_test_set=True,
        stdout=io.StringIO(),
        stderr=io.StringIO(),
    )
    task = Task.objects.get(test_set__name="newstest2012")
    ranking_run_compute(task_id=task.pk)
    return task


def test_released_judgments_give_their_published_table_on_another_machine(
    wmt12: Task, tmp_path: Path, command: Command
) -> None:
    result, zipped = bundled(wmt12)
    path = tmp_path / "bundle.zip"
    path.write_bytes(zipped)

    done = command("reproduce", path, "--format", "json")

    assert (done.returncode, done.stderr) == (0, "")
    again = json.loads(done.stdout)
    assert again["is_same"] is True
    assert again["digest"] == result.digest
    assert again["made_by"] == result.content["method"]["code_version"]
    checked = command("verify", path, "--digest", result.address)
    assert (checked.returncode, checked.stderr) == (0, "")
    # Without an anonymous system, the frozen ranking is the one that was shown.
    assert result.content["ranking"]["systems"] == json.loads(
        json.dumps(result.run.result["systems"])
    )


def test_a_page_of_released_judgments_has_the_published_table(
    wmt12: Task, real_data: Path, client: Client
) -> None:
    path = real_data / "wmt12-cs-en" / "expected.json"
    expected = json.loads(path.read_text(encoding="utf-8"))
    run = latest_run(task_id=wmt12.pk)
    assert run is not None
    asked = firmness_ask(task=wmt12, run=run, by=None, is_queued=False)
    assert asked is not None
    analysis_compute(analysis=asked)
    result = result_publish(task=wmt12, by=None)

    order = [row["system"] for row in expected["systems_by_expected_wins"]]
    rows = result.content["ranking"]["systems"]
    assert [row["system"] for row in rows] == order
    # Only cu-bojar and onlineA are not told apart.
    assert [row["cluster"] for row in rows] == [1, 2, 3, 3, 4, 5]
    for row, known in zip(rows, expected["systems_by_expected_wins"], strict=True):
        assert {name: row[name] for name in ("wins", "losses", "ties")} == {
            name: known[name] for name in ("wins", "losses", "ties")
        }
    pairs = result.content["ranking"]["pairs"]
    assert len(pairs) == 15
    for pair in pairs:
        counts = [pair["wins"], pair["losses"], pair["ties"]]
        assert counts == expected["pairwise"][pair["better"]][pair["worse"]]
    page = client.get(f"/results/{result.address}/").content.decode()
    latex = client.get(f"/results/{result.address}/ranking.tex").content.decode()
    table = page[page.index("<tbody") :]
    for text in (table, latex):
        places = [text.index(name) for name in order]
        assert places == sorted(places)
        for row in expected["systems_by_expected_wins"]:
            assert f"{row['expected_wins']:.3f}" in text
    for text in (page, latex):
        assert "48 of 1,291 judgments decide first place (proven)" in text


def test_a_flipped_rank_is_found_and_what_follows_from_it_is_said(
    wmt12: Task, tmp_path: Path, command: Command
) -> None:
    _result, zipped = bundled(wmt12)
    files = files_of(zipped)
    lines = files["judgments.csv"].decode().splitlines(keepends=True)
    row = next(at for at, line in enumerate(lines) if line.rstrip().endswith(",1,2,3,4,5"))
    lines[row] = lines[row].rstrip().removesuffix(",1,2,3,4,5") + ",5,2,3,4,1\n"
    path = packed(tmp_path / "bundle.zip", files | {"judgments.csv": "".join(lines).encode()})

    done = command("reproduce", path, "--format", "json")

    assert done.returncode == 1
    assert "is not the published one" in done.stderr
    differences = json.loads(done.stdout)["differences"]
    assert any(
        each["where"].startswith("ranking.systems[") and each["where"].endswith(".wins")
        for each in differences
    )
    status, check = said("verify", path)
    assert (status, check["findings"]) == (1, [{"file": "judgments.csv", "problem": "changed"}])


def test_verify_names_each_file_that_was_changed_taken_out_or_added(
    judged: TestSetWriter, tmp_path: Path
) -> None:
    _result, zipped = bundled(judged.task)
    files = files_of(zipped)
    path = tmp_path / "bundle.zip"
    for name, content in files.items():
        for tampered in (content + b" ", content[:-2] + b"!\n", b""):
            status, check = said("verify", packed(path, files | {name: tampered}))
            assert status == 1
            assert name in {each["file"] for each in check["findings"]}, tampered
        status, check = said(
            "verify", packed(path, {each: files[each] for each in files if each != name})
        )
        assert status == 1
        assert {"file": name, "problem": "missing"} in check["findings"]
    for added in ("notes.txt", ".hidden", "extra/notes.txt"):
        status, check = said("verify", packed(path, files | {added: b"x"}))
        assert (status, check["findings"]) == (1, [{"file": added, "problem": "added"}])


def test_a_bundle_without_a_result_is_none(judged: TestSetWriter, tmp_path: Path) -> None:
    result, zipped = bundled(judged.task)
    files = files_of(zipped)
    for name in ("result.json", "run.json", "judgments.csv"):
        kept = {each: files[each] for each in files if each not in {name, "checksums.txt"}}
        metadata = json.loads(kept["ro-crate-metadata.json"])
        metadata["@graph"] = [each for each in metadata["@graph"] if each["@id"] != name]
        kept["ro-crate-metadata.json"] = json.dumps(metadata).encode()
        kept["checksums.txt"] = b"".join(
            f"{sha256(kept[each]).hexdigest()}  {each}\n".encode() for each in sorted(kept)
        )
        path = packed(tmp_path / "bundle.zip", kept)
        missing = {"file": name, "problem": "missing"}
        status, check = said("verify", path)
        assert (status, check["findings"]) == (1, [missing])
        status, check = said("verify", path, "--digest", result.address)
        other = [{"file": name, "problem": "other_address"}] if name == "result.json" else []
        assert (status, check["findings"]) == (1, [missing, *other])


def test_a_result_that_says_something_twice_is_found(judged: TestSetWriter, tmp_path: Path) -> None:
    result, zipped = bundled(judged.task)
    files = files_of(zipped)
    twice = b'{"finding":{"first":["dune"]},' + files["result.json"][1:]
    assert json.loads(twice) == json.loads(files["result.json"])
    genuine = sha256(files["result.json"]).hexdigest()
    changed = {
        name: content.replace(genuine.encode(), sha256(twice).hexdigest().encode())
        if name == "checksums.txt"
        else content
        for name, content in (files | {"result.json": twice}).items()
    }
    path = packed(tmp_path / "bundle.zip", changed)
    status, check = said("verify", path, "--digest", result.address)
    assert status == 1
    assert {"file": "result.json", "problem": "changed"} in check["findings"]


def test_a_zip_behind_something_else_is_refused(judged: TestSetWriter, tmp_path: Path) -> None:
    _result, zipped = bundled(judged.task)
    genuine = io.BytesIO()
    with tarfile.open(fileobj=genuine, mode="w") as archive:
        for name, content in files_of(zipped).items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    path = tmp_path / "bundle.zip"
    path.write_bytes(genuine.getvalue() + zipped)
    assert zipfile.is_zipfile(path)
    for command in ("verify", "reproduce"):
        with pytest.raises(CommandError, match="is no zip") as caught:
            call_command(command, str(path), stdout=io.StringIO())
        assert caught.value.returncode == 2


def test_last_digits_of_another_processor_are_no_difference(
    judged: TestSetWriter, tmp_path: Path
) -> None:
    _result, zipped = bundled(judged.task)
    files = files_of(zipped)
    content = json.loads(files["result.json"])
    first, second, *_others = content["ranking"]["systems"]
    score = first["score"]
    path = tmp_path / "bundle.zip"

    def reproduced() -> tuple[int, Any]:
        changed = files | {"result.json": json.dumps(content).encode()}
        return said("reproduce", packed(path, changed))

    first["score"] = score * (1 + 4e-16)
    assert first["score"] != score
    status, again = reproduced()
    assert (status, again["is_same"], again["last_digits"]) == (0, True, 1)
    out = io.StringIO()
    call_command("reproduce", str(path), stdout=out)
    assert "but for the last digits of 1 number, which depend" in out.getvalue()
    first["score"] = score * (1 + 1e-11)
    status, again = reproduced()
    assert (status, again["is_same"], again["last_digits"]) == (1, False, 0)
    assert [each["where"] for each in again["differences"]] == [
        f"ranking.systems[{first['system']}].score"
    ]
    first["score"] = score
    # Whole numbers are exact on every processor.
    second["wins"] += 1
    assert [each["computed"] for each in reproduced()[1]["differences"]] == [second["wins"] - 1]


def test_what_a_result_lacks_and_what_nobody_compared_is_said(
    judged: TestSetWriter, tmp_path: Path
) -> None:
    _result, zipped = bundled(judged.task)
    files = files_of(zipped)
    content = json.loads(files["result.json"])
    path = tmp_path / "bundle.zip"
    assert said("reproduce", packed(path, files))[1]["not_compared"] == []
    out = io.StringIO()
    call_command("reproduce", str(path), stdout=out)
    assert "The same as published, bit for bit" in out.getvalue()
    for row in content["ranking"]["systems"]:
        del row["rank_low"], row["rank_high"], row["wins"]
    # Null is there, and is not the same as nothing.
    assert content["agreement"]["inter"].pop("no_interval") is None
    # As in the first results; nothing computes it.
    content["agreement"]["intra"] = None
    content["sections"] |= {"firmness": {}, "stopping_rule": {}}

    status, again = said(
        "reproduce", packed(path, files | {"result.json": json.dumps(content).encode()})
    )

    assert status == 1
    found = {each["where"]: each for each in again["differences"]}
    assert set(found) == {
        "agreement.inter.no_interval",
        *(
            f"ranking.systems[{name}].{column}"
            for name in ("amber", "birch", "cobalt", "dune")
            for column in ("rank_low", "rank_high", "wins")
        ),
    }
    where = "agreement.inter.no_interval"
    assert found[where] == {"where": where, "computed": None}
    assert found["ranking.systems[amber].rank_low"]["computed"] == 1
    assert again["not_compared"] == ["sections.firmness", "sections.stopping_rule"]
    out = io.StringIO()
    with pytest.raises(CommandError):
        call_command("reproduce", str(path), stdout=out)
    assert "Not compared: sections.firmness, sections.stopping_rule." in out.getvalue()
    assert "is missing" in out.getvalue()


def test_the_zip_is_the_same_whenever_it_is_made(judged: TestSetWriter) -> None:
    result, zipped = bundled(judged.task)
    bundle = ResultBundle.objects.get(pk=result.pk)
    assert sha256(zipped).hexdigest() == bundle.digest
    assert len(zipped) == bundle.size
    files = files_of(zipped)
    assert {each["name"]: each["sha256"] for each in bundle.files} == {
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
    BundlePart.objects.all().delete()
    ResultBundle.objects.all().delete()
    again = result_bundle_make(bundle=result_bundle_ask(result=result, is_queued=False))
    assert again.digest == bundle.digest


def as_letters(path: Path, zipped: bytes) -> str:
    """Return all bytes in a bundle as one text, those of its Parquet unpacked."""
    files = files_of(zipped)
    parquet = path / "judgments.parquet"
    parquet.write_bytes(files.pop("judgments.parquet"))
    table = pyarrow.parquet.read_table(parquet)
    return b"\n".join(files.values()).decode() + json.dumps(table.to_pydict())


def test_nobody_is_identified_whose_name_is_not_to_be_known(
    judged: TestSetWriter, tmp_path: Path, organiser: User
) -> None:
    System.objects.filter(name="birch").update(team="Timber Ltd", contact="ceo@timber.example")
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
    for secret in ("birch", "dune", "Timber", "Person behind", "-mail@", organiser.email or "–"):
        assert secret not in text, secret
    assert "System A" in text
    assert "amber" in text
    files = files_of(zipped)
    texts = [json.loads(line) for line in files["texts.jsonl"].decode().splitlines()]
    assert set(texts[0]["outputs"]) == {"amber", "cobalt", "System A", "System B"}
    # Scores do not depend on names; ranges are drawn in their order, so they were computed under the letters.
    path = packed(tmp_path / "bundle.zip", files)
    assert said("reproduce", path)[0] == 0
    scores = {row["system"]: row["score"] for row in result.run.result["systems"]}
    labels = {System.objects.get(pk=pk).name: label for pk, label in result.labels.items()}
    assert {row["system"]: row["score"] for row in result.content["ranking"]["systems"]} == {
        labels[name]: score for name, score in scores.items()
    }


def test_anonymous_systems_of_released_judgments_give_the_same_bits(
    wmt12: Task, tmp_path: Path
) -> None:
    _result, zipped = bundled(wmt12, anonymous=["onlineA", "cu-bojar", "uk-dan-moses"])
    status, again = said("reproduce", packed(tmp_path / "bundle.zip", files_of(zipped)))
    assert (status, again["differences"]) == (0, [])


@pytest.mark.parametrize(
    "settings",
    [
        {"resample": "judges"},
        {"resample": "blocks"},
        {"ranges": "sign_test"},
        {"ranges": "anytime"},
        {"ranges": "confidence_set"},
    ],
)
def test_any_kind_of_ranges_is_computed_again(
    judged: TestSetWriter, tmp_path: Path, settings: dict[str, Any]
) -> None:
    documents_of(judged, 2)
    settings_change(judged, **settings)
    ranking_run_compute(task_id=judged.task.pk)
    _result, zipped = bundled(judged.task, anonymous=["amber"])
    status, again = said("reproduce", packed(tmp_path / "bundle.zip", files_of(zipped)))
    assert (status, again["differences"]) == (0, [])


def test_texts_are_in_it_only_where_they_were_asked_for(judged: TestSetWriter) -> None:
    Segment.objects.update(source_text="Tajná věta.")
    _result, without = bundled(judged.task)
    assert "texts.jsonl" not in files_of(without)
    assert "Texts are not in it" in files_of(without)["README.md"].decode()
    assert not any(
        "Tajná" in content.decode(errors="replace") for content in files_of(without).values()
    )
    _result, with_texts = bundled(judged.task, with_texts=True)
    assert "Tajná věta." in files_of(with_texts)["texts.jsonl"].decode()


def test_judges_who_are_left_out_are_in_a_file_of_their_own(
    judged: TestSetWriter, tmp_path: Path, organiser: User
) -> None:
    j3 = Judge.objects.get(pseudonym="j3")
    quality_action_take(
        action="exclude", judge=j3, task=judged.task, note="Random.", user=organiser
    )
    ranking_run_compute(task_id=judged.task.pk)
    _result, zipped = bundled(judged.task)
    files = files_of(zipped)
    assert ",j3," not in files["judgments.csv"].decode()
    left_out = files["judgments-left-out.csv"].decode().splitlines()[1:]
    assert len(left_out) == 8
    assert all(",j3," in line for line in left_out)
    assert said("reproduce", packed(tmp_path / "bundle.zip", files))[0] == 0
    # `rank_judgments` reads both formats.
    ranked = []
    for name in ("judgments.csv", "judgments.parquet"):
        (tmp_path / name).write_bytes(files[name])
        out = io.StringIO()
        call_command("rank_judgments", str(tmp_path / name), "--format", "json", stdout=out)
        ranked.append(json.loads(out.getvalue())["rankings"])
    assert ranked[0] == ranked[1]


def drawn_and_judged(campaign: Campaign, *, planned: int = 1) -> Task:
    """Return a test set of a, b, c and d with some HITs, one of which was judged; ranked."""
    task = make_task(campaign, name="drawn", systems=tuple("abcd"), planned=planned)
    assignment = assignment_lend(judge=make_judge(campaign, "linnet"))
    assert assignment is not None
    for assigned in assigned_blocks(assignment):
        labels = list(range(1, len(assigned.candidates) + 1))
        judgment_submit(assigned=assigned, client_id=uuid4(), labels=labels)
    ranking_run_compute(task_id=task.pk)
    return task


def seeds_in(zipped: bytes) -> list[str | None]:
    said = json.loads(files_of(zipped)["design.json"])
    assert (said["seeds"] == "given") is all(each["seed"] for each in said["designs"])
    return [each["seed"] for each in said["designs"]]


def test_the_log_says_what_was_drawn_and_the_seed_only_when_all_is_over(
    campaign: Campaign,
) -> None:
    task = drawn_and_judged(campaign, planned=2)

    result, zipped = bundled(task)

    files = files_of(zipped)
    (line,) = map(json.loads, files["draws.jsonl"].decode().splitlines())
    assert (line["design"], line["purpose"], line["judges"]) == (1, "first", ["linnet"])
    blocks = Block.objects.filter(hit__number=line["hit"]).order_by("position")
    assert [each["segment"] for each in line["blocks"]] == [
        block.segment.number for block in blocks
    ]
    names = dict(task.test_set.systems.values_list("pk", "name"))
    shown = systems_shown(block.pk for block in blocks)
    assert [each["candidates"] for each in line["blocks"]] == [
        [sorted(names[pk] for pk in candidate) for candidate in shown[block.pk]] for block in blocks
    ]
    designs = json.loads(files["design.json"])
    told = {"design", "seed", "is_for_a_group", "since"}
    assert set(designs["designs"][0]) - told == set(PARAMETERS) - {"seed", "judge_group"}
    assert result.content["method"]["watermark"] == len(blocks)
    # Judging goes on; then it does not, but what was drawn could still be lent.
    assert seeds_in(zipped) == [None]
    services.task_close(task=task)
    assert seeds_in(bundled(task)[1]) == [None]
    HIT.objects.filter(task=task).update(completed_at=timezone.now())
    seed = Design.objects.get(task=task).seed
    assert seeds_in(bundled(task)[1]) == [str(seed)]


def test_a_seed_by_which_another_task_is_drawn_is_withheld(campaign: Campaign) -> None:
    task = drawn_and_judged(campaign)
    services.task_close(task=task)
    make_task(campaign, name="other", planned=0, seed=Design.objects.get().seed)
    assert seeds_in(bundled(task)[1]) == [None]
    # Nothing was given away, so nothing changes.
    assert Design.objects.filter(task=task).count() == 1


def test_a_seed_that_was_given_away_draws_nothing_more(campaign: Campaign, organiser: User) -> None:
    task = drawn_and_judged(campaign)
    before = Design.objects.get()
    services.task_close(task=task)

    result_publish(task=task, by=organiser)

    zipped = b"".join(bundle_bytes(result_bundle_make(bundle=ResultBundle.objects.get())))
    assert seeds_in(zipped) == [str(before.seed)]
    services.task_reopen(task=task)
    hits_plan(task_id=task.pk, count=1)
    after = HIT.objects.latest("number").design
    assert after.seed != before.seed
    assert after.parameters == replace(before.parameters, seed=after.seed)
    assert after.changed_by == organiser
    assert design_use_again(design=before).seed == after.seed


def test_a_new_seed_is_told_before_it_is_given_and_only_then(
    campaign: Campaign, organiser: User, client: Client
) -> None:
    task = drawn_and_judged(campaign)
    client.force_login(organiser)
    address = reverse("publish-confirm", args=[campaign.slug, task.pk])
    told = "the same design is put in force with a new one"
    assert told not in client.post(address, {}).content.decode()
    services.task_close(task=task)
    assert told not in client.post(address, {"anonymous": ["a"]}).content.decode()
    assert told in client.post(address, {}).content.decode()
    assert Design.objects.filter(task=task).count() == 1
    result_publish(task=task, by=organiser)
    assert Design.objects.filter(task=task).count() == 2
    # Nothing was drawn with the new one.
    assert told not in client.post(address, {}).content.decode()


def test_a_reworded_reason_is_all_that_a_bundle_has_of_it(
    judged: TestSetWriter, tmp_path: Path
) -> None:
    reason = "The team of Amber asked for it."
    settings_change(judged, confidence=0.9, reason=reason)
    ranking_run_compute(task_id=judged.task.pk)
    words = PublishedWords(wordings={reason: "A team asked for it."})
    _result, zipped = bundled(judged.task, anonymous=["amber"], words=words)
    text = as_letters(tmp_path, zipped)
    assert "amber" not in text.lower()
    assert "A team asked for it. (reworded for publication)" in text
    status, again = said("reproduce", packed(tmp_path / "bundle.zip", files_of(zipped)))
    assert (status, again["differences"]) == (0, [])


def test_nobody_can_test_whether_a_name_fits_what_was_drawn(
    campaign: Campaign, tmp_path: Path
) -> None:
    task = drawn_and_judged(campaign)
    services.task_close(task=task)
    seed = str(Design.objects.get().seed)

    _result, zipped = bundled(task, anonymous=["a"])

    files = files_of(zipped)
    assert seeds_in(zipped) == [None]
    assert seed not in files["design.json"].decode()
    (line,) = map(json.loads, files["draws.jsonl"].decode().splitlines())
    listed = [each["candidates"] for each in line["blocks"]]
    assert listed == [sorted(each) for each in listed]
    rows = list(csv.DictReader(io.StringIO(files["judgments.csv"].decode())))
    ids = [[row[f"system{slot}Id"] for slot in range(1, 6)] for row in rows]
    ids = [[name for name in row if name] for row in ids]
    assert ids == [sorted(row) for row in ids]
    assert "sorted by what they\nare called" in files["README.md"].decode()
    # As they were shown, they were not in this order; and the ranking is of these rows.
    _named, zipped_named = bundled(task)
    (line,) = map(json.loads, files_of(zipped_named)["draws.jsonl"].decode().splitlines())
    shown = [each["candidates"] for each in line["blocks"]]
    assert shown != [sorted(each) for each in shown]
    status, again = said("reproduce", packed(tmp_path / "bundle.zip", files))
    assert (status, again["differences"]) == (0, [])


def test_texts_that_are_no_longer_wanted_are_not_stored(judged: TestSetWriter) -> None:
    Segment.objects.update(source_text="Tajná věta.")
    result = result_publish(task=judged.task, by=None, with_texts=True)
    as_asked = ResultBundle.objects.get()
    job = as_asked.job
    assert job is not None
    job_cancel(job=job)
    # A worker has read it, and is at it.
    result_bundle_ask(result=PublishedResult.objects.get(pk=result.pk), with_texts=False)

    with pytest.raises(PublishingRefusedError, match="asked for anew"):
        result_bundle_make(bundle=as_asked)

    assert not BundlePart.objects.exists()
    made = result_bundle_make(bundle=ResultBundle.objects.get())
    assert "texts.jsonl" not in files_of(b"".join(bundle_bytes(made)))


def test_metadata_describe_each_file(judged: TestSetWriter) -> None:
    words = PublishedWords(authors=("Horáková, Marta",))
    result, zipped = bundled(judged.task, words=words)
    files = files_of(zipped)
    graph = {each["@id"]: each for each in json.loads(files["ro-crate-metadata.json"])["@graph"]}
    assert graph["ro-crate-metadata.json"]["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.2"}
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


def test_a_worker_makes_it_and_the_page_offers_it(judged: TestSetWriter, client: Client) -> None:
    result = result_publish(task=judged.task, by=None)
    page = f"/results/{result.address}/"
    assert "bundle.zip" not in client.get(page).content.decode()
    assert client.get(f"{page}bundle.zip").status_code == 404

    assert jobs_run_waiting() == 1

    bundle = ResultBundle.objects.get()
    assert bundle.job is not None
    assert (bundle.job.state, bundle.job.name) == ("done", "news, version 1")
    shown = client.get(page).content.decode()
    assert "Judgments as CSV" in shown
    assert bundle.digest in shown
    answer = client.get(f"{page}bundle.zip")
    assert sha256(b"".join(answer)).hexdigest() == bundle.digest
    assert answer["Content-Length"] == str(bundle.size)
    assert answer["Cache-Control"] == "public, max-age=300"
    judgments = b"".join(client.get(f"{page}judgments.csv"))
    known = bundle.file("judgments.csv")
    assert known is not None
    assert sha256(judgments).hexdigest() == known["sha256"]
    assert known["sha256"] in shown
    # As any other file of the result, whether or not it is retracted.
    result_retract(result=result, reason="Wrong.")
    assert client.get(f"{page}bundle.zip").status_code == 200


def test_an_embargo_holds_for_its_bundle(judged: TestSetWriter, client: Client) -> None:
    until = timezone.now() + timedelta(days=1)
    result, _zipped = bundled(judged.task, embargo_until=until)
    token = result_reviewer_link_make(result=result)
    for name in ("bundle.zip", "judgments.csv"):
        assert client.get(f"/results/{result.address}/{name}").status_code == 404
        answer = client.get(f"/results/{result.address}/review/{token}/{name}")
        assert answer.status_code == 200
        assert "no-store" in answer["Cache-Control"]
        wrong = f"/results/{result.address}/review/{token}x/{name}"
        assert client.get(wrong).status_code == 404


def test_a_made_bundle_stays_and_one_that_is_missing_is_asked_for(
    judged: TestSetWriter, as_organiser: Client
) -> None:
    result, _zipped = bundled(judged.task)
    with pytest.raises(PublishingRefusedError, match="stays as it is"):
        result_bundle_ask(result=result, with_texts=True)
    bundle = ResultBundle.objects.get()
    with pytest.raises(InternalError, match="Cannot update"), transaction.atomic():
        ResultBundle.objects.filter(pk=bundle.pk).update(has_texts=True)
    # The page of a result from before there were bundles.
    ResultBundle.objects.all().delete()
    page = f"/campaigns/autumn/tasks/{judged.task.pk}/publish/"
    assert "Make the bundle" in as_organiser.get(page).content.decode()
    as_organiser.post(f"{page}1/bundle/", {"texts": "on"})
    assert "The bundle is being made." in as_organiser.get(page).content.decode()
    job = ResultBundle.objects.get().job
    assert job is not None
    Job.objects.exclude(pk=job.pk).delete()
    jobs_run_waiting()
    assert ResultBundle.objects.get().is_made
    assert ResultBundle.objects.get().has_texts
    shown = as_organiser.get(page).content.decode()
    assert ResultBundle.objects.get().digest in shown
    assert "Make the bundle" not in shown


def test_it_is_fetched_over_rest_and_by_a_command(
    judged: TestSetWriter, as_organiser: Client, tmp_path: Path
) -> None:
    at = f"/api/v1/tasks/{judged.task.pk}/published-results/"
    sent = {"texts": True, "firmness": False}
    made = as_organiser.post(at, sent, content_type="application/json")
    assert made.json()["bundle"]["is_made"] is False
    assert made.json()["bundle"]["texts"] is True
    assert as_organiser.get(f"{at}1/bundle/").status_code == 404
    path = tmp_path / "written.zip"
    out = io.StringIO()
    call_command("write_bundle", "autumn", "news", str(path), stdout=out)
    bundle = ResultBundle.objects.get()
    assert out.getvalue() == f"{bundle.digest}  {path}\n"
    assert sha256(path.read_bytes()).hexdigest() == bundle.digest
    told = as_organiser.get(f"{at}1/").json()["bundle"]
    assert (told["is_made"], told["bytes"], told["sha256"]) == (True, bundle.size, bundle.digest)
    assert (
        told["url"]
        == f"http://testserver/results/{PublishedResult.objects.get().address}/bundle.zip"
    )
    fetched = b"".join(as_organiser.get(f"{at}1/bundle/"))
    assert fetched == path.read_bytes()
    again = as_organiser.post(f"{at}1/bundle/", {}, content_type="application/json")
    assert (again.status_code, list(again.json()["errors"])) == (400, ["texts"])
    with pytest.raises(CommandError, match="no such version"):
        call_command("write_bundle", "autumn", "news", str(path), "--result-version", "7")


def test_hostile_zips_are_refused_in_words(
    judged: TestSetWriter, tmp_path: Path, command: Command
) -> None:
    _result, zipped = bundled(judged.task)
    files = files_of(zipped)
    bomb = packed(tmp_path / "bomb.zip", files | {"zeros": b"\0" * (64 << 20)})
    outside = packed(tmp_path / "outside.zip", files | {"../../etc/passwd": b"x"})
    no_zip = tmp_path / "no.zip"
    no_zip.write_bytes(b"PK")
    for path, words in (
        (bomb, "times its size"),
        (outside, "leads out of the archive"),
        (no_zip, "is no zip"),
        (tmp_path / "missing.zip", "cannot be read"),
        (packed(tmp_path / "empty.zip", {}), "has no result.json"),
        (packed(tmp_path / "list.zip", files | {"result.json": b"[]"}), "is no object of JSON"),
        (packed(tmp_path / "odd.zip", files | {"result.json": b"{}"}), "is no published result"),
        (packed(tmp_path / "csv.zip", files | {"judgments.csv": b"x,y\n"}), "line 1"),
    ):
        with pytest.raises(CommandError, match=words) as caught:
            call_command("reproduce", str(path), stdout=io.StringIO())
        assert caught.value.returncode == 2
    assert command("verify", bomb).returncode == 2


def test_other_code_is_named_and_other_formats_are_refused(
    judged: TestSetWriter, tmp_path: Path
) -> None:
    _result, zipped = bundled(judged.task)
    files = files_of(zipped)
    content = json.loads(files["result.json"])
    method = content["method"]
    parameters = method["parameters"]

    def with_parameters(**changes: Any) -> dict[str, Any]:
        return {"method": method | {"parameters": parameters | changes}}

    def with_result(**changes: Any) -> Path:
        changed = json.dumps(content | changes).encode()
        return packed(tmp_path / "bundle.zip", files | {"result.json": changed})

    agreement = {key: each for key, each in parameters["agreement"].items() if key != "variance"}
    deep: Any = []
    for _level in range(400):
        deep = [deep]
    older = with_result(method=method | {"code_version": "0.0.1"})
    out = io.StringIO()
    call_command("reproduce", str(older), stdout=out)
    assert "it was made by 0.0.1" in out.getvalue()
    for changes, words in (
        ({"format": 9}, "format 9"),
        ({"method": method | {"name": "guess"}}, "no method “guess”"),
        ({"method": method | {"content_key_version": 99}}, "content keys of version 99"),
        (with_parameters(resamples=10**12), "drawn more than 100000 times"),
        (
            with_parameters(agreement=agreement | {"resamples": 10**9}),
            "drawn more than 100000 times",
        ),
        (with_parameters(method_parameters={"runs": 10**6}), "above 1000: that would take"),
        (with_parameters(systems=[f"s{n}" for n in range(200_000)]), "more than 1000 systems"),
        (with_parameters(left_out=[f"s{n}" for n in range(1_000)]), "more than 1000 systems"),
        ({"ranking": deep}, "is no published result"),
    ):
        with pytest.raises(CommandError, match=words):
            call_command("reproduce", str(with_result(**changes)), stdout=io.StringIO())


def test_a_whole_bundle_made_anew_is_told_by_the_address_alone(
    judged: TestSetWriter, tmp_path: Path
) -> None:
    result, _zipped = bundled(judged.task)
    judged.judgment("j1", judged.block(40, ["dune", "amber"]), [1, 2])
    ranking_run_compute(task_id=judged.task.pk)
    _other, zipped = bundled(judged.task)
    path = packed(tmp_path / "bundle.zip", files_of(zipped))
    assert said("verify", path)[0] == 0
    status, check = said("verify", path, "--digest", f"https://q.example/results/{result.address}/")
    assert (status, check["findings"]) == (
        1,
        [{"file": "result.json", "problem": "other_address"}],
    )
