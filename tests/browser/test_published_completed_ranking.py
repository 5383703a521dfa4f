"""The prediction-powered ranking of a published result is not cut on a laptop, in any language."""

import numpy as np
import pytest
from django.conf import settings

from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.metrics import metric_store
from ranking.services.published_results.publish import ResultChoices, result_publish
from ranking.services.published_results.sections import ChosenSections
from tests.browser.conftest import NewPage
from tests.filled_world import filled_world
from tests.filling import Filling

pytestmark = [
    pytest.mark.browser,
    pytest.mark.usefixtures("as_owner"),
    pytest.mark.django_db(transaction=True),
]

LAPTOP = {"width": 1366, "height": 768}
WIDTHS = "e => [e.scrollWidth, e.clientWidth]"


def test_completed_ranking_shows_all_columns_on_a_laptop(new_page: NewPage) -> None:
    world = filled_world("museum", Filling(blocks=36, systems=6, segments=24, judges=4))
    task = world.task
    systems = list(task.test_set.systems.filter(kind="system").order_by("name"))
    means = np.arange(len(systems), dtype=np.float64)
    metric_store(
        name="COMET",
        file_name="comet.tsv",
        test_set=task.test_set,
        systems=[system.name for system in systems],
        values=np.random.default_rng(1).normal(means, 1, (24, len(systems))),
    )
    choice = analysis_choice("predicted_ranking", {"metric": "COMET"})
    analysis_compute(analysis=analysis_ask(task=task, choice=choice, is_queued=False))
    sections = ChosenSections(("predicted_ranking",), completed_by="COMET")
    result = result_publish(
        task=task,
        by=None,
        choices=ResultChoices(sections=sections),
    )
    page = new_page()
    page.set_viewport_size(LAPTOP)  # type: ignore[arg-type]
    cut = {}
    for language, _words in settings.LANGUAGES:
        page.set_extra_http_headers({"Accept-Language": language})
        page.goto(f"results/{result.address}/")
        region = page.locator('[aria-labelledby="predicted_ranking"]')
        scroll, shown = region.evaluate(WIDTHS)
        if scroll > shown:
            cut[language] = (scroll, shown)
    assert cut == {}
