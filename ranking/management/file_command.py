"""Code shared by commands on files, without a database: arguments, reading, errors, progress, output."""

import argparse
import math
import os
import sys
import types
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, Literal, NoReturn, Union, get_args, get_origin

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaign.formats import FormatError, InputFile, TestSetFormat, detect_format
from campaign.formats.sgml import sgml_segments
from campaign.formats.streams import text_lines
from campaign.management.files import Progress
from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.dask_engine import dask_engine
from ranking.core.methods.newton import NotConvergedError
from ranking.core.methods.registry import METHODS
from ranking.core.ranges import Correction, Sides
from ranking.core.rankings.range_kinds import RangeOptions, RangeParts
from ranking.core.sharding import Engine, EngineError, ThisMachine
from ranking.core.simulation.model import Model
from ranking.files.reading import read_judgments
from ranking.files.records import InputFormat, JudgmentSelection, SelectionError
from ranking.files.references import REFERENCE_SYSTEM, judged_reference
from ranking.reports import Report, ReportFormat, write
from ranking.reports.inputs import Input
from ranking.reports.range_choices import (
    RangeChoiceError,
    completed_ranges,
)


def whole_number(smallest: int, largest: int | None = None) -> type[int]:
    """Return an argument type for whole numbers from `smallest` (to `largest`)."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = smallest - 1
        if value < smallest or (largest is not None and value > largest):
            if largest is not None:
                upto = f" to {largest:,}"
            else:
                upto = ""
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a whole number from {smallest:,}{upto}",
            )
        return value

    return parse  # type: ignore[return-value]  # a callable serves argparse as well as a type


def number_between(
    low: float,
    high: float,
    *,
    including_high: bool = False,
) -> type[float]:
    """Return an argument type for numbers above `low` and below (or up to) `high`."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (low < value < high or (including_high and value == high)):
            below = "up to" if including_high else "below"
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a number above {low:g} and {below} {high:g}",
            )
        return value

    return parse  # type: ignore[return-value]


SEED = whole_number(0, 2**64 - 1)
POSITIVE = whole_number(1)
SHARE = number_between(0, 1)


#: Arguments of a command by name.
Options = Mapping[str, Any]
#: An argument that takes several values, and may be given again for more.
SEVERAL: Final[Mapping[str, Any]] = {"nargs": "+", "action": "extend", "default": []}


def add_option(
    parser: CommandParser,
    named: str,
    type_: Callable[[str], Any],
    help_text: str,
    *,
    default: Any = None,
    **more: Any,
) -> None:
    """Add an argument, named with its placeholder ("--limit N"); the help states its default if it is a number."""
    name, _space, placeholder = named.partition(" ")
    if isinstance(default, int | float):
        help_text += (
            f" (default: {default:g})"
            if isinstance(default, float)
            else f" (default: {default})"
        )
    parser.add_argument(
        name,
        metavar=placeholder or None,
        type=type_,
        default=default,
        help=help_text,
        **more,
    )


ENGINES = ("process", "dask")


def add_engine_arguments(parser: CommandParser) -> None:
    """Add `--engine`, `--jobs` and `--scheduler`."""
    parser.add_argument(
        "--engine",
        dest="engine_name",
        choices=ENGINES,
        default="process",
        help="where to compute: processes of this machine, or a Dask cluster; does not affect the result "
        "(default: process)",
    )
    parser.add_argument(
        "--jobs",
        type=POSITIVE,
        default=os.cpu_count() or 1,
        help="number of parallel workers; does not affect the result (default: %(default)s on this machine)",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="with --engine dask: the cluster's scheduler, tcp://host:8786 (default: "
        "DASK_SCHEDULER_ADDRESS, else a cluster of --jobs processes on this machine)",
    )


@contextmanager
def chosen_engine(options: Options) -> Iterator[Engine]:
    """Provide the engine selected by the options, and shut it down afterwards.

    Raises
    ------
    ValueError
        If an option does not fit the engine.
    EngineError
        If the engine is unavailable.
    """
    jobs = options["jobs"]
    scheduler = options["scheduler"]
    if options["engine_name"] == "dask":
        with dask_engine(scheduler=scheduler, workers=jobs) as engine:
            yield engine
        return
    if scheduler is not None:
        raise ValueError("--scheduler requires --engine dask")
    yield ThisMachine(jobs)


_TRUTH = {"yes": True, "true": True, "no": False, "false": False}
_NUMBERS = {int: "whole number", float: "number"}


#: Method, name and value of a parameter.
Parameter = tuple[str, str, Any]


def add_parameter_argument(parser: CommandParser) -> None:
    """Add the argument `--parameter`."""
    help_text = "override method parameters: " + ", ".join(_defaults())
    add_option(
        parser,
        "--parameter METHOD.NAME=VALUE",
        _parameter,
        help_text,
        **SEVERAL,
    )


def parameters_of(
    arguments: Iterable[Parameter],
    methods: Iterable[str],
) -> Mapping[str, Mapping[str, Any]]:
    """Return the parameters given for each method.

    Raises
    ------
    ValueError
        If the method of a parameter is not among `methods`, or a parameter is given twice.
    """
    parameters: dict[str, dict[str, Any]] = {name: {} for name in methods}
    for method, parameter, value in arguments:
        name = f"{method}.{parameter}"
        if method not in parameters:
            raise ValueError(f"--parameter {name}: method not selected with --method")
        if parameter in parameters[method]:
            raise ValueError(f"--parameter {name} is set twice")
        parameters[method][parameter] = value
    return parameters


def _defaults() -> list[str]:
    """List all parameters with their defaults, in argument syntax."""
    defaults = []
    for name, method in METHODS.items():
        for parameter, value in method.defaults.items():
            defaults.append(f"{name}.{parameter}={_as_text(value)}")
    return defaults


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        if value:
            return "yes"
        return "no"
    if value is None:
        return "none"
    return str(value)


def _parameter(text: str) -> Parameter:
    name, equals, value = text.partition("=")
    method, dot, parameter = name.partition(".")
    if not (equals and dot):
        raise argparse.ArgumentTypeError(
            f"{text!r} does not have the form METHOD.NAME=VALUE",
        )
    if method not in METHODS:
        raise argparse.ArgumentTypeError(
            f"{method!r} is not one of {', '.join(METHODS)}",
        )
    names = METHODS[method].parameter_types
    if parameter not in names:
        raise argparse.ArgumentTypeError(
            f"{method} has no parameter {parameter!r} (parameters: {', '.join(names) or 'none'})",
        )
    return method, parameter, _value(name, value, names[parameter])


def _value(name: str, text: str, type_: Any) -> Any:
    """Parse a value of an annotated type; the error names the expected format."""
    if get_origin(type_) in (Union, types.UnionType):
        if text == "none":
            return None
        (type_,) = (
            member for member in get_args(type_) if member is not types.NoneType
        )
    if get_origin(type_) is Literal:
        return _one_of(name, text, {choice: choice for choice in get_args(type_)})
    if type_ is bool:
        return _one_of(name, text, _TRUTH)
    try:
        return type_(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{name}: {text!r} is not a {_NUMBERS[type_]}",
        ) from None


def _one_of(name: str, text: str, choices: Mapping[str, Any]) -> Any:
    if text not in choices:
        raise argparse.ArgumentTypeError(
            f"{name}: {text!r} is not one of {', '.join(choices)}",
        )
    return choices[text]


_NOT_NEGATIVE = number_between(-math.ulp(0), math.inf)


def add_method_argument(parser: CommandParser, default: str) -> None:
    """Add `--method`, which is None if not given; `default` is only for the help text."""
    parser.add_argument(
        "--method",
        metavar="M",
        nargs="+",
        action="extend",
        choices=list(METHODS),
        help=f"ranking methods: {', '.join(METHODS)} (default: {default})",
    )


def add_target_arguments(parser: CommandParser, name: str, default: str) -> None:
    """Add the arguments for target shares of separated pairs (default None) and `--clusters`."""
    shares = number_between(0, 1, including_high=True)
    help_text = f"target shares of separated pairs (default: {default})"
    add_option(parser, f"{name} SHARE", shares, help_text, nargs="+")
    help_text = "target numbers of clusters"
    add_option(
        parser,
        "--clusters K",
        whole_number(2),
        help_text,
        default=[],
        nargs="+",
    )


def add_model_arguments(
    parser: CommandParser,
    *,
    systems: int | None,
    noise: float | None,
) -> None:
    """Add the model's parameters; `systems` and `noise` are their defaults."""
    add_option(
        parser,
        "--systems N",
        whole_number(2),
        "number of systems",
        default=systems,
    )
    help_text = "standard deviation of output quality around system quality (0 to 10)"
    add_option(
        parser,
        "--noise S",
        number_between(0, math.inf),
        help_text,
        default=noise,
    )
    add_option(
        parser,
        "--per-block N",
        whole_number(2, 5),
        "outputs per block",
        default=5,
    )
    help_text = "largest quality difference that a judge rates as a tie"
    add_option(parser, "--tie-radius D", _NOT_NEGATIVE, help_text, default=0.0)
    help_text = "standard deviation of a judge's perception"
    add_option(parser, "--judge-noise S", _NOT_NEGATIVE, help_text, default=0.0)
    help_text = (
        "number of segments in the test set (default: every block has its own segment)"
    )
    add_option(parser, "--segments N", POSITIVE, help_text)


def model_of(options: Options) -> Model:
    """Return the model given by the arguments."""
    names = [field.name for field in fields(Model) if field.name in options]
    return Model(**{name: options[name] for name in names})


_BOOTSTRAP = "bootstrap"
_TWO_WAY = "two_way"
_KINDS = (_BOOTSTRAP, _TWO_WAY, "sign_test", "confidence_set", "anytime")
_CORRECTIONS = {
    "none": Correction.NONE,
    "holm": Correction.HOLM,
    "bh": Correction.BENJAMINI_HOCHBERG,
}
_SIDES: Mapping[str, Sides] = {"one": 1, "two": 2}
#: Default unit of --rank-ranges bootstrap without --resample.
_LEVEL_OF_BOOTSTRAP: Level = "blocks"


def add_range_arguments(parser: CommandParser) -> None:
    """Add the arguments for rank ranges; see `range_options`."""
    parser.add_argument(
        "--rank-ranges",
        choices=_KINDS,
        help="method for rank ranges: two_way and bootstrap use percentiles of resampled rankings, the others "
        "test pairs of systems (default: two_way; with --resample only, percentiles at that level)",
    )
    parser.add_argument(
        "--resample",
        choices=list(LEVELS),
        help="units that rank ranges treat as independent; two_way accounts for segments and judges (default: "
        "two_way; with --rank-ranges bootstrap: blocks)",
    )
    parser.add_argument(
        "--correction",
        choices=list(_CORRECTIONS),
        help="multiple-testing correction for tests of pairs (default: none; with --rank-ranges anytime: holm)",
    )
    parser.add_argument(
        "--sided",
        choices=list(_SIDES),
        help="one- or two-sided tests of pairs (default: two; with --rank-ranges sign_test: one)",
    )


def range_options(options: Options) -> RangeOptions:
    """Return the requested ranges, completed with defaults.

    Raises
    ------
    RangeChoiceError
        If options contradict each other.
    """
    kind = options["rank_ranges"]
    level = options["resample"]
    parts: RangeParts = {"confidence": options["confidence"]}
    if kind in (_BOOTSTRAP, _TWO_WAY):
        parts["ranges"] = "percentile"
        if level is not None and (kind == _TWO_WAY) != (level == _TWO_WAY):
            raise RangeChoiceError(
                f"--rank-ranges {kind} and --resample {level} cannot be combined.",
                field="resample",
            )
        level = level or (_TWO_WAY if kind == _TWO_WAY else _LEVEL_OF_BOOTSTRAP)
    elif kind is not None:
        parts["ranges"] = kind
    if level is not None:
        parts["resample"] = level
    if options["correction"] is not None:
        parts["correction"] = _CORRECTIONS[options["correction"]].value
    if options["sided"] is not None:
        parts["sides"] = _SIDES[options["sided"]]
    return completed_ranges(parts)


BAD_INPUT = 2
_INTERRUPTED = 130


class ReportCommand(BaseCommand):
    """A command that computes a report from arguments and files alone."""

    # Skip the checks of settings, migrations and translations: the command uses none of them.
    requires_system_checks: list[str] = []
    #: Whether the command uses random numbers and an engine, and has the arguments for them.
    computes = True

    @abstractmethod
    def report(self, options: Options, progress: Progress) -> Report:
        """Compute the report on `options["engine"]`."""

    def add_arguments(self, parser: CommandParser) -> None:
        if self.computes:
            add_option(parser, "--seed", SEED, "random seed", default=0)
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
                chosen_engine(options) if self.computes else nullcontext() as engine,
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
                "Interrupted. Nothing was written.",
                returncode=_INTERRUPTED,
            ) from None
        except (NotConvergedError, EngineError) as error:
            raise CommandError(str(error)) from error
        except (FormatError, SelectionError, ValueError) as error:
            # The core raises ValueError for arguments that do not fit the data.
            refuse(str(error), error)
        except BrokenPipeError:
            # The reader has closed our output; prevent an error at interpreter exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def refuse(message: str, error: BaseException | None = None) -> NoReturn:
    """End the command with the status for bad input."""
    raise CommandError(message, returncode=BAD_INPUT) from error


def checked_output(name: str | None) -> Path | None:
    """Return the output path, None for standard output; refuse a path whose folder does not exist."""
    if name is None or name == "-":
        return None
    path = Path(name)
    if path.is_dir() or not path.parent.is_dir():
        refuse(f"{name}: the folder does not exist.")
    return path


def add_resampling_arguments(parser: CommandParser, *, resamples: int = 1000) -> None:
    """Add the options for the number of resamples and the confidence."""
    add_option(
        parser,
        "--resamples",
        POSITIVE,
        "number of resamples",
        default=resamples,
    )
    help_text = "confidence of ranges and intervals"
    add_option(parser, "--confidence", SHARE, help_text, default=0.95)


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
    parser: CommandParser,
    *,
    optional: bool = False,
    short: bool = True,
) -> None:
    """Add the arguments for files and for selecting judgments in them.

    `optional` makes files optional; `short` adds --source and --target for the languages.
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
    add_option(
        parser,
        "--exclude-judge J",
        str,
        "exclude judgments by these judges",
        **SEVERAL,
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
    """Return the selection of judgments in the options of `add_file_arguments`."""
    return JudgmentSelection(
        source=options["source_language"],
        target=options["target_language"],
        exclude_judges=tuple(dict.fromkeys(options["exclude_judge"])),
    )


def reference_among(systems: Sequence[str], options: Options) -> str | None:
    """Return the reference if there is one; raise SelectionError if the one in the options does not exist."""
    is_excluded = options["reference"] == "exclude"
    return judged_reference(
        systems,
        options["reference_system"],
        is_excluded=is_excluded,
    )


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
    """Parse NAME=FILE."""
    name, equals, file = text.partition("=")
    if not (name and equals and file):
        raise argparse.ArgumentTypeError(f"{text!r} does not have the form NAME=FILE")
    return name, file


def segment_texts(name: str) -> list[str]:
    """Read the texts of a file; segment number s is at index s − 1.

    Plain text has one segment per line; SGML has them in test-set order. Both may be
    compressed with gzip.
    """
    try:
        with Path(name).open("rb") as stream:
            texts, file = detect_format(InputFile(name, stream))
            if texts is TestSetFormat.SGML:
                return [segment.text for segment in sgml_segments(file, _SETS)]
            if texts is TestSetFormat.PLAIN:
                return [line.strip() for line in text_lines(file)]
    except OSError as error:
        refuse(f"{name}: {error.strerror}.", error)
    raise FormatError(
        name,
        f"the file looks like {texts.value.upper()}",
        "provide plain text or SGML",
    )


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Provide a temporary file beside `path` that replaces it if the block succeeds; refuse paths that cannot be written.

    If writing is interrupted, for instance by Ctrl-C, `path` stays unchanged.
    """
    # /dev/stdout and pipes cannot be replaced.
    is_file = not path.exists() or path.is_file()
    if is_file:
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
    else:
        part = path
    try:
        yield part
        if is_file:
            part.replace(path)
    except OSError as error:
        refuse(f"{path}: cannot write the file ({error.strerror}).", error)
    finally:
        if is_file:
            part.unlink(missing_ok=True)
