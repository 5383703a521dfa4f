"""κ of judges with themselves is frozen where it was computed of exactly the judgments of the ranking."""

from typing import Any

import pytest
from django.test import Client

from ranking.core.agreement.measures import measure_agreement
from ranking.selectors.judged_columns import judged_blocks
from ranking.selectors.runs import latest_run
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.publishing.publish import published_draft
from ranking.services.runs import ranking_run_compute
from tests.integration.publishing.bundled import bundled, files_of
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


@pytest.fixture
def repeated(judged: TestSetWriter) -> TestSetWriter:
    """Each judge judges two sentences again, one of them otherwise."""
    again = {"j1": (1, [1, 2, 3, 3]), "j2": (2, [1, 3, 2, 4]), "j3": (3, [1, 2, 3, 4])}
    for judge, (segment, labels) in again.items():
        for number, given in ((segment, labels), (segment + 3, [1, 2, 3, 4])):
            block = judged.block(number, ["amber", "birch", "cobalt", "dune"])
            judged.judgment(judge, block, given)
    ranking_run_compute(task_id=judged.task.pk)
    return judged


def answered(writer: TestSetWriter, **options: Any) -> None:
    choice = analysis_choice("agreement", options)
    asked = analysis_ask(task=writer.task, choice=choice, is_queued=False)
    analysis_compute(analysis=asked)


def section_of(writer: TestSetWriter) -> Any:
    content = published_draft(task=writer.task).content
    return content["sections"].get("self_agreement")


@pytest.mark.thorough
def test_it_is_frozen_and_said(repeated: TestSetWriter, client: Client) -> None:
    assert section_of(repeated) is None
    answered(repeated)
    run = latest_run(task_id=repeated.task.pk)
    assert run is not None
    blocks = judged_blocks(task_id=repeated.task.pk, watermark=run.watermark)
    own = measure_agreement(blocks.without(["_ref"])).intra
    result, zipped = bundled(repeated.task)
    assert result.content["sections"]["self_agreement"] == {
        "chance": "conger",
        "kappa": own.kappa,
        "p_agree": own.p_agree,
        "p_chance": own.p_chance,
        "agreeing": own.agreeing,
        "comparable": 36,
        "low": own.low,
        "high": own.high,
    }
    assert own.kappa is not None
    assert own.low is not None
    assert own.high is not None
    said = text_of(client.get(f"/results/{result.address}/"))
    interval = f"{own.low:.2f} to {own.high:.2f}".replace("-", "−")
    assert f"κ within judges {own.kappa:.2f} ({interval})." in said
    table = files_of(zipped)["ranking.md"].decode()
    assert f"κ within judges: {own.kappa:.2f} ({own.low:.2f} to {own.high:.2f} at 95%)." in table
