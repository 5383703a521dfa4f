"""Reports are printed in UTF-8, whatever the locale."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
_FIVE_WAY = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,"
    "system1Number,system1Id,system2Number,system2Id,system1rank,system2rank\n"
    "en,de,1,d,1,j,1,Übersetzer,2,B,1,2\n"
)


@pytest.mark.parametrize(
    "locale",
    [
        {"PYTHONIOENCODING": "latin-1"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_report_is_printed_without_a_locale_of_utf8(
    tmp_path: Path,
    locale: dict[str, str],
) -> None:
    """crate/crash#157, chrisspen/django-chroniker#240: cron ended at the arrow of "en → de"."""
    file = tmp_path / "judgments.csv"
    file.write_text(_FIVE_WAY, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "manage.py", "rank_judgments", str(file)],
        cwd=ROOT,
        env=locale,
        capture_output=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "en → de" in run.stdout.decode()
    assert "Übersetzer" in run.stdout.decode()
