"""The process that reads a file of strangers: `python -m campaign.formats.reading_process FOLDER`.

`campaign.formats.isolation` starts it, and describes the folder.
"""

import os
import pickle
import sys
from pathlib import Path
from typing import Final

from campaign.formats.errors import FormatError
from campaign.formats.isolation import CALL, REFUSAL, RESULT
from campaign.formats.reading_limits import ReadingLimits

# Other work of the server comes first.
_NICENESS: Final = 10


def main(folder: Path) -> None:
    """Read as the call says, and write the items or the refusal."""
    with (folder / CALL).open("rb") as call:
        limits: ReadingLimits = pickle.load(call)  # noqa: S301
        limits.time_limit()
        read = pickle.load(call)  # noqa: S301  imports the reader
    limits.memory_limit()
    os.nice(_NICENESS)
    unfinished = folder / "unfinished"
    try:
        with unfinished.open("wb") as result:
            for item in read():
                pickle.dump(item, result, pickle.HIGHEST_PROTOCOL)
        unfinished.rename(folder / RESULT)
    except MemoryError:
        refusal_write(folder, limits.large())
    except (FormatError, OSError) as error:
        refusal_write(folder, error)


def refusal_write(folder: Path, error: Exception) -> None:
    """Write the error that the server raises."""
    (folder / REFUSAL).write_bytes(pickle.dumps(error))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
