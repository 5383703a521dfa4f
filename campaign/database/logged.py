"""Tell logs whom a request is about."""

import structlog


def judge_logged(judge_id: int) -> None:
    """Let all that is logged until this request is answered say which judge it is: by a number, which names nobody.

    Not by their pseudonym, which an organiser may have made of a name.
    """
    structlog.contextvars.bind_contextvars(judge=judge_id)
