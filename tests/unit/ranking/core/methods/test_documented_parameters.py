"""docs/commands.md names each parameter of each method, with its default."""

import re
from pathlib import Path

from ranking.core.methods.method import Parameter
from ranking.core.methods.registry import METHODS

COMMANDS = Path(__file__).parents[5] / "docs" / "commands.md"
_PARAMETER = re.compile(r"`(\w*)\.(\w+)=([^`]*)`")
_WORDS: dict[Parameter, str] = {None: "none", True: "yes", False: "no"}


def _in_words(default: Parameter) -> str:
    if default is None or isinstance(default, bool):
        return _WORDS[default]
    return str(default)


def _documented() -> dict[str, dict[str, str]]:
    """Return the parameters of each method in the row of `--parameter`; a method is named before its first one."""
    text = COMMANDS.read_text(encoding="utf-8")
    [row] = [line for line in text.splitlines() if "`--parameter METHOD.NAME" in line]
    documented: dict[str, dict[str, str]] = {}
    method = ""
    for named, parameter, value in _PARAMETER.findall(row):
        method = named or method
        documented.setdefault(method, {})[parameter] = value
    return documented


def test_each_parameter_of_a_method_is_documented_with_its_default() -> None:
    declared = {}
    for name, method in METHODS.items():
        if method.defaults:
            declared[name] = {
                key: _in_words(value) for key, value in method.defaults.items()
            }
    assert _documented() == declared
