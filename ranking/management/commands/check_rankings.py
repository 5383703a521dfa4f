"""`check_rankings`: compute every ranking again, and compare bit for bit."""

from typing import Any

from django.core.management.base import CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaign.management.arguments import TasksCommand
from ranking.services.runs_check import RunsChecked, runs_check


class Command(TasksCommand):
    help = (
        "Recompute every saved ranking and the latest ranking of each task, and compare them bit for bit, "
        "for example after restoring a backup. Changes nothing; exits with 1 if a ranking differs."
    )

    def handle(self, *_args: Any, **options: Any) -> None:
        wrong = 0
        for task in self.tasks(options["campaign"]):
            checked = runs_check(task_id=task.pk)
            wrong += len(checked.differing)
            name = f"{task.test_set.campaign.slug}, {task.called}"
            self._say(name, checked)
        if wrong:
            raise CommandError(
                ngettext(
                    "%(count)d ranking differs from its judgments.",
                    "%(count)d rankings differ from their judgments.",
                    wrong,
                )
                % {"count": wrong}
            )

    def _say(self, name: str, checked: RunsChecked) -> None:
        same = ngettext(
            "%(task)s: %(count)d ranking matches.",
            "%(task)s: %(count)d rankings match.",
            checked.same,
        )
        self.stdout.write(same % {"task": name, "count": checked.same})
        for watermark in checked.differing:
            self.stdout.write(
                _("%(task)s: the ranking of judgments 1 to %(watermark)d differs.")
                % {"task": name, "watermark": watermark}
            )
        for reason in checked.refused:
            self.stdout.write(
                _("%(task)s: not recomputed: %(reason)s") % {"task": name, "reason": reason}
            )
