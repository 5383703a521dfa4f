"""The machine under all processes: its disk, its clock, its network, the version that it runs."""

import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from tests.faults.clock import clock_set
from tests.faults.proxy import Weather
from tests.faults.registry import fault
from tests.faults.stage import Needs, Stage

# What a new version's migrations might do to the table that judges write to, and what puts it back.
MIGRATIONS = {
    "0001_column": "ALTER TABLE annotation_judgment ADD COLUMN deployed smallint",
    "0002_index": "CREATE INDEX deployed ON annotation_judgment (deployed)",
    "0003_away": "ALTER TABLE annotation_judgment DROP COLUMN deployed",
}
MIGRATION = """
from django.db import migrations

class Migration(migrations.Migration):
    dependencies = {dependencies}
    operations = [migrations.RunSQL("{sql}")]
"""
SETTINGS = """
from config.owner import *

INSTALLED_APPS = [*INSTALLED_APPS, "{app}"]
"""


@fault("disk-full", needs=Needs.SMALL_DISK)
def disk_full(stage: Stage) -> None:
    """Fill the data folder's disk to the last byte for 20 s; nobody restarts anything by hand."""
    _fill(stage, seconds=20)


@fault("disk-full-long", needs=Needs.SMALL_DISK)
def disk_full_long(stage: Stage) -> None:
    """Fill the data folder's disk to the last byte for 90 s; nobody restarts anything by hand."""
    _fill(stage, seconds=90)


def _fill(stage: Stage, *, seconds: float) -> None:
    with disk_filled(stage) as fill:
        for _quarter in range(4):
            # What was freed meanwhile is filled as well.
            fill()
            stage.last(seconds / 4)


@contextmanager
def disk_filled(stage: Stage) -> Iterator[Callable[[], None]]:
    """Fill the disk to the last byte until the context ends; yield a function that fills it again."""
    ballast = stage.installation.folder / "ballast"
    try:
        _fill_once(ballast)
        yield partial(_fill_once, ballast)
    finally:
        ballast.unlink(missing_ok=True)


def _fill_once(ballast: Path) -> None:
    with suppress(OSError), ballast.open("ab", buffering=0) as file:
        for size in (1_000_000, 1000, 1):
            with suppress(OSError):
                while True:
                    file.write(bytes(size))


@fault("clock-forward", needs=Needs.SETTABLE_CLOCK)
def clock_forward(stage: Stage) -> None:
    """Put the clock of all Python processes forward by 2 h."""
    _set(stage, hours=2)


@fault("clock-back", needs=Needs.SETTABLE_CLOCK)
def clock_back(stage: Stage) -> None:
    """Put the clock of all Python processes back by 3 h; beat must go on."""
    _set(stage, hours=-3)


@fault("clock-day-forward", needs=Needs.SETTABLE_CLOCK)
def clock_day_forward(stage: Stage) -> None:
    """Put the clock of all Python processes forward by a day, and restart."""
    _set(stage, hours=24)
    stage.installation.stop()
    stage.start_again()


@fault("clock-day-back", needs=Needs.SETTABLE_CLOCK)
def clock_day_back(stage: Stage) -> None:
    """Put the clock of all Python processes back by a day, and restart."""
    _set(stage, hours=-24)
    stage.installation.stop()
    stage.start_again()


def _set(stage: Stage, *, hours: float) -> None:
    """Set the clock, and see that beat sends what is due."""
    clock_set(stage.installation.folder, hours=hours)
    # Until every process has looked at its new clock.
    stage.last(2)
    before = _sent_by_beat(stage)
    stage.last(18)
    sent = _sent_by_beat(stage) - before
    stage.notes.append(f"beat sent {sent} tasks in 18 s")
    if not sent:
        stage.failures.append("beat is silent")


def _sent_by_beat(stage: Stage) -> int:
    log = stage.installation.folder / "logs" / "worker.log"
    return log.read_text().count("Sending due task")


def _weather(stage: Stage, weather: Weather, seconds: float) -> None:
    assert stage.proxy is not None
    stage.proxy.weather = weather
    try:
        stage.last(seconds)
    finally:
        stage.proxy.weather = Weather.FINE


@fault("network-drops", through_proxy=True)
def network_drops(stage: Stage) -> None:
    """Drop everything between judges and server for 30 s; nobody is told."""
    _weather(stage, Weather.DROPPING, 30)


@fault("network-loses-answers", through_proxy=True, short=True)
def network_loses_answers(stage: Stage) -> None:
    """Let requests through and no answers, for 20 s: the connections end instead."""
    _weather(stage, Weather.HALF_CLOSED, 20)


@fault("network-resets", through_proxy=True)
def network_resets(stage: Stage) -> None:
    """Cut every connection for 10 s."""
    _weather(stage, Weather.RESET, 10)


@fault("network-slow", through_proxy=True)
def network_slow(stage: Stage) -> None:
    """Delay everything by 0.8 s each way, for 20 s."""
    _weather(stage, Weather.DELAYED, 20)


@fault("deploy")
def deploy(stage: Stage) -> None:
    """Migrate the table that judges write to, then let the web server load its code anew (HUP)."""
    # A name of its own, since the database remembers which migrations it has.
    app = f"deployed_{stage.task}"
    with migrations_beside(app, MIGRATIONS) as settings:
        stage.installation.program("-m", "django", "migrate", app, environment=settings)
    stage.send(signal.SIGHUP, [stage.installation.master("web")])
    stage.last(5)


@contextmanager
def migrations_beside(
    app: str,
    migrations: Mapping[str, str],
) -> Iterator[dict[str, str]]:
    """Make an app with these migrations, statements by name; yield the environment for `django migrate` with it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "deployed_settings.py").write_text(SETTINGS.format(app=app))
        package = Path(folder, app, "migrations")
        package.mkdir(parents=True)
        for each in (package.parent, package):
            each.joinpath("__init__.py").touch()
        dependencies: list[tuple[str, str]] = []
        for name, sql in migrations.items():
            text = MIGRATION.format(dependencies=dependencies, sql=sql)
            package.joinpath(f"{name}.py").write_text(text)
            dependencies = [(app, name)]
        # As `manage.py migrate` does, but with these settings.
        yield {"PYTHONPATH": folder, "DJANGO_SETTINGS_MODULE": "deployed_settings"}
