"""Python reads this module first where its folder is on PYTHONPATH: the time of day is then wrong by what a file says.

The monotonic clock is left alone, as the kernel leaves it when somebody sets the time.
"""

import copyreg
import datetime as dt
import os
import time
from pathlib import Path
from typing import Any

_FILE = Path(os.environ["QUINTET_FAULTS_CLOCK"])
_LOOK_SECONDS = 0.5
_Real = dt.datetime
_real_time = time.time
_read = {"at": float("-inf"), "hours": 0.0}


def _shift() -> dt.timedelta:
    """Return by how much the clock is wrong; the file is looked at twice a second."""
    if time.monotonic() - _read["at"] > _LOOK_SECONDS:
        _read.update(at=time.monotonic(), hours=float(_FILE.read_text()))
    return dt.timedelta(hours=_read["hours"])


class _IsDatetime(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _Real)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, _Real)


class _Shifted(_Real, metaclass=_IsDatetime):
    """Makes ordinary datetimes; only what asks for the present time differs."""

    def __new__(cls, *arguments: Any, **named: Any) -> Any:
        kind = _Real if cls is _Shifted else cls
        return _Real.__new__(kind, *arguments, **named)

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Any:
        return _Real.now(tz) + _shift()

    @classmethod
    def utcnow(cls) -> Any:
        return _Real.now(dt.UTC).replace(tzinfo=None) + _shift()

    @classmethod
    def today(cls) -> Any:
        return cls.now()


def _time() -> float:
    return _real_time() + _shift().total_seconds()


def _time_ns() -> int:
    return int(_time() * 1e9)


def _from_text(text: str) -> dt.datetime:
    return _Real.fromisoformat(text)


# Pickle takes no instance of a class that is not found under its name.
copyreg.pickle(_Real, lambda moment: (_from_text, (moment.isoformat(),)))
setattr(time, "time", _time)  # noqa: B010  # known to be a function, not an attribute
setattr(time, "time_ns", _time_ns)  # noqa: B010
setattr(dt, "datetime", _Shifted)  # noqa: B010
