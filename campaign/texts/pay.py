"""Parse the hourly pay from the text shown to judges."""

import re
from dataclasses import dataclass
from typing import Final

from django.utils.formats import number_format

_CURRENCY: Final = r"[€$£¥]|[A-Z]{3}|Kč|zł"
_HOURLY: Final = re.compile(
    rf"(?P<before>{_CURRENCY})?\s?(?P<amount>\d+(?:[.,]\d{{1,2}})?)\s?(?P<after>{_CURRENCY})?\s*"
    r"(?:/\s?(?:h|hour|hr|Std|Stunde|heure|hora|hodinu?)\b"
    r"|an hour|per hour|pro Stunde|die Stunde|par heure|de l.heure|por hora|la hora|za hodinu)",
)


@dataclass(frozen=True, slots=True)
class HourlyPay:
    """An hourly amount with the currency before or after it."""

    amount: float
    before: str
    after: str

    def cost(self, hours: float) -> str:
        """Return the rounded cost of a number of hours, with the currency placed as in the text."""
        amount = number_format(round(hours * self.amount), force_grouping=True)
        return f"{self.before}{amount} {self.after}".strip()


def hourly_pay(pay: str) -> HourlyPay | None:
    """Return the hourly amount in a text such as “€15 an hour of active time”; None unless there is exactly one."""
    amounts = list(_HOURLY.finditer(pay))
    if len(amounts) != 1:
        return None
    amount = amounts[0].groupdict(default="")
    before = amount["before"]
    after = amount["after"]
    if not before and not after:
        return None
    if len(before) > 1:
        before = f"{before} "
    return HourlyPay(float(amount["amount"].replace(",", ".")), before, after)
