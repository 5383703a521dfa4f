from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class PanelArrival(models.Model):
    """That somebody new came to a panel from an address, for an hour: so many are let in and no more.

    The address is kept as a keyed hash that differs between panels, and purged with the hour.
    """

    panel = models.ForeignKey(
        "campaign.Panel",
        on_delete=models.CASCADE,
        related_name="arrivals",
        db_index=False,  # `panel_arrivals_of_an_address` begins with it
    )
    address = models.BinaryField(_("hash of the address"), max_length=32)
    arrived_at = models.DateTimeField(_("arrived"), db_default=Now())

    class Meta:
        verbose_name = _("arrival at a panel")
        verbose_name_plural = _("arrivals at panels")
        indexes = [
            models.Index(
                fields=["panel", "address", "arrived_at"], name="panel_arrivals_of_an_address"
            ),
            models.Index(fields=["arrived_at"], name="panel_arrivals_to_purge"),
        ]

    def __str__(self) -> str:
        return f"{self.panel_id} at {self.arrived_at}"
