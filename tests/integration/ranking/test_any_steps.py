"""After any steps, rankings and measures are those of all judgments, bit for bit."""

from collections.abc import Sequence
from itertools import count
from typing import Any
from unittest import mock

import pytest
from django.db import transaction
from django.test import TestCase
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.models import Block, Judgment, QualityAction
from annotation.services.quality import (
    JudgeDecision,
    quality_action_revert,
    quality_action_take,
)
from campaign.models import Campaign, Judge, System, User
from ranking.models import JudgeMeasures
from ranking.selectors.runs import latest_run
from ranking.services import live_tallies as services
from ranking.services.quality import quality_evaluate
from ranking.services.reproduced_runs import ranking_run_reproduce
from ranking.services.runs import ranking_compute
from tests.integration.ranking.writing import TestSetWriter, settings_change
from tests.properties import examples

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]

LAYOUTS = (
    ["A", "B", "C"],
    ["B", "A", "C"],
    ["A,B", "C", "_ref"],
    ["C", "B,_ref", "A"],
    ["_ref", "B"],
)
CHECK = ["A", "_bad", "C"]
NUMBERS = count(1)


class History:
    """A test set to which something happens step by step, ranked by workers with a memory each."""

    def __init__(self) -> None:
        number = next(NUMBERS)
        campaign = Campaign.objects.create(slug=f"c{number}", name=str(number))
        self.user = User.objects.create_user(
            name="Olga",
            email=f"olga{number}@example.org",
        )
        self.writer = TestSetWriter(campaign, "one", "ABC")
        self.writer.system("_ref", kind="reference")
        self.writer.system("_bad", kind="bad_reference")
        self.task_id = self.writer.task.pk
        self.workers: list[dict[int, Any]] = [{}, {}]
        self.blocks: dict[tuple[int, int], Block] = {}
        self.standing: list[Judgment] = []
        self.judged = 0

    def judge(
        self,
        kind: int,
        judge: int,
        segment: int,
        layout: int,
        labels: Sequence[Any],
    ) -> None:
        """Store a judgment: a new one, of a check, or a revision."""
        if kind > 6 and self.standing:
            old = self.standing.pop(judge % len(self.standing))
            said = labels[: len(old.labels)]
            new = self.writer.judgment(
                old.judge.pseudonym,
                old.block,
                [1, *said[1:]],
                supersedes=old,
            )
            self.standing.append(new)
            return
        block = self._block(segment, -1 if kind == 6 else layout)
        name = f"j{judge}"
        if Judgment.objects.filter(block=block, judge__pseudonym=name).exists():
            block = self._block(segment, layout, is_new=True)
        said = [1, *labels[1 : len(CHECK if block.control else LAYOUTS[layout])]]
        self.standing.append(
            self.writer.judgment(name, block, said, active_ms=1000 * (judge + 3)),
        )

    def _block(self, segment: int, layout: int, *, is_new: bool = False) -> Block:
        if is_new or (segment, layout) not in self.blocks:
            block = self.writer.block(
                segment + 1,
                CHECK if layout < 0 else LAYOUTS[layout],
            )
            if layout < 0:
                Block.objects.filter(pk=block.pk).update(
                    control="attention",
                    expected=[1, 2, 1],
                )
                block.refresh_from_db()
            self.blocks[segment, layout] = block
        return self.blocks[segment, layout]

    def change(self, what: str) -> None:
        """Change something besides the judgments."""
        judge = (
            Judge.objects.filter(campaign=self.writer.campaign).order_by("pk").first()
        )
        in_force = QualityAction.objects.in_force().filter(judge=judge)
        if what == "exclude" and judge is not None and not in_force.exists():
            quality_action_take(
                judge=judge,
                task=self.writer.task,
                decision=JudgeDecision(action="exclude", user=self.user),
            )
        elif what == "exclude" and (action := in_force.first()):
            quality_action_revert(action=action, user=self.user)
        elif what == "settings":
            is_new = latest_run(task_id=self.task_id)
            level = (
                "segments"
                if is_new and is_new.parameters["resample"] == "two_way"
                else "two_way"
            )
            settings_change(self.writer, resample=level)
        elif what == "system":
            self.writer.system(f"S{next(NUMBERS)}")
        elif what == "kind":
            System.objects.filter(
                test_set_id=self.writer.task.test_set_id,
                name="C",
            ).update(kind="system")
            System.objects.filter(
                test_set_id=self.writer.task.test_set_id,
                name="_ref",
            ).update(kind="system")

    def rank(self, worker: int) -> None:
        """Rank and measure as a worker does, and compare with what all judgments give."""
        with (
            mock.patch.object(services, "CACHE", self.workers[worker]),
            TestCase.captureOnCommitCallbacks(execute=True),
        ):
            computed = ranking_compute(task_id=self.task_id)
        if computed is None:
            return
        assert ranking_run_reproduce(computed.run) == computed.run.result
        quality_evaluate(
            run=computed.run,
            tallies=computed.judges,
            agreement=computed.agreement,
        )
        measured = self._measures()
        JudgeMeasures.objects.filter(task=self.task_id).delete()
        quality_evaluate(run=computed.run)
        assert measured == self._measures()

    def fail(self, worker: int) -> None:
        """Rank, and fail before the commit."""
        with (
            mock.patch.object(services, "CACHE", self.workers[worker]),
            TestCase.captureOnCommitCallbacks(execute=True),
            pytest.raises(RuntimeError, match="the power failed"),
        ):
            rank_and_fail(self.task_id)

    def _measures(self) -> dict[str, Any]:
        rows = JudgeMeasures.objects.filter(task=self.task_id)
        return dict(rows.values_list("judge__pseudonym", "measures"))


@transaction.atomic
def rank_and_fail(task_id: int) -> None:
    ranking_compute(task_id=task_id)
    raise RuntimeError("the power failed")


_label = st.sampled_from([1, 2, 2, 3, 5, None])
_judgment = st.tuples(
    st.just("judge"),
    st.integers(0, 9),
    st.integers(0, 3),
    st.integers(0, 4),
    st.integers(0, len(LAYOUTS) - 1),
    st.tuples(_label, _label, _label),
)
_change = st.tuples(
    st.just("change"),
    st.sampled_from(["exclude", "settings", "system", "kind"]),
)
_worker = st.tuples(
    st.sampled_from(["rank", "rank", "rank", "fail", "restart"]),
    st.integers(0, 1),
)
steps = st.lists(
    _judgment | _judgment | _judgment | _worker | _worker | _change,
    max_size=24,
)


@given(steps=steps, stored_after=st.integers(1, 6))
@settings(
    examples(8),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_after_any_steps_a_ranking_is_that_of_all_judgments(
    db: None,
    steps: list[tuple[Any, ...]],
    stored_after: int,
) -> None:
    history = History()
    with mock.patch.object(services, "STORED_AFTER_JUDGMENTS", stored_after):
        for name, *arguments in [*steps, ("rank", 0)]:
            if name == "restart":
                history.workers[arguments[0]].clear()
            else:
                getattr(history, name)(*arguments)
