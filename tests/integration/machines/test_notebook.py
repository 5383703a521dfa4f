"""The notebook of a machine judge runs as it stands, and again."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from pytest_django.live_server_helper import LiveServer

from annotation.models import MachineJudgment
from campaign.models import CampaignState
from campaign.services.machines import MachineTerms, machine_add
from launcher.data_directory import CHECKOUT
from tests.factories import make_campaign, make_organiser
from tests.integration.ranking.writing import TestSetWriter

_FOLDER = CHECKOUT / "docs" / "examples"
_SYSTEMS = ["amber", "birch", "cobalt"]


@pytest.mark.django_db(transaction=True)
def test_notebook_judges_each_block_once(
    live_server: LiveServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    campaign = make_campaign("museum", state=CampaignState.OPEN)
    organiser = make_organiser(campaign)
    writer = TestSetWriter(campaign, "museum en-de", _SYSTEMS)
    for segment in (1, 2, 3):
        writer.judgment("ada", writer.block(segment, _SYSTEMS), [1, 2, 3])
    _machine, token = machine_add(
        campaign=campaign,
        by=organiser,
        terms=MachineTerms(name="length", version="1"),
    )
    monkeypatch.setenv("QUINTET_URL", live_server.url)
    monkeypatch.setenv("QUINTET_MACHINE_TOKEN", token)
    for name in ("JUPYTER_CONFIG_DIR", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    assert "3 blocks judged." in printed()
    assert "0 blocks judged." in printed()
    assert MachineJudgment.objects.count() == 3


def printed() -> str:
    """Run the notebook and return what it prints."""
    notebook: Any = nbformat.read(_FOLDER / "machine_judge.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    folder = {"metadata": {"path": str(_FOLDER)}}
    NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources=folder,
    ).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return "".join(output.get("text", "") for output in outputs)
