"""A client generated from the description, and the notebook that uses it, against a live server."""

import importlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from django.core.management import call_command
from django.test import Client
from nbclient import NotebookClient
from pytest_django.live_server_helper import LiveServer

from campaign.models import Campaign, User
from ranking.models import RankingRun
from tests.answered_tasks import EVERY_FORM, AnswerForm
from tests.factories import make_judge, make_organiser
from tests.integration.protocols.every import hit_asked, judgment_put
from tests.protocol_tasks import make_task_of_protocol
from tests.rest_operations import description

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[3]
NOTEBOOK = ROOT / "docs" / "examples" / "notebook.ipynb"
#: Files, of which a client of JSON makes no types; it says so. Whoever needs them asks without it.
OF_FILES = {
    "GET /api/v1/campaigns/{slug}/file/",
    "PUT /api/v1/campaigns/{slug}/file/",
    "GET /api/v1/judging/media/{signature}/{file_name}",
    "GET /api/v1/tasks/{task_id}/published-results/{version}/bundle/",
}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a generated client, and what its generator said."""
    folder = tmp_path_factory.mktemp("client")
    described = folder / "openapi.json"
    described.write_text(json.dumps(description()))
    made = subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "openapi_python_client",
                "generate",
                "--meta",
                "none",
            ),
            *(
                "--path",
                str(described),
                "--output-path",
                str(folder / "generated_client"),
            ),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return folder, made.stdout + made.stderr


@pytest.fixture
def client_path(
    generated: tuple[Path, str],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[tuple[Path, str]]:
    monkeypatch.syspath_prepend(str(generated[0]))
    yield generated
    for name in [
        each for each in sys.modules if each.partition(".")[0] == "generated_client"
    ]:
        del sys.modules[name]


def test_every_operation_becomes_a_function(client_path: tuple[Path, str]) -> None:
    """All but those of files, which the generator names; an address it could not read would be named, too."""
    folder, said = client_path
    warned = {
        line.partition("parsing ")[2].partition(" within")[0]
        for line in said.splitlines()
        if line.startswith("WARNING parsing")
    }
    assert warned <= OF_FILES
    functions = {
        path.stem for path in (folder / "generated_client" / "api").glob("*/*.py")
    }
    operations = {
        operation["operationId"]
        for path, methods in description()["paths"].items()
        for method, operation in methods.items()
        if f"{method.upper()} {path}" not in OF_FILES
    }
    assert operations <= functions


@pytest.mark.django_db(transaction=True)
def test_answers_are_typed(
    client_path: tuple[Path, str],
    live_server: LiveServer,
    campaign: Campaign,
    ranking: RankingRun,
    make_member: Callable[..., User],
) -> None:
    from generated_client import AuthenticatedClient  # type: ignore[import-not-found]
    from generated_client.api.campaigns import (  # type: ignore[import-not-found]
        campaigns_retrieve,
        judge_group_create,
    )
    from generated_client.api.tasks import rankings_latest  # type: ignore[import-not-found]
    from generated_client.models import (  # type: ignore[import-not-found]
        JudgeGroupRequest,
        Problem,
        Ranking,
    )

    token_made = token(campaign, make_member)
    with AuthenticatedClient(live_server.url, token_made, prefix="Token") as client:
        latest = rankings_latest.sync(ranking.task_id, client=client)
        assert isinstance(latest, Ranking)
        assert [row.score for row in latest.systems] == [
            row["score"] for row in ranking.result["systems"]
        ]
        missing = campaigns_retrieve.sync("no-such", client=client)
        assert isinstance(missing, Problem)
        assert (missing.status, missing.title) == (404, "Not Found")
        refused = judge_group_create.sync(
            campaign.slug,
            client=client,
            body=JudgeGroupRequest(name="x"),
            idempotency_key="k",
        )
        assert isinstance(refused, Problem)
        assert refused.status == 403


@pytest.mark.django_db
@EVERY_FORM
def test_each_answer_and_its_rules_are_read_as_their_class(
    client_path: tuple[Path, str],
    schema: dict[str, Any],
    form: AnswerForm,
) -> None:
    models = importlib.import_module("generated_client.models")
    task = make_task_of_protocol(form.protocol, rules=form.rules or None)
    judging = Client()
    user = make_judge(task.test_set.campaign).user
    assert user is not None
    judging.force_login(user)
    hit = hit_asked(judging)
    answer = form.answer(len(hit["blocks"][0]["candidates"]))
    assert judgment_put(judging, hit["blocks"][0], answer=answer).status_code == 200
    organiser = Client()
    organiser.force_login(make_organiser(task.test_set.campaign))
    listed = organiser.get(f"/api/v1/tasks/{task.pk}/judgments/").json()["results"]
    record = models.JudgmentRecord.from_dict(listed[0])
    assignment = models.Assignment.from_dict(hit_asked(judging))
    parts = schema["components"]["schemas"]
    for union, name, value in (
        ("ProtocolAnswer", form.kind, record.answer),
        ("TaskRules", form.protocol, assignment.rules),
    ):
        reference = parts[union]["discriminator"]["mapping"][name]
        assert type(value).__name__ == reference.rpartition("/")[2]
        assert value.additional_properties == {}
    assert record.answer.to_dict() == listed[0]["answer"]


@pytest.mark.django_db(transaction=True)
def test_the_notebook_computes_the_ranking_of_the_page(
    live_server: LiveServer,
    campaign: Campaign,
    ranking: RankingRun,
    make_member: Callable[..., User],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It compares the scores itself, to the last bit."""
    notebook: Any = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    monkeypatch.setenv("QUINTET_URL", live_server.url)
    monkeypatch.setenv("QUINTET_TOKEN", token(campaign, make_member))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for name in ("JUPYTER_CONFIG_DIR", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": os.fspath(ROOT)}},
    ).execute()
    said = "".join(
        output.get("text", "")
        for cell in notebook.cells
        for output in cell.get("outputs", ())
    )
    for row in ranking.result["systems"]:
        assert f"{row['score']:.3f}  {row['system']}" in said
    assert "κ between judges" in said


def token(campaign: Campaign, make_member: Callable[..., User]) -> str:
    make_member(campaign)
    said = io.StringIO()
    asked = ("tokens/", "name=notebook", "scope=write", "--as=rosa@example.org")
    call_command("rest", "POST", *asked, stdout=said)
    return str(json.loads(said.getvalue())["token"])
