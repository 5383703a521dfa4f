"""Static files with hashed names."""

import re
from fnmatch import fnmatch
from pathlib import Path

from django.conf import settings

from config.storage import HashedStaticFiles

_STATIC = Path(settings.BASE_DIR) / "static"
_IMPORT = re.compile(r"^(?:import|export) [^;]* from |\bimport\(", re.MULTILINE)


def test_imports_of_every_script_are_rewritten_to_hashed_names() -> None:
    names = []
    for script in _STATIC.rglob("*.js"):
        if _IMPORT.search(script.read_text()):
            names.append(script.relative_to(_STATIC).as_posix())
    assert len(names) > 50
    patterns = [pattern for pattern, _ in HashedStaticFiles.patterns]
    assert [
        name
        for name in names
        if not any(fnmatch(name, pattern) for pattern in patterns)
    ] == []
