"""The package `quintet` in the wheel; it contains the folders of the project (`[tool.hatch]` in pyproject.toml).

    from quintet import rank, blocks_from_rows, measure_agreement, plan_budget

These are the names of `ranking.core`, which needs neither Django nor a database. Importing them makes only `ranking`
importable; the other folders become importable in the command `quintet`, a separate process.
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

_HERE = str(Path(__file__).resolve().parent)
_CORE = ("ranking", "optional_packages")


class _Core:
    """Finder of the folders of the numerical core. It is the last one, so that modules of the importing program with
    these names take precedence.
    """

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if path is None and name in _CORE:
            return PathFinder.find_spec(name, [_HERE], target)
        return None


def __getattr__(name: str) -> Any:
    """Return a public name of `ranking.core`."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if _Core not in sys.meta_path:
        sys.meta_path.append(_Core)
    for top in _CORE:
        found = getattr(import_module(top), "__file__", None) or "a folder"
        if not found.startswith(_HERE):
            raise ImportError(
                f"quintet needs a module called {top!r} of its own, and this program has another one: {found}. "
                "Rename yours, or run Quintet's commands: `quintet --help`."
            )
    return getattr(import_module("ranking.core"), name)


def main() -> int:
    """Run the command `quintet`."""
    # First, so that no other package shadows `config` or `demo`.
    sys.path.insert(0, _HERE)
    return int(import_module("launcher.__main__").main())
