"""The screens of all protocols: how a judge comes to each, judges a sentence by keys or taps, and what is heard there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from playwright.sync_api import Page, expect

from annotation.models import HIT
from annotation.selectors.judging import assigned_blocks
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan, pool_fill
from annotation.services.simulation import lend_prepared
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Judge, Protocol, Task, TestSet
from tests.at_work import lend
from tests.browser.judging import painted_for_a_while
from tests.browser.long_texts import store_long
from tests.criteria import FOUR, criterion
from tests.factories import make_judge
from tests.integration.protocols.every import plans_delete
from tests.protocol_tasks import make_task_of_protocol

#: Milliseconds after which a key is not taken for the second press of a double one.
APART = 1_000


def _nothing(_task: Task, _judge: Judge) -> None:
    """Leave the task as it is."""


def _several(task: Task, _judge: Judge) -> None:
    """Show three outputs side by side."""
    plans_delete(task)
    design_change(task=task, kind="uniform", systems_per_block=3, seed=7)
    hits_plan(task_id=task.pk, count=6)


def _two(task: Task, _judge: Judge) -> None:
    """Show two outputs side by side."""
    plans_delete(task)
    design_change(task=task, kind="balanced", systems_per_block=2, seed=7)
    hits_plan(task_id=task.pk, count=6)


def _second_pass(task: Task, _judge: Judge) -> None:
    """Leave nothing to be rated but adequacy."""
    pool_fill(task_id=task.pk, size=50)
    HIT.objects.filter(task=task, part=1).update(available_at="2100-01-01T00:00Z")


def _edited(task: Task, _judge: Judge) -> None:
    """Let somebody else edit a HIT, about which others are asked first then."""
    lent = lend_prepared(make_judge(task.test_set.campaign, "editor"))
    assert lent is not None
    for block in assigned_blocks(lent.assignment):
        edit = {"outcome": "edited", "text": "The edit of somebody else."}
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(answer=edit),
        )
    pool_fill(task_id=task.pk, size=1)


def _read(task: Task, judge: Judge) -> None:
    """Let the judge be at the last sentence of a snippet, where the statements are."""
    for block in assigned_blocks(lend(judge))[:2]:
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(answer={"answers": []}),
        )


@dataclass(frozen=True)
class Screen:
    """A screen, and what a judge does there. `of_each` is pressed for each output, `keys` once after that.

    What is tapped is tapped as often as it is there. The sentence after the first has other keys and taps only where it
    is judged on another screen.
    """

    protocol: Protocol
    heard: tuple[str, ...]
    keys: tuple[str, ...]
    taps: tuple[str, ...]
    of_each: tuple[str, ...] = ()
    next_keys: tuple[str, ...] | None = None
    next_taps: tuple[str, ...] | None = None
    rules: Mapping[str, Any] | None = None
    prepare: Callable[[Task, Judge], None] = field(default=_nothing)
    #: Keys that leave an answer half-made; none where one key answers.
    half: tuple[str, ...] = ()
    #: Whether these select words, which are no part of the answer yet.
    half_is_selected: bool = False
    #: Whether a judge only reads, so that nothing can be missing.
    is_read: bool = False
    #: Whether no item of the same kind follows.
    is_last: bool = False

    def judge(self, *, target_language: str = "de") -> Judge:
        """Return a judge of a new campaign who comes to this screen."""
        rules = dict(self.rules) if self.rules is not None else None
        task = make_task_of_protocol(self.protocol, rules=rules)
        if target_language != "de":
            TestSet.objects.filter(pk=task.test_set_id).update(
                target_language=target_language,
            )
            store_long(task.pk, words=10, language=target_language)
        judge = make_judge(task.test_set.campaign)
        self.prepare(task, judge)
        return judge

    def judge_by_keys(self, page: Page, *, is_first: bool = True) -> None:
        _come_back(page)
        before = sentence(page)
        keys = self.keys if is_first or self.next_keys is None else self.next_keys
        for key in [*self.of_each * page.locator(".spans-output").count(), *keys]:
            page.keyboard.press(key)
        _gone_on(page, before)

    def judge_by_taps(self, page: Page, *, is_first: bool = True) -> None:
        _come_back(page)
        before = sentence(page)
        # The page's clock is put forward, Chromium's own is not: it would count this and the tap before as a double one.
        page.touchscreen.tap(1, 1)
        for selector in (
            self.taps if is_first or self.next_taps is None else self.next_taps
        ):
            several = page.locator(selector)
            for place in range(several.count()):
                several.nth(place).tap()
        _gone_on(page, before)


def sentence(page: Page) -> str:
    return page.locator("#sentence").inner_text()


def _come_back(page: Page) -> None:
    """Take the cover off, if a busy machine examined the page for longer than a judge may sit still."""
    cover = page.locator("#pause-dialog")
    if cover.is_visible():
        page.keyboard.press("Escape")
        expect(cover).to_be_hidden()


def _gone_on(page: Page, before: str) -> None:
    expect(page.locator("#sentence")).not_to_have_text(before)
    painted_for_a_while(page)


_ONE_SCORED = (".score-slider", "#submit", "#spans-dialog button[value=keep]")

#: The first of each protocol has its name.
SCREENS: dict[str, Screen] = {
    "ranking": Screen(
        Protocol.RANKING,
        heard=("Source:", "Output A"),
        keys=("2", "1", "3", "4", "5", "Enter"),
        # A second tap on the same rank, at once, would be that of a double one.
        taps=(
            *(
                f".row:nth-child({n}) .rank:has(input[value='{n}'])"
                for n in range(1, 6)
            ),
            "#submit",
        ),
        half=("2", "1"),
    ),
    "two_outputs": Screen(
        Protocol.TWO_OUTPUTS,
        heard=(
            "Source:",
            "Output A:",
            "Output B:",
            "Which output is better? Judge meaning first, then fluency.",
        ),
        keys=("1",),
        taps=("button[data-choice=first]",),
    ),
    "two_outputs-four_answers": Screen(
        Protocol.TWO_OUTPUTS,
        heard=(
            "Source:",
            "Output A:",
            "Output B:",
            "Which output is better? Judge meaning first, then fluency.",
        ),
        keys=("2",),
        taps=("button[data-choice=both_wrong]",),
        rules={"four_answers": True},
    ),
    "sorting": Screen(
        Protocol.SORTING,
        heard=(
            "Source:",
            "Output A:",
            "Output B:",
            "Which output is better? Judge meaning first, then fluency.",
        ),
        keys=("3",),
        taps=("button[data-choice=second]",),
    ),
    "top": Screen(
        Protocol.TOP,
        heard=("Source:", "Output A", "top"),
        keys=("2", "Enter"),
        taps=(".top-mark:visible", "#submit"),
    ),
    "top-best_worst": Screen(
        Protocol.TOP,
        heard=("Source:", "Output A", "Which output is best"),
        keys=("2", "1", "Shift+2", "Shift+3", "Enter"),
        taps=(
            ".row:nth-child(1) .top-mark[data-mark=worst]",
            ".row:nth-child(2) .top-mark:not([data-mark])",
            "#submit",
        ),
        rules={"best_worst": True},
        half=("2",),
    ),
    "rating": Screen(
        Protocol.RATING,
        heard=("Is the text written in good German?",),
        keys=("4", "Enter"),
        taps=(".point:has(input[value='4'])", "#submit"),
    ),
    "rating-adequacy": Screen(
        Protocol.RATING,
        heard=("How much of the meaning", "Reference"),
        keys=("2", "Enter"),
        taps=(".point:has(input[value='2'])", "#submit"),
        rules={"adequacy_by_others": True, "raters": 1},
        prepare=_second_pass,
    ),
    "rating-criteria": Screen(
        Protocol.RATING,
        heard=("Source:", "Output A", "Coherence"),
        keys=(*(*"42073", "Enter") * 2, "Enter"),
        taps=(".point:last-child", ".score-slider", "#submit"),
        rules={"criteria": FOUR, "all_at_once": True},
        prepare=_two,
        half=("4",),
    ),
    "rating-ten": Screen(
        Protocol.RATING,
        heard=("Source:", "Clarity", "How good is the clarity?"),
        keys=("1", "0", "7", "5", "Enter", "Enter"),
        taps=(".point:last-child", ".score-slider", "#submit"),
        rules={
            "criteria": [
                criterion("clarity", lowest=0, highest=10),
                criterion("tone", lowest=0, highest=100),
            ],
            "all_at_once": True,
        },
        half=("1",),
    ),
    "rating-document": Screen(
        Protocol.RATING,
        heard=("Item 1 of", "Source:", "How good is the style?"),
        keys=("4",),
        taps=(".point:has(input[value='4'])",),
        rules={"criteria": FOUR[2:3], "all_at_once": True, "page": "document"},
    ),
    # A score without an error is asked about once.
    "spans": Screen(
        Protocol.SPANS,
        heard=("Source:",),
        of_each=("ArrowRight", "1", "p", "7", "5", "Enter"),
        keys=("Enter",),
        taps=_ONE_SCORED,
        half=("Shift+ArrowRight",),
        half_is_selected=True,
    ),
    "spans-several": Screen(
        Protocol.SPANS,
        heard=("Source:", "Output A"),
        of_each=("ArrowRight", "1", "p", "7", "5", "Enter"),
        keys=("Enter",),
        taps=_ONE_SCORED,
        prepare=_several,
        half=("Shift+ArrowRight",),
        half_is_selected=True,
    ),
    "spans-document": Screen(
        Protocol.SPANS,
        heard=("Item 1 of", "Source:"),
        of_each=("ArrowRight", "1", "p", "7", "5", "Enter"),
        keys=(),
        taps=_ONE_SCORED,
        rules={"page": "document"},
        half=("Shift+ArrowRight",),
        half_is_selected=True,
    ),
    "spans-scores_alone": Screen(
        Protocol.SPANS,
        heard=("Source:", "Output A"),
        of_each=("7", "5", "Enter"),
        keys=("Enter",),
        taps=(".score-slider", "#submit"),
        rules={"spans_asked": False, "missing": False},
        prepare=_several,
        half=("7",),
    ),
    "spans-mqm": Screen(
        Protocol.SPANS,
        heard=("Source:",),
        of_each=("ArrowRight", "3", "1"),
        keys=("Control+Enter",),
        taps=("#submit",),
        rules={
            "scored": False,
            "source_marked": True,
            "severities": ["neutral", "minor", "major", "critical"],
            "categories": ["Other", "Accuracy: Addition, Omission"],
        },
        half=("Shift+ArrowRight",),
        half_is_selected=True,
    ),
    "editing": Screen(
        Protocol.EDITING,
        heard=("Make this text as fluent as you can.",),
        keys=("1", "End", "x", "Control+Enter"),
        taps=("[data-choice=unchanged]",),
    ),
    "editing-acceptance": Screen(
        Protocol.EDITING,
        heard=(
            "Source:",
            "does it mean the same as the source?",
            "The edit of somebody else.",
        ),
        keys=("2",),
        taps=("[data-choice=yes]",),
        prepare=_edited,
    ),
    "quiz": Screen(
        Protocol.QUIZ,
        heard=("Item 1 of 3", "Ausgabe"),
        keys=("Enter",),
        taps=(".quiz-onward",),
        is_read=True,
    ),
    "quiz-statements": Screen(
        Protocol.QUIZ,
        heard=(
            "Which of these statements",
            "Statement 0 is true.",
            "Statement 19 is true.",
        ),
        keys=("y",) * 20 + ("Enter",),
        next_keys=("Enter",),
        taps=(".quiz-statement .quiz-answer:has(input[value=no])", "#submit"),
        next_taps=(".quiz-onward",),
        prepare=_read,
        half=("y", "n"),
        is_last=True,
    ),
}
