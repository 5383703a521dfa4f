"""The notebook that ranks a file runs as it stands, in its own folder."""

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from django.core.management import call_command
from nbclient import NotebookClient

from launcher.data_directory import CHECKOUT

_EXAMPLES = CHECKOUT / "docs" / "examples"
_JUDGMENTS = CHECKOUT / "demo" / "wmt12-cs-en" / "judgments.csv"


def test_notebook_prints_the_ranking_of_the_command(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notebook: Any = nbformat.read(_EXAMPLES / "judgments.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    for name in ("JUPYTER_CONFIG_DIR", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(_EXAMPLES)}},
    ).execute()
    report = tmp_path / "ranking.json"
    call_command(
        "rank_judgments",
        str(_JUDGMENTS),
        "--format=json",
        f"--output={report}",
        "-v0",
    )
    [ranking] = json.loads(report.read_text())["rankings"]
    first = next(cell for cell in notebook.cells if "read_judgments(" in cell.source)
    [result] = first.outputs
    rows = result["data"]["text/plain"].splitlines()[2:]
    printed = [(row.split()[3], row.split()[2]) for row in rows]
    assert printed == [
        (row["system"], f"{row['score']:.3f}") for row in ranking["systems"]
    ]
