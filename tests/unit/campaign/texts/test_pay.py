"""The amount an hour that a campaign's pay names."""

import pytest

from campaign.texts.pay import hourly_pay


@pytest.mark.parametrize(
    ("pay", "cost"),
    [
        ("€15 an hour of active time", "€30"),
        ("12,50 € pro Stunde", "25 €"),
        ("USD 20/h, paid monthly", "USD 40"),
        ("voluntary", None),
        ("€5 a HIT", None),
        ("15 an hour", None),
        ("€15 an hour, €18 an hour at night", None),
    ],
)
def test_only_one_amount_an_hour_with_a_currency_is_a_cost(
    pay: str,
    cost: str | None,
) -> None:
    found = hourly_pay(pay)
    assert (None if found is None else found.cost(2)) == cost
