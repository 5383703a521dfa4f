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
    bundle: OpenedBundle, *, progress: ReadingProgress | None = None
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
        computed = _computed(run, blocks, content)
        published = {key: values[key] for key in computed} | {
            "input": {key: content["input"][key] for key in _INPUT},
        }
        again = json.loads(canonical(computed))
        found = list(_differences(published, again))
        differences = tuple(each for each in found if not each.is_in_last_digits)
        left_out = tuple(
            f"sections.{name}" for name in _NOT_COMPARED if name in content["sections"]
        )
        last_digits = len(found) - len(differences)
        return Reproduction(
            content, digest_of(content), differences, last_digits, left_out
        )
    except _OF_OTHER_SHAPES as error:
        raise bundle.damaged(RESULT, "not a published result") from error


def _run(content: PublishedContent) -> RankingRun:
    """Return the ranking to compute, without its result."""
    if content["format"] != FORMAT:
        raise NotReproducibleError(
            f"The result has format {content['format']}; this version of Quintet supports format {FORMAT}."
        )
    method = content["method"]
    if method["name"] not in METHODS:
        raise NotReproducibleError(
            f"This version of Quintet has no method “{method['name']}”."
        )
    if method["content_key_version"] != CONTENT_KEY_VERSION:
        raise NotReproducibleError(
            f"The result has content keys of version {method['content_key_version']}; "
            f"this version of Quintet uses {CONTENT_KEY_VERSION}."
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
            f"The result has more than {_MOST_RESAMPLES} resamples, too many to recompute."
        )
    given = parameters["method_parameters"].values()
    if any(
        isinstance(each, int | float) and not abs(each) <= _MOST_RUNS for each in given
    ):
        raise NotReproducibleError(
            f"A parameter of the method is above {_MOST_RUNS}, too large to recompute."
        )
    _refuse_systems({*parameters["systems"], *parameters["left_out"]})


def _refuse_systems(names: Collection[str]) -> None:
    if len(names) > _MOST_SYSTEMS:
        raise NotReproducibleError(
            f"The result has more than {_MOST_SYSTEMS} systems, too many to recompute."
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
                [str(path)], progress=progress
            )
        except FormatError as error:
            _file, *of_place = error.args
            raise FormatError(f"{bundle.name}: {JUDGMENTS}", *of_place) from error
    coded = coded_judgments(columns, vocabulary)
    shown = {name for systems in vocabulary.candidates for name in systems}
    systems = {*shown, *parameters["systems"], *parameters["left_out"]}
    _refuse_systems(systems)
    unnamed = len(vocabulary.documents)
    document = np.where(columns.document < 0, unnamed, columns.document).astype(
        np.int32
    )
    return blocks_of_codes(coded, systems, document=document)


def _computed(
    run: RankingRun, blocks: Blocks, content: PublishedContent
) -> dict[str, Any]:
    """Return the parts of the content that follow from the judgments."""
    published = {
        *_COLUMNS,
        *(name for row in content["ranking"]["systems"] for name in row),
    }
    # Later versions of Quintet may have more columns for a system.
    run.result["systems"] = [
        {name: row[name] for name in row if name in published}
        for row in run.result["systems"]
    ]
    names = {*run.parameters["systems"], *run.parameters["left_out"]}
    # Results of older versions have no tests of own comparisons.
    has_own_tests = "own_limits" in content["ranking"]
    tests = None
    if has_own_tests:
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
    one = dict(_leaves("", published))
    other = dict(_leaves("", computed))
    for where in [*one, *(where for where in other if where not in one)]:
        pair = one.get(where, ABSENT), other.get(where, ABSENT)
        if ABSENT in pair or canonical(pair[0]) != canonical(pair[1]):
            yield Difference(where, *pair)


def _leaves(where: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the numbers and texts in a JSON value with their paths, and the order of named rows."""
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _leaves(f"{where}.{key}" if where else key, value[key])
    elif isinstance(value, list):
        for number, row in enumerate(value):
            yield from _leaves(f"{where}[{_name(row, number)}]", row)
        yield where, [_name(row, 0) for row in value if isinstance(row, dict)]
    else:
        yield where, value


def _name(row: Any, number: int) -> str:
    if isinstance(row, dict) and "system" in row:
        return str(row["system"])
    if isinstance(row, dict) and {"better", "worse"} <= row.keys():
        return f"{row['better']}, {row['worse']}"
    return str(number)
