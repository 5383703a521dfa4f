"""κ of judges with themselves is frozen where it was computed of exactly the judgments of the ranking."""

from typing import Any

import pytest
from django.test import Client

from ranking.core.agreement.measures import measure_agreement
from ranking.selectors.judged_columns import judged_blocks
from ranking.selectors.runs import latest_run
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.published_results.publish import published_draft
from ranking.services.runs import ranking_run_compute
from tests.integration.publishing.bundled import bundled, files_of
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


@pytest.fixture
def repeated(judged: TestSetWriter) -> TestSetWriter:
    """Each judge judges all sentences again, and one or two of them otherwise."""
    otherwise = {"j1": {1}, "j2": {2}, "j3": {4, 7}}
    with judged.at_once():
        for segment in range(1, 9):
            block = judged.block(segment, ["amber", "birch", "cobalt", "dune"])
            for judge, segments in otherwise.items():
                slips = judge == "j3" and segment % 3 == 0
                labels = [2, 1, 3, 3] if slips else [1, 2, 3, 4]
                judged.judgment(
                    judge,
                    block,
                    [1, 3, 2, 4] if segment in segments else labels,
                )
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
def test_repeated_judgments_are_frozen_and_reported(
    repeated: TestSetWriter,
    client: Client,
) -> None:
    assert section_of(repeated) is None
    answered(repeated)
    run = latest_run(task_id=repeated.task.pk)
    assert run is not None
    blocks = judged_blocks(task=repeated.task, watermark=run.watermark)
    own = measure_agreement(blocks.without(["_ref"])).intra
    result, zipped = bundled(repeated.task)
    assert result.content["sections"]["self_agreement"] == {
        "chance": "conger",
        "kappa": own.kappa,
        "p_agree": own.p_agree,
        "p_chance": own.p_chance,
        "agreeing": own.agreeing,
        "comparable": 144,
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
    assert (
        f"κ within judges: {own.kappa:.2f} ({own.low:.2f} to {own.high:.2f} at 95%)."
        in table
    )
