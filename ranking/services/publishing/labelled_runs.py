"""A ranking under the names of a published result."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ranking.code_version import code_version
from ranking.core.judged.coded_blocks import CodedJudgments, blocks_of_codes
from ranking.models import RankingRun
from ranking.selectors.judged_columns import judged_columns
from ranking.services.run_results import run_result_of_blocks, with_documents

_SYSTEMS = ("systems", "left_out")


def labelled_run(run: RankingRun, labels: Mapping[str, str]) -> RankingRun:
    """Return a run, not stored, whose systems are called by `labels`; the run itself where nothing is renamed.

    Ranges are drawn in the order of names, and resamples from the names of what was shown. So the ranking is
    computed again under the names that readers have, and with the candidates of a block in the order of these names,
    because readers are not told in which one they were shown: only then do they compute the same bits. The scores
    stay, and ranges differ as much as with another seed.
    """
    # Also a system that is not ranked: whether one is not named decides what readers are told.
    if all(name == label for name, label in labels.items()):
        return run
    renamed = RankingRun(
        task_id=run.task_id,
        method=run.method,
        parameters=_renamed(run.parameters, labels),
        seed=run.seed,
        watermark=run.watermark,
        code_version=code_version(),
        started_at=run.started_at,
        finished_at=run.finished_at,
    )
    coded = judged_columns(task_id=run.task_id, watermark=run.watermark)
    candidates = [tuple(sorted(labels[name] for name in systems)) for systems in coded.candidates]
    systems = {name for systems in candidates for name in systems}
    blocks = blocks_of_codes(candidates_by_name(replace(coded, candidates=candidates)), systems)
    renamed.result = run_result_of_blocks(renamed, with_documents(run.task_id, blocks))
    return renamed


def candidates_by_name(coded: CodedJudgments) -> CodedJudgments:
    """Return judgments with the candidates of each in the order of their names."""
    order = sorted(range(len(coded.candidates)), key=coded.candidates.__getitem__)
    # One more, which -1 finds: places without a candidate stay last.
    place = np.full(len(order) + 1, len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    columns = np.argsort(place[coded.candidate], axis=1, kind="stable")
    return replace(
        coded,
        candidate=np.take_along_axis(coded.candidate, columns, axis=1),
        label=np.take_along_axis(coded.label, columns, axis=1),
    )


def _renamed(parameters: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    return {
        **parameters,
        **{part: sorted(labels.get(name, name) for name in parameters[part]) for part in _SYSTEMS},
    }
