import json
import zlib
from hashlib import blake2b
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaign.database.recording import RecordedModel, Recording
from campaign.database.times import inserted_at
from campaign.models.user import by_user

#: Stored number format: the same bytes on any machine.
_STORED: Final = "<f8"
_NAMED: Final = ["test_set", "name", "signature", "is_human"]


class Metric(RecordedModel):
    """Scores of a metric for the outputs of a test set, or human scores imported from a file.

    Scores from a file are a number for each segment and system. A metric computed from texts has statistics instead,
    named by `statistics`, which determine its value on any segments. A row never changes: other texts or another file
    create a new one.
    """

    test_set = models.ForeignKey(
        "campaign.TestSet",
        models.CASCADE,
        related_name="metrics",
        db_index=False,
    )
    name = models.CharField(_("Name"), max_length=100)
    signature = models.CharField(
        _("Signature"),
        max_length=300,
        blank=True,
        help_text="Version and settings.",
    )
    higher_is_better = models.BooleanField(default=True)
    uses_reference = models.BooleanField(null=True, blank=True)
    is_human = models.BooleanField(default=False)
    file_name = models.CharField(
        _("File"),
        max_length=300,
        blank=True,
        help_text="Empty if computed from texts.",
    )
    systems = ArrayField(models.CharField(max_length=200))
    statistics = ArrayField(models.CharField(max_length=40), default=list, blank=True)
    of_systems = ArrayField(models.FloatField(null=True), default=list, blank=True)
    digests = ArrayField(
        models.CharField(max_length=32),
        default=list,
        blank=True,
        help_text="Digest of each system's outputs with the references; empty for a file.",
    )
    packed = models.BinaryField()
    digest = models.CharField(
        _("Digest"),
        max_length=32,
        help_text="The same for the same numbers.",
    )
    missing = models.PositiveIntegerField(
        default=0,
        help_text="Outputs without a score.",
    )
    created_by = by_user()
    created_at = inserted_at()

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Metric added"),
        changed=pgettext_lazy("activity", "Metric changed"),
        deleted=pgettext_lazy("activity", "Metric removed"),
        fields=["name", "signature", "file_name", "digest"],
        campaign="test_set__campaign_id",
        test_set="test_set_id",
        called="name",
    )

    class Meta:
        verbose_name = _("Metric")
        constraints = [
            models.UniqueConstraint(
                fields=_NAMED,
                name="metric_once_for_each_name_and_signature",
            ),
            models.CheckConstraint(
                condition=~models.Q(name=""),
                name="metric_name_not_empty",
            ),
        ]
        triggers = [
            # Its author's account may still be deleted.
            pgtrigger.Protect(
                name="metric_frozen",
                operation=pgtrigger.UpdateOf(  # type: ignore[no-untyped-call]  # it has no types
                    *(
                        "test_set_id",
                        "name",
                        "signature",
                        "higher_is_better",
                        "is_human",
                    ),
                    *("systems", "statistics", "of_systems", "packed", "digest"),
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_of_texts(self) -> bool:
        """True if the metric was computed here from texts."""
        return bool(self.statistics)

    @property
    def stored(self) -> "Metric | None":
        """The stored metric with the same name and signature."""
        same = {name: getattr(self, name) for name in _NAMED}
        return Metric.objects.filter(**same).first()

    @property
    def numbers(self) -> npt.NDArray[np.float64]:
        """Scores by segment number and system, shape (N, n); statistics by system, segment and kind, shape (n, N, k)."""
        stored = np.frombuffer(zlib.decompress(self.packed), dtype=_STORED)
        numbers = stored.astype(np.float64)
        n = len(self.systems)
        if self.statistics:
            return numbers.reshape((n, -1, len(self.statistics)))
        return numbers.reshape((-1, n))

    @numbers.setter
    def numbers(self, numbers: npt.NDArray[np.float64]) -> None:
        """Set the numbers and their digest, which depends on the other fields."""
        content = np.ascontiguousarray(numbers, dtype=_STORED).tobytes()
        self.packed = zlib.compress(content, level=1)
        named = [self.name, self.signature, self.systems, self.of_systems]
        self.digest = text_digest(named, content)


def text_digest(values: Any, more: bytes = b"") -> str:
    """Return a digest of plain values or bytes."""
    text = json.dumps(values, ensure_ascii=True, separators=(",", ":"))
    return blake2b(
        text.encode() + more,
        digest_size=16,
        person=b"quintet-metric",
    ).hexdigest()
