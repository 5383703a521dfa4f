"""The package `quintet` for programs; in the wheel it contains the folders of the project (`[tool.hatch]` in pyproject.toml).

    from quintet import rank, read_judgments, blocks_from_rows, measure_agreement, plan_budget

These are `read_judgments` and the names of `ranking.core`. None needs Django or a database. Importing them makes only
the folders that they need importable; the others become importable in the command `quintet`, a separate process.
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

_HERE = str(Path(__file__).resolve().parent)
_FOLDERS_OF_CORE = ("ranking", "optional_packages")
_FOLDERS_OF_READING = (*_FOLDERS_OF_CORE, "campaign")


class _Folders:
    """Finder of the folders of the library. It is the last one, so that modules of the importing program with
    these names take precedence.
    """

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if path is None and name in _FOLDERS_OF_READING:
            return PathFinder.find_spec(name, [_HERE], target)
        return None


def __getattr__(name: str) -> Any:
    """Return `read_judgments` or a public name of `ranking.core`."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "read_judgments":
        return getattr(_module("ranking.files.library", _FOLDERS_OF_READING), name)
    return getattr(_module("ranking.core", _FOLDERS_OF_CORE), name)


def __dir__() -> list[str]:
    """List the public names, for completion in notebooks."""
    core = _module("ranking.core", _FOLDERS_OF_CORE)
    return sorted([*core.MODULES, "read_judgments"])


def _module(module: str, folders: tuple[str, ...]) -> Any:
    """Import a module of ours. Raise ImportError if the program has another module with the name of one of the folders."""
    if _Folders not in sys.meta_path:
        sys.meta_path.append(_Folders)
    for folder in folders:
        path = getattr(import_module(folder), "__file__", None) or "a folder"
        if not path.startswith(_HERE):
            raise ImportError(
                f"quintet needs a module called {folder!r} of its own, and this program has another one: {path}. "
                "Rename yours, or run Quintet's commands: `quintet --help`.",
            )
    return import_module(module)


def main() -> int:
    """Run the command `quintet`."""
    # First, so that no other package shadows `config` or `demo`.
    sys.path.insert(0, _HERE)
    return int(import_module("launcher.__main__").main())
