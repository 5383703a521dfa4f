"""Context of log lines: the judge of a request."""

import structlog


def judge_logged(judge_id: int) -> None:
    """Add the ID of the judge to all log lines of this request.

    Outside the database, the ID identifies no person; a pseudonym might, if it was derived from a name.
    """
    structlog.contextvars.bind_contextvars(judge=judge_id)
