"""Size does not matter: a 200 MB test set, ten thousands of judgments, in little memory."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from annotation.models import Judgment
from campaign.models import Output, Segment
from tests.factories import make_server_organiser

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]

MEGABYTE = 1024 * 1024
# The interpreter with Django and all apps takes 190 MB of it.
MOST_MEMORY = 260 * MEGABYTE


def run_measured(*arguments: str) -> tuple[str, int]:
    """Run manage.py on the test database; return what it said and its peak memory in bytes."""
    program = (
        "import resource, runpy, sys\n"
        "from pathlib import Path\n"
        "sys.argv = ['manage.py', *sys.argv[1:]]\n"
        "runpy.run_path('manage.py', run_name='__main__')\n"
        # Linux carries the peak of whoever started a program over into getrusage.
        "status = Path('/proc/self/status')\n"
        "lines = status.read_text().splitlines() if status.exists() else []\n"
        "kib = next((int(line.split()[1]) for line in lines if line.startswith('VmHWM')), None)\n"
        "bytes_ = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"  # as macOS counts
        "print('PEAK', bytes_ if kib is None else 1024 * kib)\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "DATABASE_URL": _test_database_url()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    said, _, peak = finished.stdout.rpartition("PEAK ")
    return said, int(peak)


def _test_database_url() -> str:
    settings = connection.settings_dict
    host = settings["OPTIONS"].get("host") or settings["HOST"]
    password = f":{settings['PASSWORD']}" if settings["PASSWORD"] else ""
    if host.startswith("/"):
        return (
            f"postgres://{settings['USER']}{password}@/{settings['NAME']}?host={host}"
        )
    port = f":{settings['PORT']}" if settings["PORT"] else ""
    return f"postgres://{settings['USER']}{password}@{host}{port}/{settings['NAME']}"


def test_task_of_200_megabytes_in_bounded_memory(tmp_path: Path) -> None:
    make_server_organiser()
    path = tmp_path / "large.tsv"
    text = (
        "the museum opens at nine and closes when the last visitor has gone home " * 4
    )
    with path.open("w", encoding="utf-8") as file:
        file.write("document\tsource\treference\tamber\tbirch\n")
        number = 0
        while file.tell() < 200 * MEGABYTE:
            number += 1
            document = f"document {number // 50}"
            texts = "\t".join(f"{number} {which} {text}" for which in "srab")
            file.write(f"{document}\t{texts}\n")
    said, peak = run_measured(
        "import_test_set", str(path), "--campaign=large", "--create-campaign=Large",
        "--name=large", "--source-language=en", "--target-language=de",
    )  # fmt: skip
    assert f"{number:,} segments, 2 systems; the reference is shown" in said
    assert Segment.objects.count() == number > 170_000
    assert Output.objects.count() == 3 * number
    assert peak < MOST_MEMORY, f"{peak / MEGABYTE:.0f} MB"


def test_many_judgments_in_bounded_memory_and_linear_time(tmp_path: Path) -> None:
    """Each of pgtrigger's calls once undid a subtransaction, which made the time quadratic."""
    make_server_organiser()
    path = tmp_path / "many.csv"
    draw = random.Random(1)
    systems = [f"system-{n}" for n in range(15)]
    count = 8_000
    with path.open("w", encoding="utf-8") as file:
        slots = range(1, 6)
        names = [f"system{n}Id" for n in slots] + [f"system{n}rank" for n in slots]
        file.write(
            "srclang,trglang,srcIndex,documentId,segmentId,judgeId," + ",".join(names),
        )
        for _ in range(count):
            segment = draw.randint(1, 3000)
            shown = draw.sample(systems, 5) + [str(draw.randint(1, 5)) for _ in slots]
            judge = f"judge{draw.randint(1, 200)}"
            file.write(
                f"\ncs,en,{segment},d{segment // 30},{segment},{judge},"
                + ",".join(shown),
            )
    said, peak = run_measured(
        "import_answers", str(path), "--campaign=large", "--create-campaign=Large",
        "--test-set=many", "--create-test-set",
    )  # fmt: skip
    assert f"{count:,} judgments imported" in said
    assert Judgment.objects.count() == count
    assert peak < MOST_MEMORY, f"{peak / MEGABYTE:.0f} MB"
