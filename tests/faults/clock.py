"""A clock that can be set, for the Python processes of one installation: the supervisor's, web, worker and beat.

They read an offset from a file (`shifted_clock/sitecustomize.py`). The machine's own clock is not touched, so
PostgreSQL and Valkey, whose times decide, keep the right time. (libfaketime would shift these, too, but Debian's 0.9.10 cannot
leave the monotonic clock alone under Python 3.11: `time.sleep` then fails.)
"""

from pathlib import Path

SHIM = Path(__file__).resolve().parent / "shifted_clock"


def clock_environment(folder: Path) -> dict[str, str]:
    """Return what processes of this data folder need to have a clock of their own."""
    return {"PYTHONPATH": str(SHIM), "QUINTET_FAULTS_CLOCK": str(_file(folder))}


def clock_set(folder: Path, *, hours: float) -> None:
    """Let the processes' clock be that much ahead of the machine's, or behind it."""
    written = _file(folder).with_suffix(".new")
    written.write_text(str(hours))
    written.replace(_file(folder))


def _file(folder: Path) -> Path:
    """Return where the offset stands: beside the data folder."""
    return folder.with_suffix(".clock")
