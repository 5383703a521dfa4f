"""The table of a protocol's answers."""

import pgtrigger
from django.db import models

from campaign.database.triggers import trigger_from_file


class AnswerOfProtocol(models.Model):
    """What a judgment says beside its labels. Append-only."""

    judgment = models.OneToOneField(
        "annotation.Judgment",
        on_delete=models.PROTECT,
        related_name="%(app_label)s_answer",
        primary_key=True,
    )

    class Meta:
        abstract = True


def answer_triggers(protocol: str, *, declare: list[tuple[str, str]]) -> list[pgtrigger.Trigger]:
    """Return the triggers of a protocol's answers: they stay, and each fits its judgment.

    `<protocol>_answer_fits_its_judgment` in `triggers.sql` of the protocol's folder says what fits, of the new rows of a statement, with these
    variables.
    """
    name = f"{protocol}_answer"
    return [
        pgtrigger.Protect(
            name=f"{name}_append_only", operation=pgtrigger.Update | pgtrigger.Delete
        ),
        trigger_from_file(
            f"protocols/{protocol}",
            f"{name}_fits_its_judgment",
            level=pgtrigger.Statement,
            operation=pgtrigger.Insert,
            when=pgtrigger.After,
            referencing=pgtrigger.Referencing(new="new_rows"),  # type: ignore[no-untyped-call]
            declare=declare,
        ),
    ]
