"""What counting costs a request: `python -m tests.benchmarks.metrics`, with files that processes share as under gunicorn."""

import os
import tempfile
from statistics import median
from time import perf_counter
from types import SimpleNamespace
from typing import Any

ROUNDS, REQUESTS = 20, 2000


def microseconds() -> float:
    """Return the median time that counting takes of a request to a view that was counted before."""
    from config.metrics import requests as measured

    request: Any = SimpleNamespace(
        method="PUT", resolver_match=SimpleNamespace(view_name="judging-judgment"), path_info="/"
    )
    times = []
    for _round in range(ROUNDS):
        began = perf_counter()
        for _request in range(REQUESTS):
            # As the middleware does, with its two readings of the clock.
            began_request = perf_counter()
            measured._count(request, 200, perf_counter() - began_request)
        times.append((perf_counter() - began) / REQUESTS)
    return median(times) * 1e6


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        for name in ("SECRET_KEY", "DATABASE_URL", "REDIS_URL"):
            os.environ.setdefault(
                name, "redis://localhost" if name == "REDIS_URL" else "postgres://x/y"
            )
        print(f"counting a request: {microseconds():.1f} µs")  # noqa: T201


if __name__ == "__main__":
    main()
