"""The commands as somebody without a database or a broker runs them."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from manage import FILE_COMMANDS
from ranking.management.file_command import ReportCommand

Process = Callable[..., "subprocess.CompletedProcess[str]"]


def test_manage_py_knows_all_commands_on_files() -> None:
    ours = {
        name
        for name, app in get_commands().items()
        if app.startswith(("ranking", "protocols."))
        and isinstance(load_command_class(app, name), ReportCommand)
    }
    assert ours == FILE_COMMANDS


@pytest.mark.thorough
def test_a_ranking_needs_no_environment_and_reads_standard_input(
    judgments: str, process: Process
) -> None:
    content = Path(judgments).read_text(encoding="utf-8")
    done = process("rank_judgments", "-", "--format", "json", input=content)
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert said["input"]["files"][0]["name"] == "-"
    assert {row["system"] for row in said["rankings"][0]["systems"]} == {"A", "B", "C"}


@pytest.mark.thorough
def test_bad_input_ends_with_status_2_and_writes_nothing(
    judgments: str, process: Process, tmp_path: Path
) -> None:
    path = Path(judgments)
    path.write_text(path.read_text(encoding="utf-8").replace("2,2,1", "2,7,1", 1), encoding="utf-8")
    output = tmp_path / "ranking.json"
    done = process("rank_judgments", judgments, "--output", output)
    assert done.returncode == 2
    assert done.stdout == ""
    assert f"{judgments}, line 4" in done.stderr
    assert 'field "system2rank"' in done.stderr
    assert not output.exists()


@pytest.mark.thorough
def test_bad_arguments_end_with_status_2(judgments: str, process: Process) -> None:
    done = process("rank_judgments", judgments, "--method", "guess")
    assert done.returncode == 2
    assert "guess" in done.stderr


def test_what_serves_still_insists_on_its_environment(process: Process) -> None:
    done = process("check")
    assert done.returncode != 0
    assert "DATABASE_URL, REDIS_URL and SECRET_KEY are not set." in done.stderr


@pytest.mark.parametrize("command", sorted(FILE_COMMANDS))
def test_every_command_says_what_it_takes(
    command: str, run: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        load_command_class(get_commands()[command], command).create_parser(
            "manage.py", command
        ).parse_args(["--help"])
    assert ended.value.code == 0
    assert "--output F" in capsys.readouterr().out
