"""Check that Quintet starts with only its own requirements, although those of tests are installed.

    python -m tests.installed_packages

It imports all that Quintet serves, works and starts with, and refuses to import anything of other packages. A package may import one that it
does not ask for, which then comes with the tests, and is missing where only `make install` was called.
"""

import os
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import packages_distributions
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
LOCKED: Final = ("base", "embedded")
OURS: Final = (
    *(
        "campaign",
        "annotation",
        "ranking",
        "protocols",
        "config",
        "demo",
        "desk",
        "environment",
        "launcher",
        "optional_packages",
        "whole_campaigns",
    ),
)
#: What others start, or import only when it is asked for.
THEIRS: Final = ("celery.bin.celery", "gunicorn.app.wsgiapp", "kombu.transport.redis")
#: Imported only where their extra is installed.
OF_EXTRAS: Final = ("ranking.export.judgments.parquet",)
#: For who works on Quintet.
WITH_A_BROWSER: Final = "launcher.screenshots"
SETTINGS: Final = {
    "DJANGO_SETTINGS_MODULE": "config.settings",
    "SECRET_KEY": "none",
    "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
    "REDIS_URL": "redis://127.0.0.1:1",
}


class OthersRefused(MetaPathFinder):
    """Import finder that refuses modules of all other distributions.

    Parameters
    ----------
    distributions : set of str
        Names as `canonical` has them.
    """

    def __init__(self, distributions: set[str]) -> None:
        self.refused = {
            top
            for top, owners in packages_distributions().items()
            if not distributions & {canonical(owner) for owner in owners}
        }

    def find_spec(self, fullname: str, *_where: Any) -> ModuleSpec | None:
        if fullname.partition(".")[0] in self.refused:
            raise ModuleNotFoundError(
                f"{fullname} is of no package that Quintet runs on: {', '.join(LOCKED)}.txt",
                name=fullname,
            )
        return None


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def locked() -> set[str]:
    """Return the distributions that Quintet is installed with."""
    files = [
        (ROOT / "requirements" / f"{name}.txt").read_text("utf-8") for name in LOCKED
    ]
    names = re.findall(r"^([A-Za-z0-9._-]+)==", "\n".join(files), re.MULTILINE)
    return {canonical(name) for name in names}


def modules() -> Iterator[str]:
    for top in OURS:
        for found in walk_packages(import_module(top).__path__, f"{top}."):
            if not found.name.endswith("__main__") and not found.name.startswith(
                (WITH_A_BROWSER, "launcher.package", *OF_EXTRAS),
            ):
                yield found.name
    yield from THEIRS


def main() -> None:
    os.environ.update(SETTINGS)
    sys.meta_path.insert(0, OthersRefused(locked()))
    import django

    django.setup()
    for name in modules():
        import_module(name)


if __name__ == "__main__":
    main()
