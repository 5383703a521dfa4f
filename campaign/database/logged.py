"""Context of log lines: the people a request is about."""

import structlog


def judge_logged(judge_id: int) -> None:
    """Add the judge's id to every line logged until this request is answered.

    The id identifies no person outside the database; a pseudonym might, if organisers derived it
    from a name.
    """
    structlog.contextvars.bind_contextvars(judge=judge_id)
