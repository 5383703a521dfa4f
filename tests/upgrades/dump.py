"""Write a filled database of this version, from which later versions upgrade (tests/integration/upgrades).

    python -m launcher run --temporary -- python -m tests.upgrades.dump

It holds the campaigns of the demo that have texts, one with something of each kind, and no secret that opens anything.
The file is SQL that PostgreSQL 16 and newer run. Make one with each release, and never change an older one.
"""

import lzma
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from version import VERSION

if TYPE_CHECKING:
    from campaign.models import Campaign

FOLDER = Path(__file__).parents[1] / "data" / "upgrades"
#: Demo campaigns in it; the fourth has 12,775 comparisons of one kind.
CAMPAIGNS = ("museum", "museum-hidden", "museum-protocols")
#: What only the psql or the PostgreSQL that wrote the dump understands.
_NOT_OF_ALL_VERSIONS = re.compile(
    rb"^(\\(un)?restrict .*|SET transaction_timeout .*)\n",
    re.MULTILINE,
)


def dumps() -> list[Path]:
    """Return the dumps of all released versions."""
    return sorted(FOLDER.glob("*.sql.xz"))


def dump_read(path: Path) -> str:
    """Return the statements of a dump."""
    return lzma.decompress(path.read_bytes()).decode()


def _fill() -> None:
    from django.db import transaction

    from campaign.models import Campaign, Job, User
    from campaign.services.api_tokens import token_create
    from campaign.services.jobs import jobs_run_waiting
    from demo.loading import CAMPAIGNS as LOADED
    from demo.loading import ORGANISER_EMAIL
    from ranking.export.asked import export_queue, requested_export
    from ranking.services.published_results.publish import result_publish
    from tests.permissions.world import make_world

    organiser = User.objects.create_user(name="Olga Organiser", email=ORGANISER_EMAIL)
    for slug in CAMPAIGNS:
        name, load = LOADED[slug]
        load(organiser, name)
    token_create(user=organiser)
    _people_add(Campaign.objects.get(slug="museum-protocols"))
    around = transaction.atomic()
    # As in a test: what must not begin inside a transaction may begin inside this one.
    around._from_testcase = True  # type: ignore[attr-defined]
    with around:
        world = make_world()
    result_publish(task=world.task, by=world.users["organiser"])
    jobs_run_waiting()
    # One waits for the worker of the next version.
    export = requested_export(task=world.task, kind="counted", file_format="jsonl")
    waiting = export_queue(export=export, by=None)
    assert Job.objects.waiting().get() == waiting


def _people_add(campaign: "Campaign") -> None:
    """Add what judges and organisers leave beside answers."""
    from django.test import Client

    from annotation.selectors.judging import assigned_blocks
    from annotation.services.submission import skip_submit
    from campaign.models import Judge, Task
    from campaign.services.erasures import erasure_ask
    from campaign.services.invitations import invitation_create_for_anybody
    from campaign.services.judge_groups import (
        judge_group_create,
        judge_group_members_change,
    )
    from campaign.services.judges import (
        conflict_declare,
    )
    from ranking.services.ranking_settings import stopping_rule_set
    from tests.at_work import lend

    judge = Judge.objects.get(campaign=campaign, pseudonym="ranking")
    block = assigned_blocks(lend(judge))[0]
    skip_submit(assigned=block, client_id=uuid4(), reason="other", comment="Cut off.")
    task = Task.objects.of(campaign).filter(protocol="ranking").earliest("pk")
    stopping_rule_set(task=task, pairs_share=0.9, reason="Agreed.")
    group = judge_group_create(campaign=campaign, name="experts")
    judge_group_members_change(group=group, add=[judge])
    conflict_declare(judge=judge, system=task.test_set.systems.earliest("pk"))
    invitation_create_for_anybody(campaign=campaign, cap=3)
    erasure_ask(judge=Judge.objects.get(campaign=campaign, pseudonym="quiz"))
    browser = Client(SERVER_NAME="127.0.0.1")
    assert judge.user is not None
    browser.force_login(judge.user)
    assert browser.get(f"/judge/{campaign.slug}/").status_code == 200


def _dumped(url: str) -> bytes:
    from launcher.services import wheel_folder

    done = subprocess.run(
        [
            wheel_folder() / "bin" / "pg_dump",
            "--no-owner",
            "--no-privileges",
            "--inserts",
            "--rows-per-insert=200",
            url,
        ],
        check=True,
        capture_output=True,
    )
    return _NOT_OF_ALL_VERSIONS.sub(b"", done.stdout)


def main() -> None:
    """Migrate, fill and dump the database that the environment names."""
    # No static file needs collecting for the page that is opened.
    os.environ |= {"QUINTET_CODE_VERSION": VERSION, "STATIC_HASHED": "0"}
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity=0"],
        check=True,
    )
    import django

    django.setup()
    _fill()
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{VERSION}.sql.xz"
    path.write_bytes(
        lzma.compress(
            _dumped(os.environ["MIGRATION_DATABASE_URL"]),
            preset=9 | lzma.PRESET_EXTREME,
        ),
    )
    sys.stdout.write(f"{path}: {path.stat().st_size / 1000:.0f} kB\n")


if __name__ == "__main__":
    main()
