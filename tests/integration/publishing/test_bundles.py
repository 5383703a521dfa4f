"""Bundles: made of a frozen result and its judgments, computed again without a database, checked file by file."""

import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation.services import quality_action_take
from campaign.models import Campaign, Judge, Output, Segment, System, TestSet
from ranking.export.bundles import result_bundle_make
from ranking.models import BundlePart, PublishedResult, ResultBundle
from ranking.selectors.result_bundles import bundle_bytes, bundled_bytes
from ranking.services import ranking_run_compute
from ranking.services.publishing import (
    PublishingRefusedError,
    result_bundle_ask,
    result_publish,
)
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[3]
Command = Callable[..., "subprocess.CompletedProcess[str]"]


def bundled(test_set: TestSet, **chosen: Any) -> tuple[PublishedResult, bytes]:
    """Publish a test set; return its result and the bundle."""
    result = result_publish(test_set=test_set, by=None, **chosen)
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
def wmt12(campaign: Campaign, real_data: Path) -> TestSet:
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
    test_set = TestSet.objects.get(name="newstest2012")
    ranking_run_compute(test_set_id=test_set.pk)
    return test_set


def test_released_judgments_give_their_published_table_on_another_machine(
    wmt12: TestSet, tmp_path: Path, command: Command
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
    assert "The same as published, bit for bit" in command("reproduce", path).stdout
    checked = command("verify", path, "--digest", result.address)
    assert (checked.returncode, checked.stderr) == (0, "")
    # Without an anonymous system, the frozen ranking is the one that was shown.
    assert result.content["ranking"]["systems"] == json.loads(
        json.dumps(result.run.result["systems"])
    )


def test_a_flipped_rank_is_found_and_what_follows_from_it_is_said(
    wmt12: TestSet, tmp_path: Path, command: Command
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
    found = json.loads(command("verify", path, "--format", "json").stdout)["findings"]
    assert found == [{"file": "judgments.csv", "problem": "changed"}]


def test_verify_names_each_file_that_was_changed_taken_out_or_added(
    judged: TestSetWriter, tmp_path: Path
) -> None:
    _result, zipped = bundled(judged.test_set)
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


def test_the_zip_is_the_same_whenever_it_is_made(judged: TestSetWriter) -> None:
    result, zipped = bundled(judged.test_set)
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
