"""The command `quintet`, as in an installed wheel, in a checkout (`./quintet`, `python -m launcher`) and in the Makefile.

quintet start                start Quintet with your own campaigns
quintet demo                 start Quintet with the demo campaigns, too
quintet rank FILE ...        rank the systems judged in files
quintet check FILE ...       check whether files can be imported as a test set
quintet run -- COMMAND ...   run a command while PostgreSQL and Valkey are running
quintet backup               write a backup into a new folder
quintet restore FOLDER       restore a backup
quintet COMMAND ...          run a management command
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path

from environment import environment_check, output_in_utf8
from launcher.backup import backup_command, restore_command
from launcher.data_directory import (
    CHECKOUT,
    DataDirectory,
    LauncherError,
    start_command,
)
from launcher.services import Services, environment_beside
from launcher.serving import serve
from version import package_version


def report(text: str) -> None:
    """Print a line without buffering, even into a pipe."""
    # A closed terminal or pipe must not prevent an orderly stop of the children.
    with contextlib.suppress(OSError):
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


#: Short names of management commands.
_SHORT = {"rank": ["rank_judgments"], "check": ["import_test_set", "--check"]}
_OWN = frozenset(
    {"start", "demo", "run", "backup", "restore", "-h", "--help", "--version"},
)


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit code (1 if it could not be run)."""
    if arguments is None:
        argv = sys.argv[1:]
    else:
        argv = arguments
    output_in_utf8()
    environment_check(os.environ)
    _other_servers_forget()
    try:
        if argv[:1] == ["--version"]:
            report(package_version())
            return 0
        if argv and argv[0] not in _OWN:
            name, *options = argv
            command = _SHORT.get(name, [name])
            return _manage([*command, *options])
        return _launch(_parser().parse_args(argv or ["--help"]))
    except LauncherError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        sys.stderr.write(
            f"The disk with the data folder {DataDirectory.from_environment().path} is full. "
            "Free some space, and run the command again.\n",
        )
        return 1


def _other_servers_forget() -> None:
    """Remove variables of libpq such as PGPORT and PGSERVICE, unless Quintet uses a server of the operator.

    They are about that server, and would change the connections to the PostgreSQL of the data folder.
    """
    if os.environ.get("DATABASE_URL"):
        return
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]


def _manage(argv: list[str]) -> int:
    """Run a management command: directly if it only needs files, otherwise with the services of the data folder."""
    import manage

    if manage.works_on_files(argv):
        return manage.main(["quintet", *argv])
    return _run_beside(
        DataDirectory.from_environment(),
        [sys.executable, str(CHECKOUT / "manage.py"), *argv],
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="quintet",
        description="Start Quintet and run its commands.",
        epilog=_management_commands(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version",
        action="store_true",
        help="show the version and exit",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("start", help="start Quintet with your own campaigns")
    commands.add_parser("demo", help="start Quintet with demo campaigns")
    commands.add_parser(
        "rank",
        help="rank systems from judgment files (rank_judgments)",
    )
    commands.add_parser(
        "check",
        help="check whether files can be imported as a test set (import_test_set --check)",
    )
    run = commands.add_parser(
        "run",
        help="run a command with PostgreSQL and Valkey running",
    )
    run.add_argument(
        "--temporary",
        action="store_true",
        help="use a temporary data folder",
    )
    run.add_argument(
        "--durable",
        action="store_true",
        help="with --temporary: sync all writes to disk, as in production",
    )
    run.add_argument(
        "argv",
        nargs="+",
        metavar="COMMAND",
        help="command to run, after --",
    )
    backup = commands.add_parser("backup", help="write a backup into a new folder")
    backup.add_argument(
        "--to",
        default="",
        help="target folder (default: backups in the data folder)",
    )
    restore = commands.add_parser("restore", help="restore a backup")
    restore.add_argument("source", metavar="FOLDER", help="backup folder")
    restore.add_argument(
        "--yes",
        action="store_true",
        help="replace existing data, keeping a copy",
    )
    return parser


def _management_commands() -> str:
    """List Django's commands from the first lines of their modules, without importing them."""
    lines = []
    files = [
        *CHECKOUT.glob("*/management/commands/[a-z]*.py"),
        *CHECKOUT.glob("protocols/*/management/commands/[a-z]*.py"),
    ]
    for path in sorted(files, key=attrgetter("name")):
        with path.open(encoding="utf-8") as file:
            match = re.match(r'"""`\w+`: (.+?)\.?(?:""")?$', file.readline())
        summary = match[1] if match else ""
        lines.append(f"  {path.stem:<21} {summary}".rstrip())
    return "\n".join(
        ["commands for campaigns and files (quintet COMMAND --help):", *lines],
    )


def _launch(chosen: argparse.Namespace) -> int:
    if chosen.command != "run":
        directory = DataDirectory.from_environment()
        if chosen.command == "backup":
            backup_command(directory, into=chosen.to, report=report)
        elif chosen.command == "restore":
            restore_command(
                directory,
                source=chosen.source,
                confirmed=chosen.yes,
                report=report,
            )
        else:
            serve(directory, report, demo=chosen.command == "demo")
        return 0
    if chosen.temporary:
        with (
            tempfile.TemporaryDirectory(prefix="quintet-") as folder,
            Services(
                DataDirectory(Path(folder).resolve()),
                durable=chosen.durable,
            ) as services,
        ):
            return _run(chosen.argv, services.environment)
    return _run_beside(DataDirectory.from_environment(), chosen.argv)


def _run_beside(directory: DataDirectory, argv: list[str]) -> int:
    """Run a command with the services of a data folder; start them if they are not running.

    Raises:
        LauncherError: the folder has never been used, so the command would find no data.
    """
    if not directory.was_started and not os.environ.get("DATABASE_URL"):
        command = start_command()
        home = os.environ.get("QUINTET_HOME")
        if home:
            command = f"QUINTET_HOME={shlex.quote(home)} {command}"
        raise LauncherError(
            f"Quintet is not set up in the data folder {directory.path}. Run "
            f"`{command}` first; or, if your campaigns are "
            "elsewhere, set QUINTET_HOME to their data folder.",
        )
    with environment_beside(directory) as environment:
        # What `start` collected; requests of `rest` would warn that there is no such folder.
        static_root = os.environ.get("STATIC_ROOT") or str(directory.path / "static")
        return _run(argv, {**environment, "STATIC_ROOT": static_root})


def _run(argv: list[str], environment: Mapping[str, str]) -> int:
    settings = {"DJANGO_SETTINGS_MODULE": "config.settings"}
    # Ctrl-C also reaches the command in this terminal; this process continues and stops the services.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = subprocess.Popen(
            argv,
            env={**settings, **os.environ, **environment, **_terminal_address()},
            # The command would inherit the ignored signal.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        )
    except OSError as error:
        raise LauncherError(f"{argv[0]} cannot be run: {error.strerror}") from error
    else:
        handed_on = signal.signal(
            signal.SIGTERM,
            lambda number, _frame: process.send_signal(number),
        )
        try:
            code = process.wait()
        finally:
            signal.signal(signal.SIGTERM, handed_on)
        if code < 0:
            return 128 - code
        return code
    finally:
        signal.signal(signal.SIGINT, before)


def _terminal_address() -> dict[str, str]:
    """Return the public address set in this terminal, which takes precedence over that of running services."""
    address = os.environ.get("PUBLIC_ADDRESS")
    if address:
        return {"PUBLIC_ADDRESS": address}
    return {}


if __name__ == "__main__":
    sys.exit(main())
