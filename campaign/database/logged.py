"""Tell logs whom a request is about."""

import structlog


def judge_logged(judge_id: int) -> None:
    """Add the judge's id to every line logged until this request is answered.

    The id identifies nobody outside the database; a pseudonym might, since organisers may have made it of a name.
    """
    structlog.contextvars.bind_contextvars(judge=judge_id)
