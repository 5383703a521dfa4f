"""The options that say where a command computes, and the engine they choose."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from ranking.core.sharding.shards import Engine, ThisMachine
from ranking.management.arguments import POSITIVE

ENGINES = ("process", "celery", "dask")


def add_engine_arguments(parser: CommandParser) -> None:
    """Add `--engine`, `--jobs` and `--scheduler`."""
    parser.add_argument(
        "--engine",
        dest="engine_name",
        choices=ENGINES,
        default="process",
        help="who computes: this machine, workers of Celery's queue “shards”, or a Dask cluster; "
        "does not change the result (default: process)",
    )
    parser.add_argument(
        "--jobs",
        type=POSITIVE,
        default=os.cpu_count() or 1,
        help="how much to compute at a time; does not change the result (default: %(default)s here)",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="with --engine dask: the cluster's scheduler, tcp://host:8786 (default: "
        "DASK_SCHEDULER_ADDRESS, else a cluster of --jobs processes on this machine)",
    )


@contextmanager
def chosen_engine(options: Mapping[str, Any], *, say: Callable[[str], None]) -> Iterator[Engine]:
    """Give the engine that the options choose; what it started ends with it.

    `say` is called with sentences for whoever waits.

    Raises
    ------
    ValueError
        If an option does not fit the engine.
    EngineError
        If the engine cannot be had.
    """
    name, jobs = options["engine_name"], options["jobs"]
    if options["scheduler"] is not None and name != "dask":
        raise ValueError(_("--scheduler is an address of Dask: say --engine dask, too"))
    if name == "dask":
        from ranking.engines.by_dask import dask_engine

        with dask_engine(scheduler=options["scheduler"], workers=jobs) as engine:
            yield engine
    elif name == "celery":
        # Imported here: the other engines need neither database nor broker.
        from ranking.engines.by_celery import CeleryEngine

        yield CeleryEngine(workers=jobs, say=say)
    else:
        yield ThisMachine(jobs)
