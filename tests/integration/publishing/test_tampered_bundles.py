"""Who changes a bundle is found out, and hostile ones are refused in words."""

import io
import json
import tarfile
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from campaign.models import Task
from ranking.services.runs import ranking_run_compute
from tests.integration.publishing.bundled import bundled, files_of, packed, said, told
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def test_changed_rank_is_found_with_its_consequences(
    wmt12: Task,
    tmp_path: Path,
) -> None:
    _result, zipped = bundled(wmt12)
    files = files_of(zipped)
    lines = files["judgments.csv"].decode().splitlines(keepends=True)
    row = next(
        at for at, line in enumerate(lines) if line.rstrip().endswith(",1,2,3,4,5")
    )
    lines[row] = lines[row].rstrip().removesuffix(",1,2,3,4,5") + ",5,2,3,4,1\n"
    path = packed(
        tmp_path / "bundle.zip",
        files | {"judgments.csv": "".join(lines).encode()},
    )

    status, again = said(path)
    assert status == 1
    assert again["findings"] == [{"file": "judgments.csv", "problem": "changed"}]
    differences = again["differences"]
    assert any(
        each["where"].startswith("ranking.systems[") and each["where"].endswith(".wins")
        for each in differences
    )


def test_a_changed_page_is_found_in_the_zip_and_in_the_folder(
    judged: TestSetWriter,
    tmp_path: Path,
) -> None:
    _result, zipped = bundled(judged.task)
    files = files_of(zipped)
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    status, again = said(tmp_path)
    assert (status, again["findings"], again["differences"]) == (0, [], [])

    files["index.html"] = files["index.html"].replace(b"amber", b"ember")
    (tmp_path / "index.html").write_bytes(files["index.html"])
    for path in (tmp_path, packed(tmp_path.with_suffix(".zip"), files)):
        status, again = said(path)
        changed = [{"file": "index.html", "problem": "changed"}]
        assert (status, again["findings"], again["differences"]) == (1, changed, [])


@pytest.mark.thorough
def test_reproduce_names_each_file_that_was_changed_taken_out_or_added(
    judged: TestSetWriter,
    tmp_path: Path,
) -> None:
    _result, zipped = bundled(judged.task)
    files = files_of(zipped)
    path = tmp_path / "bundle.zip"
    for name, content in files.items():
        for tampered in (content + b" ", content[:-2] + b"!\n", b""):
            status, check = said(packed(path, files | {name: tampered}))
            assert status == 1
            named = {each["file"] for each in check["findings"]}
            # A list that names another file is as good as the files that it lists.
            assert name in named or name == "checksums.txt", tampered
        status, check = said(
            packed(path, {each: files[each] for each in files if each != name}),
        )
        assert status == 1
        assert {"file": name, "problem": "missing"} in check["findings"]
    for added in ("notes.txt", ".hidden", "extra/notes.txt"):
        status, check = said(packed(path, files | {added: b"x"}))
        assert (status, check["findings"]) == (1, [{"file": added, "problem": "added"}])


def test_a_bundle_without_a_result_is_none(
    judged: TestSetWriter,
    tmp_path: Path,
) -> None:
    result, zipped = bundled(judged.task)
    files = files_of(zipped)
    for name in ("result.json", "run.json", "judgments.csv"):
        kept = {
            each: files[each] for each in files if each not in {name, "checksums.txt"}
        }
        metadata = json.loads(kept["ro-crate-metadata.json"])
        metadata["@graph"] = [
            each for each in metadata["@graph"] if each["@id"] != name
        ]
        kept["ro-crate-metadata.json"] = json.dumps(metadata).encode()
        kept["checksums.txt"] = b"".join(
            f"{sha256(kept[each]).hexdigest()}  {each}\n".encode()
            for each in sorted(kept)
        )
        path = packed(tmp_path / "bundle.zip", kept)
        missing = {"file": name, "problem": "missing"}
        status, check = said(path)
        assert (status, check["findings"]) == (1, [missing])
        status, check = said(path, "--digest", result.address)
        other = (
            [{"file": name, "problem": "other_address"}]
            if name == "result.json"
            else []
        )
        assert (status, check["findings"]) == (1, [missing, *other])


def test_a_result_that_says_something_twice_is_found(
    judged: TestSetWriter,
    tmp_path: Path,
) -> None:
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
    status, check = said(path, "--digest", result.address)
    assert status == 1
    assert {"file": "result.json", "problem": "unreadable"} in check["findings"]


def test_a_zip_behind_something_else_is_refused(
    judged: TestSetWriter,
    tmp_path: Path,
) -> None:
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
    status, text = told(path)
    assert status == 2
    assert "is not a zip" in text


@pytest.mark.thorough
def test_hostile_zips_are_refused_in_words(
    judged: TestSetWriter,
    tmp_path: Path,
) -> None:
    _result, zipped = bundled(judged.task)
    files = files_of(zipped)
    bomb = packed(tmp_path / "bomb.zip", files | {"zeros": b"\0" * (64 << 20)})
    outside = packed(tmp_path / "outside.zip", files | {"../../etc/passwd": b"x"})
    no_zip = tmp_path / "no.zip"
    no_zip.write_bytes(b"PK")
    for path, status, words in (
        (bomb, 2, "times its size"),
        (outside, 2, "leads out of the archive"),
        (no_zip, 2, "is not a zip"),
        (tmp_path / "missing.zip", 2, "cannot be read"),
        (packed(tmp_path / "empty.zip", {}), 1, "has no result.json"),
        (
            packed(tmp_path / "list.zip", files | {"result.json": b"[]"}),
            1,
            "is not a JSON object",
        ),
        (
            packed(tmp_path / "odd.zip", files | {"result.json": b"{}"}),
            1,
            "not a published result",
        ),
        (
            packed(tmp_path / "csv.zip", files | {"judgments.csv": b"x,y\n"}),
            1,
            "line 1",
        ),
    ):
        found, text = told(path)
        assert (found, words in text) == (status, True), text


def test_rebuilt_bundle_differs_by_its_address_only(
    judged: TestSetWriter,
    tmp_path: Path,
) -> None:
    result, _zipped = bundled(judged.task)
    judged.judgment("j1", judged.block(40, ["dune", "amber"]), [1, 2])
    ranking_run_compute(task_id=judged.task.pk)
    _other, zipped = bundled(judged.task)
    path = packed(tmp_path / "bundle.zip", files_of(zipped))
    assert said(path)[0] == 0
    status, check = said(
        path,
        "--digest",
        f"https://q.example/results/{result.address}/",
    )
    assert (status, check["findings"]) == (
        1,
        [{"file": "result.json", "problem": "other_address"}],
    )
