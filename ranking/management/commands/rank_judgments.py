"""`rank_judgments`: rank the systems judged in files."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, cast

from django.core.management.base import CommandParser
from django.utils.formats import number_format

from campaign.management.files import Progress
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.registry import METHODS, counts_method_named
from ranking.core.rankings.range_kinds import RangeOptions, seconds_of_resamples
from ranking.core.rankings.rank import Ranking, rank, rank_judged
from ranking.core.rankings.shard_counts import CountOptions
from ranking.files.counting import (
    ShardRequest,
    count_files,
    is_counted,
    names_documents,
)
from ranking.files.records import InputFormat
from ranking.files.references import REFERENCE_SYSTEM
from ranking.management.file_command import (
    Options,
    ReportCommand,
    add_file_arguments,
    add_method_argument,
    add_parameter_argument,
    add_range_arguments,
    add_resampling_arguments,
    parameters_of,
    range_options,
    read_input,
    reference_among,
    selection_of,
)
from ranking.pages.formats import duration
from ranking.reports import Report
from ranking.reports.analyses.ranking import rankings_report
from ranking.reports.inputs import CountedInput


class Command(ReportCommand):
    help = "Rank the systems judged in files, with rank ranges and clusters. Needs no database."

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_arguments(parser)
        add_method_argument(parser, "expected_wins")
        add_range_arguments(parser)
        add_parameter_argument(parser)
        add_resampling_arguments(parser)
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        choice = range_options(options)
        methods = tuple(dict.fromkeys(options["method"] or ["expected_wins"]))
        parameters = parameters_of(options["parameter"], methods)
        is_tested = bool(options["correction"] or options["sided"])
        pairs = choice.ranges != "percentile" or is_tested
        if _can_be_counted(options, methods, choice):
            counted, counted_rankings = _count_and_rank(
                options,
                parameters,
                choice,
                progress,
            )
            return rankings_report(counted, counted_rankings, pairs=pairs)
        judged = read_input(options, progress)
        if "lopez" in methods and options["verbosity"]:
            complete = METHODS["lopez"].complete(parameters["lopez"])
            limit = cast("float", complete["time_limit"])
            for message in _lopez_announcements(judged.blocks, choice, limit, options):
                progress.say(message)
        rankings = []
        for method in methods:
            ranking = rank(
                judged.blocks,
                method,
                parameters=parameters[method],
                progress=progress.begin(f"Ranking by {method}"),
                seed=options["seed"],
                engine=options["engine"],
                **asdict(choice),
            )
            rankings.append(ranking)
        return rankings_report(judged, rankings, pairs=pairs)


def _can_be_counted(
    options: Options,
    methods: Sequence[str],
    choice: RangeOptions,
) -> bool:
    """Return True if rankings can be computed from counts of shards, without all judgments in memory.

    All files must be Parquet files without votes, all methods must be functions of counts, and ranges must
    not account for documents. Lopez is excluded, because its duration is estimated from judgments.
    """
    files = options["files"]
    input_format = options["input_format"]
    if input_format not in (None, InputFormat.PARQUET):
        return False
    if not all(map(is_counted, files)):
        return False
    if "lopez" in methods:
        return False
    if not all(choice.is_live(METHODS[name]) for name in methods):
        return False
    return not (choice.accounts_for_documents and names_documents(files))


def _count_and_rank(
    options: Options,
    parameters: Mapping[str, Mapping[str, Any]],
    choice: RangeOptions,
    progress: Progress,
) -> tuple[CountedInput, list[Ranking]]:
    """Count the judgments in the files, and rank by each method in `parameters`."""
    methods = [counts_method_named(name) for name in parameters]
    kinds = []
    for method in methods:
        layout = method.layout(0)
        kind = (layout.ties, layout.outright)
        if kind not in kinds:
            kinds.append(kind)
    leave_out = None
    if options["reference"] == "exclude":
        leave_out = options["reference_system"] or REFERENCE_SYSTEM
    request = ShardRequest(
        selection=selection_of(options),
        leave_out=leave_out,
        counts=CountOptions(
            tuple(kinds),
            choice.keeps,
            options["resamples"],
            options["seed"],
        ),
    )
    read = count_files(
        options["files"],
        request,
        engine=options["engine"],
        progress=progress.begin("Counting"),
    )
    reference = reference_among(read.systems, options)
    counted = {method.name: read.counts.counted(method) for method in methods}
    rankings = []
    for method in methods:
        ranking = rank_judged(
            counted[method.name],
            method,
            method.complete(parameters[method.name]),
            choice,
            seed=options["seed"],
            engine=options["engine"],
            progress=progress.begin(f"Ranking by {method.name}"),
        )
        rankings.append(ranking)
    return CountedInput(read=read, counted=counted, reference=reference), rankings


#: Seconds; shorter rankings are not announced.
_LONG = 10.0


def _lopez_announcements(
    blocks: Blocks,
    choice: RangeOptions,
    time_limit: float,
    options: Options,
) -> list[str]:
    """Return a message on the expected duration of ranking by Lopez; none if it is short or nothing is resampled."""
    if choice.ranges not in ("percentile", "confidence_set"):
        return []
    seconds = seconds_of_resamples(
        blocks,
        resample=choice.resample,
        time_limit=time_limit,
        resamples=options["resamples"],
        seed=options["seed"],
    )
    seconds /= min(options["jobs"], os.cpu_count() or 1)
    if seconds <= _LONG:
        return []
    message = (
        f"Lopez with {len(blocks.systems)} systems: {number_format(options['resamples'])} resamples take about "
        f"{duration(seconds)}. Reduce them with --resamples."
    )
    return [message]
