"""When compiled code is loaded: later the first time than beside another."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

from ranking.core.compiling import kernel_if_worth

NAME = "ranking.core.judged.blocks"


@pytest.mark.parametrize(
    ("loaded", "steps", "is_worth"),
    [
        ([], 199_999_999, False),
        ([], 200_000_000, True),
        (["numba"], 19_999_999, False),
        (["numba"], 20_000_000, True),
        (["numba", NAME], 999, False),
        (["numba", NAME], 1_000, True),
    ],
)
def test_more_steps_are_asked_for_the_more_is_to_be_loaded(
    loaded: list[str], steps: int, is_worth: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("numba", NAME):
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in loaded:
        module = ModuleType(name)
        module.__spec__ = ModuleSpec(name, None)
        monkeypatch.setitem(sys.modules, name, module)
    found = kernel_if_worth(NAME, steps, worth_calling=1_000)
    assert (found is not None) == is_worth
