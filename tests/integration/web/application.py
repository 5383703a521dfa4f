"""A small application with the habits that tell one web server from another."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from config import web_worker

Environ = dict[str, object]
StartResponse = Callable[[str, list[tuple[str, str]]], object]

ROWS = 200_000  # of 64 KiB: more than any buffer holds
_made_when_the_client_left: list[int] = []

# Seconds of the server that a test cannot wait for.
for name, seconds in json.loads(os.environ.get("TEST_SECONDS", "{}")).items():
    assert hasattr(web_worker, name)
    setattr(web_worker, name, seconds)


def application(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
    if environ["PATH_INFO"] == "/not-modified":
        start_response("304 Not Modified", [("ETag", '"1"')])
        return []
    start_response("200 OK", [("Content-Type", "application/octet-stream")])
    return ANSWERS.get(str(environ["PATH_INFO"]), told)(environ)


def told(environ: Environ) -> list[bytes]:
    """What the server made of the request."""
    return [
        json.dumps({k: v for k, v in environ.items() if isinstance(v, str)}).encode(),
    ]


def breaks_off(_environ: Environ) -> Iterator[bytes]:
    yield b"first\n"
    yield b"second\n"
    raise RuntimeError("the database went away")


def many_rows(_environ: Environ) -> Iterator[bytes]:
    made = 0
    try:
        while made < ROWS:
            yield b"x" * 65_536
            made += 1
    finally:
        _made_when_the_client_left.append(made)


def rows_made(_environ: Environ) -> list[bytes]:
    """For each answer of many rows that ended in this process, how many were made."""
    return [json.dumps(_made_when_the_client_left).encode()]


def file(environ: Environ) -> Iterable[bytes]:
    wrapper = environ.get("wsgi.file_wrapper", list)
    return wrapper(Path(__file__).open("rb"))  # type: ignore[operator, no-any-return]


def process(_environ: Environ) -> list[bytes]:
    return [str(os.getpid()).encode()]


def reads(environ: Environ) -> list[bytes]:
    """How long the body is that arrived."""
    length = int(str(environ["CONTENT_LENGTH"]))
    return [str(len(environ["wsgi.input"].read(length))).encode()]  # type: ignore[attr-defined]


def waits(_environ: Environ) -> list[bytes]:
    """Says that it has begun, and answers what comes out of the test's pipe until that is closed."""
    with Path(os.environ["TEST_PIPE"]).open("rb") as pipe:
        sys.stdout.write("begun\n")
        sys.stdout.flush()
        return [pipe.read()]


def large(_environ: Environ) -> list[bytes]:
    return [b"x" * 20_000_000]


#: An address of files, whose requests have threads of their own.
STREAM = "/api/v1/tasks/1/exports/stream/"

ANSWERS: dict[str, Callable[[Environ], Iterable[bytes]]] = {
    "/breaks-off": breaks_off,
    "/large": large,
    "/many-rows": many_rows,
    STREAM: many_rows,
    "/rows-made": rows_made,
    "/file": file,
    "/process": process,
    "/reads": reads,
    "/waits": waits,
}
