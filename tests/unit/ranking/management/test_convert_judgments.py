"""`convert_judgments`: what it writes is read by the other commands, and says the same."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

RunJson = Callable[..., Any]


def test_a_ranking_of_converted_files_is_that_of_the_csv(
    judgments: str,
    run_json: RunJson,
    tmp_path: Path,
) -> None:
    said = run_json(
        "convert_judgments",
        judgments,
        "--to",
        tmp_path / "j.parquet",
        "--rows-per-file",
        3,
    )
    files = [file["name"] for file in said["files"]]
    assert files == [str(tmp_path / "j-0001.parquet"), str(tmp_path / "j-0002.parquet")]
    # Two judges on each of four segments, and no segment in two files.
    assert [
        (file["rows"], file["first_segment"], file["last_segment"])
        for file in said["files"]
    ] == [(4, 1, 2), (4, 3, 4)]
    assert all(
        file["bytes"] == Path(file["name"]).stat().st_size for file in said["files"]
    )
    one, other = (
        run_json("rank_judgments", *names, "--resamples", 50)
        for names in (files, [judgments])
    )
    assert one["input"].pop("format") == "parquet"
    for given in (one, other):
        del given["input"]["files"]
    other["input"].pop("format")
    assert one == other


def test_files_left_of_a_longer_conversion_are_refused(
    judgments: str,
    run_json: RunJson,
    tmp_path: Path,
) -> None:
    to = ("--to", tmp_path / "j.parquet", "--rows-per-file")
    run_json("convert_judgments", judgments, *to, 3)
    before = {path.name: path.read_bytes() for path in tmp_path.glob("j-*")}
    assert len(before) == 2
    with pytest.raises(
        CommandError,
        match=r"j-0002\.parquet is from an earlier conversion",
    ):
        run_json("convert_judgments", judgments, *to, 100)
    assert {path.name: path.read_bytes() for path in tmp_path.glob("j-*")} == before
    # As many files as before replace all of them.
    run_json("convert_judgments", judgments, *to, 2)
    (tmp_path / "j-0003.parquet").touch()
    with pytest.raises(CommandError, match="j-0003"):
        run_json("convert_judgments", judgments, *to, 3)


def test_a_folder_that_is_not_there_is_refused_before_reading(
    run_json: RunJson,
    tmp_path: Path,
) -> None:
    with pytest.raises(CommandError, match="folder does not exist") as refused:
        run_json(
            "convert_judgments",
            "nothing.csv",
            "--to",
            tmp_path / "no" / "j.parquet",
        )
    assert refused.value.returncode == 2
