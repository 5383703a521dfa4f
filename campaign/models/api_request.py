from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class IdempotentAnswer(models.Model):
    """The answer to a POST that carried an `Idempotency-Key`, so that sending it again changes nothing.

    The key itself is not kept. Who does not have it cannot read `sealed`, which may hold a link that is shown once.
    """

    user = models.ForeignKey(
        "campaign.User",
        on_delete=models.CASCADE,
        related_name="idempotent_answers",
        db_index=False,  # `idempotent_answer_once_a_key` begins with it
    )
    key_digest = models.BinaryField(_("hash of the key"), max_length=32)
    request_digest = models.BinaryField(_("hash of the request"), max_length=32)
    sealed = models.BinaryField(_("the answer, encrypted"))
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        verbose_name = _("answer to a repeatable request")
        verbose_name_plural = _("answers to repeatable requests")
        constraints = [
            models.UniqueConstraint(
                fields=["user", "key_digest"], name="idempotent_answer_once_a_key"
            )
        ]
        indexes = [models.Index(fields=["created_at"], name="idempotent_answers_to_forget")]

    def __str__(self) -> str:
        return f"{self.user_id} at {self.created_at}"


class RequestCount(models.Model):
    """How many requests of a kind a person made to the API since the present minute of theirs began.

    One row a person and kind, in a table without a write-ahead log: after a crash everybody begins anew.
    """

    class Kind(models.TextChoices):
        READS = "reads", _("reads")
        WRITES = "writes", _("writes")

    user = models.ForeignKey(
        "campaign.User",
        on_delete=models.CASCADE,
        related_name="request_counts",
        db_index=False,  # `request_count_once_a_kind` begins with it
    )
    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices)
    count = models.PositiveIntegerField(_("requests"))
    begun_at = models.DateTimeField(_("begun"))

    class Meta:
        verbose_name = _("count of requests")
        verbose_name_plural = _("counts of requests")
        constraints = [
            models.UniqueConstraint(fields=["user", "kind"], name="request_count_once_a_kind"),
            models.CheckConstraint(
                condition=models.Q(kind__in=["reads", "writes"]), name="request_count_kind_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.count} {self.kind} of {self.user_id}"
