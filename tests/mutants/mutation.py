"""The mutants of one module, and whether tests notice them."""

from __future__ import annotations

import ast
import difflib
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

from tests.mutants.entered import Entries
from tests.mutants.operators import operators
from tests.mutants.runner import Runner


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module broken in one place."""

    module: Path
    operator: str
    line: int
    before: str
    after: str

    @property
    def difference(self) -> str:
        """The lines that differ, without context."""
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), n=0, lineterm=""
        )
        return "\n".join(f"    {each}" for each in list(lines)[3:])

    def survives(self, runner: Runner, entries: Entries) -> bool:
        """Return whether the tests that run the broken place pass; the module is as before afterwards.

        Tests that take three times as long as they should fail.
        """
        tests = entries.tests_at(self.module, self.before, self.line)
        self.module.write_text(self.after)
        try:
            return runner.passes(seconds=30 + 3 * entries.seconds(tests), only=tests)
        finally:
            self.module.write_text(self.before)


def mutants(module: Path) -> Iterator[Mutant]:
    """Yield the mutants of a module, each once; none of its type annotations and decorators."""
    code = module.read_text()
    left = _declarations(code)
    seen = {code}
    for name, operator in operators().items():
        positions = [
            start
            for node in ast_nodes(get_ast(code))
            for start, _end in operator.mutation_positions(node)
        ]
        for occurrence, start in enumerate(positions):
            after = mutate_code(code, operator, occurrence)
            if after in seen or any(begin <= start < end for begin, end in left):
                continue
            seen.add(after)
            if _is_python(after):
                yield Mutant(module, name, start[0], code, after)


def sampled(made: Iterable[Mutant], most: int) -> list[Mutant]:
    """Return this many mutants, by chance: the same ones whenever the lines they break are the same."""

    def draw(mutant: Mutant) -> bytes:
        return hashlib.sha256(f"{mutant.operator}{mutant.difference}".encode()).digest()

    return sorted(made, key=draw)[:most]


def _declarations(code: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return where annotations and decorators begin and end: lines from 1, columns from 0.

    The mark between arguments by position and by name, `*`, is one of them.
    """
    found: list[ast.expr | None] = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found += node.decorator_list
        if isinstance(node, ast.FunctionDef):
            found.append(node.returns)
        elif isinstance(node, ast.arg | ast.AnnAssign):
            found.append(node.annotation)
    return [
        ((each.lineno, each.col_offset), (each.end_lineno or 0, each.end_col_offset or 0))
        for each in found
        if each is not None
    ] + [
        ((number, at), (number, at + 1))
        for number, line in enumerate(code.splitlines(), start=1)
        if (at := line.find("*,")) >= 0
    ]


def _is_python(code: str) -> bool:
    try:
        compile(code, "mutant", "exec")
    except SyntaxError:
        return False
    return True
