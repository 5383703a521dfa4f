"""The wheel, in an environment that has what it depends on, and nothing of the checkout."""

import os
import subprocess
import time
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4
from zipfile import ZipFile

import pytest
import requests
from packaging.version import Version

from launcher.data_directory import CHECKOUT, DataDirectory
from tests.integration.launcher.test_commands import served
from tests.wheels import installed_wheel, wheel_build, wheel_install
from version import package_version

pytestmark = pytest.mark.thorough


JUDGED = """\
srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,system2Id,system1rank,system2rank
en,de,1,news,1,ann,1,alpha,2,beta,1,2
en,de,2,news,2,ann,1,alpha,2,beta,1,2
"""
API = "api/v1/judging"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment with the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    programs = installed_wheel(folder)
    (site,) = (folder / "env" / "lib").glob("python*/site-packages")
    assert {path.stem.partition("-")[0] for path in site.iterdir()} == {
        "quintet",
        "quintet_ranking",
        "packages_of_others",
    }
    return programs


def test_a_wheel_of_a_later_commit_upgrades_the_installed_one(tmp_path: Path) -> None:
    """Wheels of two commits of a clone, without the packages that they depend on."""
    clone = tmp_path / "clone"
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "clone", "--quiet", str(CHECKOUT), str(clone)], check=True)
    venv.create(tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    versions = []
    for commit in ("first", "second"):
        commits = [*git, "commit", "--quiet", "--allow-empty", f"--message={commit}"]
        subprocess.run(commits, cwd=clone, check=True)
        wheel = wheel_build(clone, tmp_path / commit)
        kept = [
            path.name for path in (clone / "campaign/database/catalogues").iterdir()
        ]
        packed = [
            Path(name).name
            for name in ZipFile(wheel).namelist()
            if "/catalogues/" in name
        ]
        assert sorted(packed) == sorted(kept)
        wheel_install(wheel, python)
        asked = (
            "from importlib.metadata import version; print(version('quintet-ranking'))"
        )
        done = subprocess.run(
            [python, "-c", asked],
            check=True,
            capture_output=True,
            text=True,
        )
        versions.append(done.stdout.strip())
        assert package_version(clone) == versions[-1]
    assert Version(versions[0]) < Version(versions[1])


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another folder than the checkout, in which nothing names it."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE", raising=False)
    monkeypatch.chdir(tmp_path)
    for name, language in (("source", "en"), ("alpha", "de"), ("beta", "de")):
        lines = "".join(f"{name} sentence {number}\n" for number in range(1, 4))
        (tmp_path / f"{name}.{language}").write_text(lines)
    (tmp_path / "judgments.csv").write_text(JUDGED)
    return tmp_path


def quintet(installed: Path, *arguments: str, home: Path | None = None) -> str:
    ended = subprocess.run(
        [installed / "quintet", *arguments],
        env={**os.environ, "QUINTET_HOME": str(home or "/nowhere")},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_files_are_ranked_and_checked_without_a_database(
    installed: Path,
    elsewhere: Path,
) -> None:
    ranked = quintet(installed, "rank", "judgments.csv")
    assert ranked.index("alpha") < ranked.index("beta")
    files = ("source.en", "alpha.de", "beta.de")
    assert "3" in quintet(installed, "check", *files)


@pytest.mark.usefixtures("elsewhere")
def test_the_core_is_imported_beside_a_programs_own_modules(installed: Path) -> None:
    Path("config.py").write_text("OWN = True\n")
    Path("program.py").write_text(
        "import sys, config\n"
        "from quintet import BlockRow, blocks_from_rows, measure_agreement, plan_budget, rank\n"
        "blocks = blocks_from_rows([BlockRow('ann', 1, ['a', 'b'], [1, 2])], 'ab')\n"
        "assert rank(blocks, resamples=2).systems[0].system == 'a'\n"
        "assert config.OWN and not {'django', 'campaign', 'launcher'} & set(sys.modules)\n"
        "from quintet import read_judgments\n"
        "assert rank(read_judgments('judgments.csv')).systems[0].system == 'alpha'\n"
        "assert not {'django', 'launcher'} & set(sys.modules)\n",
    )
    subprocess.run([installed / "python", "program.py"], check=True, timeout=600)
    Path("ranking.py").write_text("")
    other = subprocess.run(
        [installed / "python", "-c", "from quintet import rank"],
        check=False, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert "another one: " in other.stderr


def test_a_block_is_judged_where_the_wheel_serves(
    installed: Path,
    elsewhere: Path,
    directory: DataDirectory,
) -> None:
    with served(directory, "start", program=[str(installed / "quintet")]) as (
        _process,
        said,
    ):
        assert "quintet demo` adds demo campaigns" in "".join(said)
        sides = ["--source-language=en", "--target-language=de", "--source=source.en"]
        systems = ["--system=alpha=alpha.de", "--system=beta=beta.de"]
        named = ["--campaign=mine", "--create-campaign=Mine", "--name=News"]
        home = directory.path
        quintet(installed, "import_test_set", *named, *sides, *systems, home=home)
        link = quintet(
            installed,
            "add_judge",
            "ann",
            "--campaign=mine",
            home=home,
        ).split()[-1]
        with requests.Session() as judge:
            assert judged(judge, link).status_code == 200


def judged(judge: requests.Session, link: str) -> Any:
    """Return the answer to the first judgment of whoever opens this link."""
    judge.get(link, timeout=30)
    form = {"csrfmiddlewaretoken": judge.cookies["csrftoken"]}
    page = judge.post(link, data=form, timeout=30)
    base = link.partition("/i/")[0]
    assert page.url.startswith(f"{base}/judge/"), page.url
    judge.headers.update(
        {"X-CSRFToken": str(judge.cookies["csrftoken"]), "Referer": page.url},
    )
    block = next(lent_blocks(judge, f"{base}/{API}/assignments/"))
    labels = list(range(1, len(block["candidates"]) + 1))
    said = {
        "block": block["id"],
        "labels": labels,
        "duration_ms": 9000,
        "active_ms": 8000,
    }
    return judge.put(f"{base}/{API}/judgments/{uuid4()}/", json=said, timeout=30)


def lent_blocks(judge: requests.Session, address: str) -> Iterator[dict[str, Any]]:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        answer = judge.post(address, json={}, timeout=30)
        if answer.status_code == 200:
            yield from answer.json()["blocks"]
        time.sleep(0.2)
