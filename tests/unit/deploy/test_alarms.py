"""Alarms and the board ask for metrics that there are, in words that Prometheus reads, and are explained."""

import json
import re
from typing import Any

import promql_parser
import pytest
import yaml
from django.urls import get_resolver
from django.urls.resolvers import URLPattern

from config.metrics import SCRAPED_METRICS
from config.queues import QUEUES, ROUTES
from launcher.data_directory import CHECKOUT

RULES: list[dict[str, Any]] = yaml.safe_load(
    (CHECKOUT / "deploy" / "prometheus" / "alerts.yml").read_text(),
)["groups"][0]["rules"]
BOARD: dict[str, Any] = json.loads(
    (CHECKOUT / "deploy" / "grafana" / "quintet.json").read_text(),
)
BY_ALARM = {rule["alert"]: rule["expr"] for rule in RULES}
BY_PANEL = {
    f"{panel['title']} {target['refId']}": target["expr"]
    for panel in BOARD["panels"]
    for target in panel["targets"]
}
ASKED_FOR = BY_ALARM | BY_PANEL
SAMPLES = {
    f"{name}_total" if metric.counts else name
    for name, metric in SCRAPED_METRICS.items()
} | {
    "quintet_requests_total",
    "quintet_web_errors_logged_total",
    *(f"quintet_request_seconds{ending}" for ending in ("_bucket", "_count", "_sum")),
}


def names_in(expression: str) -> set[str]:
    return set(re.findall(r"\bquintet_\w+", expression))


@pytest.mark.parametrize("name", ASKED_FOR)
class TestEachQuestion:
    def test_is_promql(self, name: str) -> None:
        assert promql_parser.parse(ASKED_FOR[name]) is not None

    def test_asks_for_metrics_that_there_are(self, name: str) -> None:
        assert names_in(ASKED_FOR[name])
        assert names_in(ASKED_FOR[name]) <= SAMPLES

    def test_never_adds_up_what_each_web_server_tells_of_all(self, name: str) -> None:
        for found in re.findall(
            r"\bsum(?: by \([^)]*\))? ?\((?:increase\()?(quintet_\w+)",
            ASKED_FOR[name],
        ):
            assert found.removesuffix("_total") not in SCRAPED_METRICS, found

    def test_names_queues_tasks_and_views_that_there_are(self, name: str) -> None:
        for queues in re.findall(r'queue=~?"([^"]+)"', ASKED_FOR[name]):
            assert set(queues.split("|")) <= QUEUES.keys()
        for task in re.findall(r'task="([^"]+)"', ASKED_FOR[name]):
            assert task in ROUTES
        for view in re.findall(r'view="([^"]+)"', ASKED_FOR[name]):
            assert view in set(_view_names())


def _view_names() -> list[str]:
    found: list[str] = []
    waiting = [get_resolver()]
    while waiting:
        for pattern in waiting.pop().url_patterns:
            if isinstance(pattern, URLPattern):
                found.append(str(pattern.name))
            else:
                waiting.append(pattern)
    return found
