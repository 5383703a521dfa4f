"""Code shared by the commands on files: arguments, reading, errors, progress, output. No database."""

from __future__ import annotations

import argparse
import os
import sys
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

from django.core.management.base import BaseCommand, CommandError, CommandParser, OutputWrapper

from campaign.formats import FormatError, InputFile, TestSetFormat, detect_format
from campaign.formats.sgml import sgml_segments
from campaign.formats.streams import text_lines
from ranking.core.methods.bradley_terry import NotConvergedError
from ranking.core.sharding import EngineError
from ranking.files.reading import read_judgments
from ranking.files.records import InputFormat, JudgmentSelection, SelectionError
from ranking.management.arguments import (
    POSITIVE,
    SEED,
    SHARE,
    add_engine_arguments,
    chosen_engine,
)
from ranking.reports import Report, ReportFormat, write
from ranking.reports.inputs import Input

#: Name of the reference in WMT's files.
REFERENCE_SYSTEM = "_ref"
BAD_INPUT = 2
_INTERRUPTED = 130

Options = Mapping[str, Any]


class ReportCommand(BaseCommand):
    """A command that computes a report from its arguments and files alone."""

    # No check of settings, migrations or translations: there is nothing they could be about.
    requires_system_checks: list[str] = []
    #: True if it computes and draws random numbers; otherwise it takes no seed and no engine.
    computes = True

    @abstractmethod
    def report(self, options: Options, progress: Progress) -> Report:
        """Compute the report; `options["engine"]` says where."""

    def add_arguments(self, parser: CommandParser) -> None:
        if self.computes:
            parser.add_argument("--seed", type=SEED, default=0, help="random seed (default: 0)")
            add_engine_arguments(parser)
        parser.add_argument(
            "--format",
            type=ReportFormat,
            choices=list(ReportFormat),
            default=ReportFormat.TEXT,
            help="format of the report (default: text)",
        )
        parser.add_argument(
            "--output",
            metavar="F",
            help="write the report to this file instead of standard output",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        output = checked_output(options["output"])
        try:
            with (
                Progress(self.stderr, quiet=not options["verbosity"]) as progress,
                chosen_engine(options, say=progress.say)
                if self.computes
                else nullcontext() as engine,
            ):
                report = self.report({**options, "engine": engine}, progress)
            text = write(report, options["format"])
            if output is None:
                self.stdout.write(text, ending="")
            else:
                with replaced(output) as part:
                    part.write_text(text, encoding="utf-8")
        except KeyboardInterrupt:
            raise CommandError(
                "Interrupted. Nothing was written.", returncode=_INTERRUPTED
            ) from None
        except (NotConvergedError, EngineError) as error:
            raise CommandError(str(error)) from error
        except (FormatError, SelectionError, ValueError) as error:
            # The core raises ValueError for arguments that do not fit the data, and says which.
            refuse(str(error), error)
        except BrokenPipeError:
            # The reader has closed our output; prevent an error at interpreter exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def refuse(message: str, error: BaseException | None = None) -> NoReturn:
    """End the command with the status for bad input."""
    raise CommandError(message, returncode=BAD_INPUT) from error


def checked_output(name: str | None) -> Path | None:
    """Refuse a place that cannot be written to before the work, not after it."""
    if name is None or name == "-":
        return None
    path = Path(name)
    if path.is_dir() or not path.parent.is_dir():
        refuse(f"{name}: the folder does not exist.")
    return path


def add_resampling_arguments(parser: CommandParser, *, resamples: int = 1000) -> None:
    """Add the options for the number of resamples and the confidence."""
    parser.add_argument(
        "--resamples",
        type=POSITIVE,
        default=resamples,
        help="number of resamples (default: %(default)s)",
    )
    parser.add_argument(
        "--confidence",
        type=SHARE,
        default=0.95,
        help="confidence of ranges and intervals (default: 0.95)",
    )


def add_names_of_files(parser: CommandParser, *, optional: bool = False) -> None:
    """Add the files and their format."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*" if optional else "+",
        help="file of judgments, plain, gzip or Parquet; - for standard input",
    )
    parser.add_argument(
        "--input-format",
        type=InputFormat,
        choices=list(InputFormat),
        help="format of the files (default: detected)",
    )


def add_file_arguments(
    parser: CommandParser, *, optional: bool = False, short: bool = True
) -> None:
    """Add the arguments for files, and for the judgments to read from them.

    `optional` files may be none; `short` says whether --source and --target mean languages.
    """
    add_names_of_files(parser, optional=optional)
    for side in ("source", "target"):
        parser.add_argument(
            *([f"--{side}"] if short else []),
            f"--{side}-language",
            metavar="L",
            dest=f"{side}_language",
            help=f"{side} language, as the files spell it",
        )
    parser.add_argument(
        "--exclude-judge",
        metavar="J",
        nargs="+",
        action="extend",
        default=[],
        help="exclude judgments by these judges",
    )
    parser.add_argument(
        "--reference",
        choices=["include", "exclude"],
        default="exclude",
        help="include the reference as a system (default: exclude)",
    )
    parser.add_argument(
        "--reference-system",
        metavar="NAME",
        help=f"name of the reference system (default: {REFERENCE_SYSTEM}, if present)",
    )


def selection_of(options: Options) -> JudgmentSelection:
    """Return which judgments the options of `add_file_arguments` ask for."""
    return JudgmentSelection(
        source=options["source_language"],
        target=options["target_language"],
        exclude_judges=tuple(dict.fromkeys(options["exclude_judge"])),
    )


def reference_among(systems: Sequence[str], options: Options) -> str | None:
    """Return the reference if there is one; SelectionError if it is not where the options say."""
    named: str | None = options["reference_system"]
    if named is not None and named not in systems:
        raise SelectionError(f"reference system {named!r} not found; systems: {', '.join(systems)}")
    reference = named or REFERENCE_SYSTEM
    if reference not in systems:
        return None
    if options["reference"] == "exclude" and len(systems) < 3:
        raise SelectionError(
            f"only one system is left without the reference {reference!r}; "
            "compare at least two, or use --reference include"
        )
    return reference


def read_input(options: Options, progress: Progress) -> Input:
    """Read the files of `add_file_arguments`."""
    read = read_judgments(
        options["files"],
        input_format=options["input_format"],
        selection=selection_of(options),
        progress=progress.begin("Reading"),
    )
    reference = reference_among(read.blocks.systems, options)
    blocks = read.blocks
    if reference is not None and options["reference"] == "exclude":
        blocks = blocks.without([reference])
    return Input(read=read, blocks=blocks, reference=reference)


_SETS = frozenset({"srcset", "refset", "tstset"})


def named_file(text: str) -> tuple[str, str]:
    """Take NAME=FILE apart."""
    name, equals, file = text.partition("=")
    if not (name and equals and file):
        raise argparse.ArgumentTypeError(f"{text!r} does not have the form NAME=FILE")
    return name, file


def segment_texts(name: str) -> list[str]:
    """Read the texts of a file, that of segment number s at index s − 1.

    Plain text has a segment a line; SGML has them in the order of the test set. Either may be
    compressed with gzip.
    """
    try:
        with Path(name).open("rb") as stream:
            found, file = detect_format(InputFile(name, stream))
            if found is TestSetFormat.SGML:
                return [segment.text for segment in sgml_segments(file, _SETS)]
            if found is TestSetFormat.PLAIN:
                return [line.strip() for line in text_lines(file)]
    except OSError as error:
        refuse(f"{name}: {error.strerror}.", error)
    raise FormatError(name, f"the file looks like {found.value.upper()}", "give plain text or SGML")


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Provide a temporary file beside `path` that replaces it if the block succeeds; refuse what cannot be written.

    Whatever ends the writing early, Ctrl-C too, leaves `path` as it was.
    """
    # Nothing to be replaced in /dev/stdout, a pipe.
    is_file = not path.exists() or path.is_file()
    part = path.with_name(f".{path.name}.{os.getpid()}.part") if is_file else path
    try:
        yield part
        if is_file:
            part.replace(path)
    except OSError as error:
        refuse(f"{path}: cannot write the file ({error.strerror}).", error)
    finally:
        if is_file:
            part.unlink(missing_ok=True)


class Progress:
    """One line on standard error that says how far it is, on a terminal only; and sentences."""

    def __init__(self, err: OutputWrapper, *, quiet: bool = False) -> None:
        self._err = err
        self._quiet = quiet
        self._shown = bool(err.isatty()) and not quiet
        self._task = ""
        self._percent = -1

    def begin(self, task: str) -> Self:
        """Name the next step."""
        self._task, self._percent = task, -1
        return self

    def say(self, sentence: str) -> None:
        """Write a sentence, on a terminal or not, unless the command is to be quiet."""
        if self._quiet:
            return
        self._clear()
        self._err.write(sentence, str)
        self._err.flush()

    def __call__(self, done: int, total: int) -> None:
        percent = min(100 * done // total, 100) if total else 100
        if self._shown and percent != self._percent:
            self._percent = percent
            self._err.write(f"\r\x1b[K{self._task}: {percent}%", str, ending="")
            self._err.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._clear()

    def _clear(self) -> None:
        """Take away the line that says how far it is."""
        if self._shown and self._percent >= 0:
            self._err.write("\r\x1b[K", str, ending="")
            self._err.flush()
            self._percent = -1
