"""Which engine the options choose, and which options do not fit it."""

import sys
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management.base import CommandError

SIMULATION = ("--systems", 3, "--comparisons", 50, "--experiments", 2)

Run = Callable[..., str]


def test_an_address_is_for_dask_only(run: Run) -> None:
    with pytest.raises(
        CommandError,
        match="--scheduler requires --engine dask",
    ) as refusal:
        run("simulate_campaigns", *SIMULATION, "--scheduler", "tcp://127.0.0.1:1")
    assert refusal.value.returncode == 2


def test_without_dask_the_command_says_how_to_install_it(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    no_module: Any = None
    monkeypatch.setitem(sys.modules, "distributed", no_module)
    with pytest.raises(CommandError, match=r"make install EXTRAS=dask"):
        run("simulate_campaigns", *SIMULATION, "--engine", "dask")


def test_a_scheduler_that_does_not_answer_is_named(run: Run) -> None:
    from dask import config

    with (
        config.set({"distributed.comm.timeouts.connect": "0.5s"}),
        pytest.raises(
            CommandError,
            match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1",
        ),
    ):
        run(
            *("simulate_campaigns", *SIMULATION),
            *("--engine", "dask", "--scheduler", "tcp://127.0.0.1:1"),
        )


def test_an_unknown_engine_is_refused(run: Run) -> None:
    with pytest.raises(CommandError, match="invalid choice: 'spark'"):
        run("simulate_campaigns", *SIMULATION, "--engine", "spark")
