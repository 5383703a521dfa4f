"""Recompute a published result from its bundle alone, without a database."""

import json
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

from campaign.formats import FormatError
from campaign.texts.canonical_json import canonical, digest_of
from ranking.core.judged.blocks import CONTENT_KEY_VERSION, Blocks, blocks_of_codes
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.records import part_of_row
from ranking.files.bundles import ABSENT, JUDGMENTS, RESULT, Difference, OpenedBundle
from ranking.files.reading import read_columns
from ranking.files.sources import ReadingProgress
from ranking.files.vocabulary import coded_judgments
from ranking.models import RankingRun
from ranking.reports.wording.published_content import PublishedContent
from ranking.services.published_results.content import COUNTED, FORMAT
from ranking.services.published_results.frozen_ranking import (
    frozen_agreement,
    frozen_finding,
    frozen_ranking,
)
from ranking.services.run_results import own_tests_of_run, run_result_of_blocks

#: Input to compare. Days of judging are not included, because the published judgments do not have them.
_INPUT: Final = (*COUNTED, "segments", "documents")
#: Rankings use a thousand resamples, but untrusted files may request any number.
_MOST_RESAMPLES: Final = 100_000
#: WMT had at most about 40 systems; the size of tables is quadratic.
_MOST_SYSTEMS: Final = 1_000
#: Maximum number of runs of a randomized method.
_MOST_RUNS: Final = 1_000
#: Columns of each system in format 1. Additional columns of later versions are ignored.
_COLUMNS: Final = (
    "system",
    "score",
    "rank",
    "rank_low",
    "rank_high",
    "cluster",
    "wins",
    "losses",
    "ties",
)
#: Errors of code that reads JSON of another shape.
_OF_OTHER_SHAPES: Final = (
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    OverflowError,
    RecursionError,
)
#: Sections that also follow from the judgments, but are not recomputed.
_NOT_COMPARED: Final = (
    "answers",
    "firmness",
    "metrics",
    "predicted_ranking",
    "stopping_rule",
)


class NotReproducibleError(ValueError):
    """This version cannot compute such results."""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A recomputed result.

    Attributes
    ----------
    content : mapping
        The published content.
    digest : str
        Its SHA-256.
    differences : tuple of Difference
        Empty if it is the same, apart from last digits.
    last_digits : int
        Number of values that differ only in their last digits, as on another kind of processor.
    not_compared : tuple of str
        Sections that follow from the judgments, but were not recomputed.
    """

    content: PublishedContent
    digest: str
    differences: tuple[Difference, ...]
    last_digits: int
    not_compared: tuple[str, ...]


def result_reproduce(
    bundle: OpenedBundle,
    *,
    progress: ReadingProgress | None = None,
) -> Reproduction:
    """Rank a bundle's judgments as workers do, and compare the result with the published one.

    Compares ranking, tests of pairs, agreement and input counts: everything that follows from the
    judgments, except the sections in `Reproduction.not_compared`.

    Raises
    ------
    NotReproducibleError
        If this version cannot compute such results.
    FormatError
        If the files are invalid.
    """
    values = bundle.json(RESULT)
    content = cast("PublishedContent", values)
    try:
        run = _run(content)
        blocks = _blocks(bundle, run.parameters, progress)
        run.result = run_result_of_blocks(run, blocks)
        computed = _recomputed_content(run, blocks, content)
        published = {key: values[key] for key in computed}
        published["input"] = {key: content["input"][key] for key in _INPUT}
        again = json.loads(canonical(computed))
        all_differences = list(_differences(published, again))
        differences = [row for row in all_differences if not row.is_in_last_digits]
        not_compared = []
        for name in _NOT_COMPARED:
            if name in content["sections"]:
                not_compared.append(f"sections.{name}")
        return Reproduction(
            content=content,
            digest=digest_of(content),
            differences=tuple(differences),
            last_digits=len(all_differences) - len(differences),
            not_compared=tuple(not_compared),
        )
    except _OF_OTHER_SHAPES as error:
        raise bundle.damaged(RESULT, "not a published result") from error


def _run(content: PublishedContent) -> RankingRun:
    """Return the ranking to compute, without its result."""
    if content["format"] != FORMAT:
        raise NotReproducibleError(
            f"The result has format {content['format']}; this version of Quintet supports format {FORMAT}.",
        )
    method = content["method"]
    if method["name"] not in METHODS:
        raise NotReproducibleError(
            f"This version of Quintet has no method “{method['name']}”.",
        )
    if method["content_key_version"] != CONTENT_KEY_VERSION:
        raise NotReproducibleError(
            f"The result has content keys of version {method['content_key_version']}; "
            f"this version of Quintet uses {CONTENT_KEY_VERSION}.",
        )
    _refuse_without_end(method["parameters"])
    return RankingRun(
        method=method["name"],
        parameters=method["parameters"],
        seed=int(method["seed"]),
        watermark=method["watermark"],
        code_version=method["code_version"],
    )


def _refuse_without_end(parameters: Mapping[str, Any]) -> None:
    """Refuse parameters that would make the computation take too long."""
    if not 0 < parameters["resamples"] <= _MOST_RESAMPLES:
        raise NotReproducibleError(
            f"The result has more than {_MOST_RESAMPLES} resamples, too many to recompute.",
        )
    for value in parameters["method_parameters"].values():
        # Not a number is refused, too.
        if isinstance(value, int | float) and not abs(value) <= _MOST_RUNS:
            raise NotReproducibleError(
                f"A parameter of the method is above {_MOST_RUNS}, too large to recompute.",
            )
    _refuse_systems({*parameters["systems"], *parameters["left_out"]})


def _refuse_systems(names: Collection[str]) -> None:
    if len(names) > _MOST_SYSTEMS:
        raise NotReproducibleError(
            f"The result has more than {_MOST_SYSTEMS} systems, too many to recompute.",
        )


def _blocks(
    bundle: OpenedBundle,
    parameters: Mapping[str, Any],
    progress: ReadingProgress | None,
) -> Blocks:
    """Read the judgments with documents; segments without one are all in one document."""
    if JUDGMENTS not in bundle.files:
        raise bundle.damaged(JUDGMENTS, "is missing")
    with tempfile.TemporaryDirectory(prefix="quintet-") as folder:
        path = Path(folder) / JUDGMENTS
        with bundle.files[JUDGMENTS].open() as stored, path.open("wb") as file:
            shutil.copyfileobj(stored, file)
        try:
            columns, vocabulary, _not_read = read_columns(
                [str(path)],
                progress=progress,
            )
        except FormatError as error:
            _file, *of_place = error.args
            raise FormatError(f"{bundle.name}: {JUDGMENTS}", *of_place) from error
    coded = coded_judgments(columns, vocabulary)
    systems = {*parameters["systems"], *parameters["left_out"]}
    systems.update(*vocabulary.candidates)
    _refuse_systems(systems)
    unnamed = len(vocabulary.documents)
    document = np.where(columns.document < 0, unnamed, columns.document)
    return blocks_of_codes(coded, systems, document=document.astype(np.int32))


def _recomputed_content(
    run: RankingRun,
    blocks: Blocks,
    content: PublishedContent,
) -> dict[str, Any]:
    """Return the parts of the content that follow from the judgments."""
    columns = set(_COLUMNS)
    columns.update(*content["ranking"]["systems"])
    # Later versions of Quintet may have more columns for a system.
    systems = run.result["systems"]
    run.result["systems"] = [part_of_row(row, columns) for row in systems]
    names = {*run.parameters["systems"], *run.parameters["left_out"]}
    tests = None
    # Results of older versions have no tests of own comparisons.
    if "own_limits" in content["ranking"]:
        tests = own_tests_of_run(run, blocks)
    ranking = frozen_ranking(run, {name: name for name in names}, tests)
    counted = run.result["input"]
    return {
        "finding": frozen_finding(run, ranking),
        "ranking": ranking,
        "agreement": frozen_agreement(run),
        "input": {
            **{name: counted[name] for name in COUNTED},
            "segments": len(np.unique(blocks.segment)),
            "documents": len(np.unique(blocks.document)),  # type: ignore[arg-type]  # they are known
        },
    }


def _differences(published: Any, computed: Any) -> Iterator[Difference]:
    """Yield differences between two JSON values; systems and pairs are matched by name."""
    published_leaves = dict(_leaves("", published))
    computed_leaves = dict(_leaves("", computed))
    for path in dict.fromkeys([*published_leaves, *computed_leaves]):
        one = published_leaves.get(path, ABSENT)
        other = computed_leaves.get(path, ABSENT)
        is_absent = ABSENT in (one, other)
        if is_absent or canonical(one) != canonical(other):
            yield Difference(path, one, other)


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the numbers and texts in a JSON value with their paths, and the order of named rows."""
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _leaves(f"{path}.{key}" if path else key, value[key])
    elif isinstance(value, list):
        for number, row in enumerate(value):
            yield from _leaves(f"{path}[{_name(row, number)}]", row)
        yield path, [_name(row, 0) for row in value if isinstance(row, dict)]
    else:
        yield path, value


def _name(row: Any, number: int) -> str:
    if isinstance(row, dict) and "system" in row:
        return str(row["system"])
    if isinstance(row, dict) and {"better", "worse"} <= row.keys():
        return f"{row['better']}, {row['worse']}"
    return str(number)
