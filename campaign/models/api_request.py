from django.db import models
from django.db.models.functions import Now


class IdempotentAnswer(models.Model):
    """The answer to a POST that carried an `Idempotency-Key`, so that sending it again changes nothing."""

    user = models.ForeignKey(
        "campaign.User",
        on_delete=models.CASCADE,
        related_name="idempotent_answers",
        db_index=False,  # `idempotent_answer_once_a_key` begins with it
    )
    key = models.CharField(max_length=255)
    request_digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    body = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="idempotent_answer_once_a_key")
        ]

    def __str__(self) -> str:
        return f"{self.user_id} at {self.created_at}"
