"""What Quintet does where packages that few need are not installed."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from annotation.sampling.choosing import choose_active, choose_balanced
from campaign.formats import FormatError
from launcher.data_directory import CHECKOUT
from optional_packages import ExtraMissingError, has_extra
from ranking.core import BlockRow, blocks_from_rows, rank
from ranking.files.reading import read_columns
from ranking.pages.report_shown import png_of

KERNELS = """
import sys
sys.modules["numba"] = None
import django
django.setup()
from tests.unit.test_optional_packages import by_kernels
print(by_kernels())
"""


def by_kernels() -> str:
    """What kernels compute that have no other form: designs, TrueSkill, abilities, exact orders."""
    counts = np.arange(64).reshape(8, 8) % 3
    counts += counts.T
    eligible = list(range(8))
    drawn = [
        chosen
        for key in (0, 7, 2**64 - 1)
        for chosen in (
            choose_balanced(counts, eligible, 5, key),
            choose_active(counts.astype(np.float64), eligible, 5, key),
        )
    ]
    rows = [
        BlockRow("j", n, list("abcd"), [1, 1 + n % 3, 2, 1 + n % 5]) for n in range(12)
    ]
    blocks = blocks_from_rows(rows, "abcd")
    scores = [
        [
            (each.system, each.score)
            for each in rank(blocks, method, resamples=2).systems
        ]
        for method in ("trueskill", "hopkins_may", "lopez")
    ]
    return repr((drawn, scores))


@pytest.mark.thorough
def test_interpreted_kernels_give_the_same_bits() -> None:
    interpreted = subprocess.run(
        [sys.executable, "-c", KERNELS],
        cwd=CHECKOUT,
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert interpreted.stdout.strip() == by_kernels()


def test_missing_package_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    for name in ("pyarrow", "resvg_py"):
        monkeypatch.setitem(sys.modules, name, None)
    assert not has_extra("parquet")
    file = tmp_path / "judgments.parquet"
    file.write_bytes(b"PAR1PAR1")
    with pytest.raises(FormatError, match="make install EXTRAS=parquet"):
        read_columns([str(file)])
    with pytest.raises(ExtraMissingError, match="make install EXTRAS=png"):
        png_of("<svg/>")
    monkeypatch.setenv("QUINTET_IMAGE", "1")
    with pytest.raises(ExtraMissingError, match="--build-arg EXTRAS=png"):
        png_of("<svg/>")
