"""Find the placeholder of the number that chooses the plural form of a text.

Only this placeholder may be missing from a form for a single number (“one sentence”), because the number is not always
written. `ngettext` takes the number beside the text, so that the code has to be read for its placeholder.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from translations.catalogues import FUNCTIONS, SOURCES

#: Helpers that always call the number so.
_COUNT = "count"
_HELPERS = {"counted", "counted_if_any"}
#: Texts of the judging page's scripts have their number in `{n}`.
_OF_SCRIPTS = "n"
_PLURALS = {name: kinds for name, kinds in FUNCTIONS.items() if "p" in kinds}
_BLOCK = re.compile(
    r"\{% blocktranslate\b(?P<options>[^%]*?\bcount (?P<name>\w+)=[^%]*)%\}(?P<one>.*?)\{% plural %\}",
    re.DOTALL,
)
_VARIABLE = re.compile(r"\{\{ *(\w+) *\}\}")


def counters_of(root: Path, folders: Iterable[str] = SOURCES) -> Mapping[str, str]:
    """Return the name of the number's placeholder by singular text, where it could be found."""
    counters: dict[str, str] = {}
    for folder in folders:
        for path in (root / folder).rglob("*.py"):
            counters.update(_python_counters(path.read_text(encoding="utf-8")))
        for suffix in ("html", "txt"):
            for path in (root / folder).rglob(f"*.{suffix}"):
                counters.update(_template_counters(path.read_text(encoding="utf-8")))
    return counters


def _template_counters(source: str) -> Iterator[tuple[str, str]]:
    for block in _BLOCK.finditer(source):
        # As Django does: placeholders of gettext, and doubled percent signs.
        text = block["one"].replace("%", "%%")
        yield _VARIABLE.sub(r"%(\1)s", text), block["name"]


def _python_counters(source: str) -> Iterator[tuple[str, str]]:
    for scope in ast.walk(ast.parse(source)):
        if isinstance(scope, ast.Module | ast.FunctionDef):
            yield from _scope_counters(scope)


def _scope_counters(scope: ast.Module | ast.FunctionDef) -> Iterator[tuple[str, str]]:
    values = list(_named_values(scope))
    for call in ast.walk(scope):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        function = call.func.id
        kinds = _PLURALS.get(function)
        if kinds is None or not _is_text(call.args, kinds):
            continue
        names = {_OF_SCRIPTS}
        if function in _HELPERS:
            names.add(_COUNT)
        elif len(call.args) > len(kinds):
            number = call.args[len(kinds)]
            names |= _names_of(number, values)
        singular = call.args[kinds.index("s")]
        text = ast.literal_eval(singular)
        in_text = [name for name in names if _has_placeholder(text, name)]
        if len(in_text) == 1:
            yield text, in_text[0]


def _has_placeholder(text: str, name: str) -> bool:
    return f"%({name})" in text or f"{{{name}}}" in text


def _names_of(number: ast.expr, values: list[tuple[str, str]]) -> set[str]:
    """Return the names of placeholders that this number may fill."""
    names = set()
    # `ngettext_lazy` may name the placeholder.
    if isinstance(number, ast.Constant):
        names.add(str(number.value))
    expression = ast.dump(number)
    for name, value in values:
        if value == expression:
            names.add(name)
    return names


def _is_text(arguments: list[ast.expr], kinds: str) -> bool:
    texts = arguments[: len(kinds)]
    if len(texts) < len(kinds):
        return False
    return all(isinstance(text, ast.Constant) for text in texts)


def _named_values(scope: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the values of dictionaries by their keys, also those in a call such as `number_format(number)`."""
    for node in ast.walk(scope):
        if not isinstance(node, ast.Dict):
            continue
        for key, value in zip(node.keys, node.values, strict=True):
            if not isinstance(key, ast.Constant):
                continue
            name = str(key.value)
            yield name, ast.dump(value)
            if isinstance(value, ast.Call) and len(value.args) == 1:
                yield name, ast.dump(value.args[0])
