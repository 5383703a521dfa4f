"""Rankings of Parquet files that are counted shard by shard, in the memory of a shard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from ranking.core.methods.registry import METHODS, counts_method_named
from ranking.core.rankings.rank import Ranking
from ranking.core.rankings.shard_counts import CountsWanted, rank_added
from ranking.files import InputFormat
from ranking.files.counting import FilesWanted, count_files, is_counted, names_documents
from ranking.management.file_command import (
    REFERENCE_SYSTEM,
    Options,
    reference_among,
    selection_of,
)
from ranking.management.output import Progress
from ranking.range_choices import RangeChoice
from ranking.reports.inputs import CountedInput


def can_be_counted(
    files: Sequence[str],
    input_format: InputFormat | None,
    methods: Sequence[str],
    choice: RangeChoice,
) -> bool:
    """Return whether rankings follow from counts of shards: the rest needs all judgments at once.

    All files must be Parquet and no votes, all methods functions of counts, and ranges must not account for
    documents. How long Lopez takes is told from judgments.
    """
    if input_format not in (None, InputFormat.PARQUET) or not all(map(is_counted, files)):
        return False
    options = choice.options()
    if "lopez" in methods or not all(options.is_live(METHODS[name]) for name in methods):
        return False
    return not (choice.accounts_for_documents and names_documents(files))


def count_and_rank(
    options: Options,
    parameters: Mapping[str, Mapping[str, Any]],
    choice: RangeChoice,
    progress: Progress,
) -> tuple[CountedInput, list[Ranking]]:
    """Count the files of `add_file_arguments`, and rank by each method, as `parameters` name them."""
    how = choice.options(resamples=options["resamples"])
    methods = [counts_method_named(name) for name in parameters]
    layouts = [method.layout(0) for method in methods]
    kinds = tuple(dict.fromkeys((layout.ties, layout.outright) for layout in layouts))
    excluded = options["reference"] == "exclude"
    wanted = FilesWanted(
        selection=selection_of(options),
        leave_out=(options["reference_system"] or REFERENCE_SYSTEM) if excluded else None,
        counts=CountsWanted(kinds, how.keeps, options["resamples"], options["seed"]),
    )
    found = count_files(
        options["files"],
        wanted,
        engine=options["engine"],
        progress=progress.begin(_("Counting")),
    )
    reference = reference_among(found.systems, options)
    rankings = [
        rank_added(
            found.counts,
            method,
            method.complete(parameters[method.name]),
            how,
            engine=options["engine"],
            progress=progress.begin(_("Ranking by %(method)s") % {"method": method.name}),
        )
        for method in methods
    ]
    counted = {method.name: found.counts.counted(method)[0] for method in methods}
    return CountedInput(read=found, counted=counted, reference=reference), rankings
