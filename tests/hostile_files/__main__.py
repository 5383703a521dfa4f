"""Hand every hostile file in a folder to one door, each in a process of its own, and print what came of it as JSON.

`python -m tests.hostile_files "judgments: import" FOLDER`
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ["DJANGO_SETTINGS_MODULE"] = "config.offline"
import django
import psutil

django.setup()

from campaign.formats import FormatError  # noqa: E402
from campaign.importing.errors import ImportRefusedError  # noqa: E402
from ranking.files.records import SelectionError  # noqa: E402
from ranking.services.published_results.reproducing import NotReproducibleError  # noqa: E402
from tests.hostile_files.doors import DOORS  # noqa: E402
from tests.hostile_files.files import MOST_WORDS  # noqa: E402

#: Errors that pages, REST and commands show in words.
IN_WORDS = (FormatError, ImportRefusedError, SelectionError, NotReproducibleError)


def tried(door: str, path: Path) -> dict[str, Any]:
    """Return the outcome: read, refused or crashed, in which words, how many MB more, and in how many seconds."""
    reading, writing = os.pipe()
    # Not the most it ever had: that is handed down from whoever began this process.
    before = psutil.Process().memory_info().rss // 1024
    began = time.monotonic()
    child = os.fork()
    if not child:
        os.close(reading)
        try:
            DOORS[door](path)
            outcome = ["read", ""]
        except IN_WORDS as error:
            outcome = ["refused", str(error)[:MOST_WORDS]]
        except BaseException as error:  # noqa: BLE001  whatever it is, the child reports it
            outcome = ["crashed", repr(error)[:300]]
        os.write(writing, json.dumps(outcome).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    _pid, _status, used = os.wait4(child, 0)
    told, words = json.loads(said) if said else ("crashed", "it was killed")
    return {
        "outcome": told,
        "words": words,
        "more_mb": round(max(0, used.ru_maxrss - before) / 1024),
        "seconds": round(time.monotonic() - began, 1),
    }


if __name__ == "__main__":
    _program, door, folder = sys.argv
    found = {path.name: tried(door, path) for path in sorted(Path(folder).iterdir())}
    sys.stdout.write(json.dumps(found))
