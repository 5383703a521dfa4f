"""`check_rankings`: compute every ranking again, and compare bit for bit."""

from typing import Any

from django.core.management.base import CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaign.management.arguments import TasksCommand
from ranking.services.runs_check import RunsChecked, runs_check


class Command(TasksCommand):
    help = (
        "Compute every ranking that was kept, and the present one of each task, again from the judgments, and compare "
        "bit for bit: after restoring a backup, say. Changes nothing; ends with 1 where a ranking comes out otherwise."
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
                    "%(count)d ranking does not follow from its judgments.",
                    "%(count)d rankings do not follow from their judgments.",
                    wrong,
                )
                % {"count": wrong}
            )

    def _say(self, name: str, checked: RunsChecked) -> None:
        same = ngettext(
            "%(task)s: %(count)d ranking came out the same.",
            "%(task)s: %(count)d rankings came out the same.",
            checked.same,
        )
        self.stdout.write(same % {"task": name, "count": checked.same})
        for watermark in checked.differing:
            self.stdout.write(
                _("%(task)s: the ranking of judgments 1…%(watermark)d came out otherwise.")
                % {"task": name, "watermark": watermark}
            )
        for reason in checked.refused:
            self.stdout.write(
                _("%(task)s: not computed: %(reason)s") % {"task": name, "reason": reason}
            )
