"""Makes campaigns for runs and prints them as JSON: `python -m tests.faults.campaign JUDGES PLANNED NAME …`.

A program of its own, run beside the installation's services, so that the one that puts faults in needs no Django.
"""

import json
import os
import sys
from collections.abc import Sequence


def main(names: Sequence[str], *, judges: int, planned: int) -> None:
    """Make campaigns with planned HITs and judges; print their test sets and the judges' tokens."""
    os.environ.update(
        {"DJANGO_SETTINGS_MODULE": "config.settings", "LOG_LEVEL": "WARNING"},
    )
    import django

    django.setup()
    sys.stdout.write(json.dumps([_make(name, judges, planned) for name in names]))


def _make(name: str, judges: int, planned: int) -> dict[str, object]:
    from django.db import transaction

    from annotation.services.planning.pool import hits_plan
    from campaign.services.api_tokens import token_create
    from tests import factories

    with transaction.atomic():
        # More blocks than anybody will judge, so that there is always work.
        campaign = factories.make_campaign(name, blocks_per_judge=100_000)
        segments = max(100, planned * 6 // 5)
        task = factories.make_long_task(
            campaign,
            segments=segments,
            blocks_wanted=100_000,
        )
        tokens = {}
        for number in range(judges):
            judge = factories.make_judge(campaign, f"{name}-{number:02}")
            assert judge.user is not None
            _stored, tokens[judge.pseudonym] = token_create(user=judge.user)
    # Enough for the run: judges that wait for the planner would look like judges that wait for a server.
    hits_plan(task_id=task.pk, count=planned)
    return {"task": task.pk, "tokens": tokens}


if __name__ == "__main__":
    main(sys.argv[3:], judges=int(sys.argv[1]), planned=int(sys.argv[2]))
