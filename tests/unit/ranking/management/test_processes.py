"""The commands as somebody without a database or a broker runs them."""

import subprocess
from collections.abc import Callable

import pytest
from django.core.management import get_commands, load_command_class

from manage import FILE_COMMANDS
from ranking.management.file_command import ReportCommand

Process = Callable[..., "subprocess.CompletedProcess[str]"]


def test_manage_py_knows_all_commands_on_files() -> None:
    ours = {
        name
        for name, app in get_commands().items()
        if app.startswith(("ranking", "protocols"))
        and isinstance(load_command_class(app, name), ReportCommand)
    }
    # This one reads files unless a campaign is named.
    assert ours - {"analyse"} == FILE_COMMANDS


def test_server_commands_require_their_environment(process: Process) -> None:
    done = process("check")
    assert done.returncode != 0
    assert "DATABASE_URL, REDIS_URL and SECRET_KEY are not set." in done.stderr


@pytest.mark.parametrize("command", sorted(FILE_COMMANDS))
def test_every_command_says_what_it_takes(
    command: str,
    run: Callable[..., str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        load_command_class(get_commands()[command], command).create_parser(
            "manage.py",
            command,
        ).parse_args(["--help"])
    assert ended.value.code == 0
    assert "--output F" in capsys.readouterr().out
