"""The help of the command `quintet`."""

import re

import pytest

from launcher.__main__ import main


def test_every_command_has_a_description(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    _options, commands = capsys.readouterr().out.split(
        "commands for campaigns and files",
    )
    lines = commands.splitlines()[1:]
    assert any("load_demo" in line for line in lines)
    for line in lines:
        assert re.fullmatch(r"  \w+ +\w.+", line)
