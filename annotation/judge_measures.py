"""The names of what is measured of a judge: the only list of them."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class JudgeMeasure(models.TextChoices):
    """A measure of a judge; see docs/statistics/quality.md."""

    REFERENCE = "reference", _("prefers the reference")
    BAD_REFERENCE = "bad_reference", _("rejects damaged references")
    REFERENCE_RANDOM = "reference_random", _("reference: p of clicking at random")
    BAD_REFERENCE_RANDOM = "bad_reference_random", _("damaged: p of clicking at random")
    INTER = "inter", _("κ with the others")
    INTRA = "intra", _("κ with themselves")
    TIES = "ties", _("share of ties")
    SECONDS = "seconds", _("median seconds a block")
    ONE_LABEL = "one_label", _("blocks with one rank for all")
    SHOWN_ORDER = "shown_order", _("blocks ranked in shown order")
    POSITION = "position", _("p of no position bias")
    REFERENCE_IGNORED = "reference_ignored", _("reference ignored: p of somebody who reads")
    DAMAGE_IGNORED = "damage_ignored", _("damage ignored: p of somebody who reads")
    TYPED_IN_ORDER = "typed_in_order", _("typed in shown order: p of somebody who reads")
    DISAGREES = "disagrees", _("agrees less: p of somebody like the others")
