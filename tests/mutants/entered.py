"""A pytest plugin that notes which functions each test enters, and one that runs some tests alone."""

from __future__ import annotations

import ast
import json
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Collection, Generator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

# A file, relative to the checkout, and the first line of a function in it, with its decorators.
Function = tuple[str, int]
# A module's own code begins here: its first import counts for nobody.
_MODULE = 1


class EntriesRecorder:
    """Writes down for each test the functions of the current folder it enters, and its seconds."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._entered: set[Function] = set()
        self._by_test: dict[str, tuple[float, set[Function]]] = {}
        # A fixture of a module or session is made by its first test, for others too.
        self._by_fixture: dict[str, set[Function]] = defaultdict(set)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Follow one test, with its fixtures and the threads it starts."""
        self._entered = set()
        began = time.monotonic()
        threading.settrace(self._enter)
        sys.settrace(self._enter)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)
            self._by_test[item.nodeid] = time.monotonic() - began, self._entered

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        """Follow a fixture on its own if tests share it."""
        before, self._entered = self._entered, set()
        try:
            return (yield)
        finally:
            if fixturedef.scope != "function":
                self._by_fixture[fixturedef.argname] |= self._entered
            self._entered |= before

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write what was noted."""
        root = f"{Path.cwd()}/"
        noted = {}
        for item in session.items:
            seconds, entered = self._by_test.get(item.nodeid, (0.0, set()))
            for fixture in getattr(item, "fixturenames", ()):
                entered |= self._by_fixture.get(fixture, set())
            noted[item.nodeid] = (
                seconds,
                sorted((name[len(root) :], at) for name, at in entered if name.startswith(root)),
            )
        self._target.write_text(json.dumps(noted))

    def _enter(self, frame: FrameType, _event: str, _argument: object) -> None:
        code = frame.f_code
        self._entered.add((code.co_filename, code.co_firstlineno))


class Only:
    """Runs these tests and no others, in this order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self._places = {test: place for place, test in enumerate(tests)}

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Leave the other tests out."""
        left = [item for item in items if item.nodeid not in self._places]
        items[:] = [item for item in items if item.nodeid in self._places]
        items.sort(key=lambda item: self._places[item.nodeid])
        config.hook.pytest_deselected(items=left)


class Entries:
    """Which tests enter which function, as `EntriesRecorder` wrote it down."""

    def __init__(self, noted: Path) -> None:
        self._seconds: dict[str, float] = {}
        self._by_function: dict[Function, set[str]] = defaultdict(set)
        self._by_module: dict[str, set[str]] = defaultdict(set)
        for test, (seconds, entered) in json.loads(noted.read_text()).items():
            self._seconds[test] = seconds
            for name, line in entered:
                self._by_function[name, line].add(test)
                if line > _MODULE:
                    self._by_module[name].add(test)

    def tests_at(self, module: Path, code: str, line: int) -> list[str]:
        """Return the tests that enter the function around a line of a module, the fastest first.

        Where that tells nothing, the tests that enter any function of the module: outside
        functions, in one whose results are cached, or in one that no test is seen to enter, since
        it is compiled or runs in another process. All tests if there is none.
        """
        first = _function_around(code, line)
        name = str(module)
        entering = self._by_function.get((name, first)) if first is not None else None
        chosen = entering or self._by_module.get(name) or self._seconds
        return sorted(chosen, key=lambda test: (self._seconds[test], test))

    def seconds(self, tests: Collection[str]) -> float:
        """Return how long these tests took."""
        return sum(self._seconds[test] for test in tests)


def _function_around(code: str, line: int) -> int | None:
    """Return the first line of the innermost function around a line; None for a cached one."""
    around: list[tuple[int, ast.FunctionDef]] = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first <= line <= (node.end_lineno or 0):
                around.append((first, node))
    if not around:
        return None
    first, innermost = max(around, key=lambda each: each[0])
    is_cached = any(
        ast.unparse(each).startswith(("cache", "lru_cache")) and "property" not in ast.unparse(each)
        for each in innermost.decorator_list
    )
    return None if is_cached else first
