"""Tasks of any protocol on a small test set, with HITs that wait for judges."""

from collections.abc import Sequence
from typing import Any

from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan
from annotation.services.tasks import task_rules_change
from campaign.models import Protocol, Task
from campaign.services.campaigns import task_close
from protocols.quiz.snippets import SnippetJSON, snippets_replace
from tests.factories import make_campaign, make_task


def given_snippet(
    name: str,
    document: str,
    first: int,
    last: int,
    statements: Sequence[str],
    expected: Sequence[bool],
) -> SnippetJSON:
    """Return a snippet as organisers send it."""
    pairs = zip(statements, expected, strict=True)
    return {
        "snippet": name,
        "document": document,
        "first": first,
        "last": last,
        "statements": [{"text": text, "expected": is_true} for text, is_true in pairs],
    }


SNIPPETS = [
    given_snippet(
        name=f"{document}, {first}",
        document=document,
        first=first,
        last=first + 2,
        # So many that who understands and who guesses say different things.
        statements=tuple(f"Statement {number} is true." for number in range(20)),
        expected=(True, False) * 10,
    )
    for document, first in (("document 1", 1), ("document 1", 4), ("document 2", 1))
]


def make_task_of_protocol(
    protocol: Protocol,
    *,
    rules: dict[str, Any] | None = None,
    ranking_is_open: bool = False,
    systems: Sequence[str] = (),
    **campaign: Any,
) -> Task:
    """Create a task of a protocol on a test set; its ranking is closed unless kept open.

    Asked for a ranking, it returns that one. `systems` are their names, of which the first two agree now and then.
    """
    named: dict[str, Any] = (
        {"systems": systems, "identical": (systems[:2],)} if systems else {}
    )
    is_ranking_judged = ranking_is_open or protocol == Protocol.RANKING
    ranking = make_task(
        make_campaign(**campaign),
        documents=(6, 5),
        planned=12 if is_ranking_judged else 0,
        **named,
    )
    if protocol == Protocol.RANKING:
        return ranking
    if not ranking_is_open:
        task_close(task=ranking)
    task = Task.objects.create(test_set=ranking.test_set, protocol=protocol)
    if rules is not None:
        task_rules_change(task=task, rules=rules)
    design_ensure(task=task, seed=7)
    if protocol == Protocol.QUIZ:
        snippets_replace(task=task, snippets=SNIPPETS)
    # A round of a quiz is about one snippet, which nobody reads twice.
    hits_plan(task_id=task.pk, count=36 if protocol == Protocol.QUIZ else 6)
    return task
