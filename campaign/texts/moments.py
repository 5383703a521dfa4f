"""Times in files."""

from datetime import UTC, datetime


def moment(time: datetime) -> str:
    """Return a time in ISO 8601, UTC, always with microseconds: readers of tables infer one form for a whole column."""
    return (
        time.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    )
