"""Every address of the project: who gets which status by GET, and who may send what.

`sends` says who may send; what is not named there, nobody may. docs/permissions.md is made of it:
`.venv/bin/python -m tests.permissions > docs/permissions.md`.
"""

from collections.abc import Mapping
from typing import Final

from tests.permissions.addresses import (
    accounts,
    campaigns,
    campaigns_over_rest,
    judging,
    people,
    publishing,
    service,
    tasks,
    tasks_over_rest,
)
from tests.permissions.audiences import Audience

_ROOMS: Final = (
    service.ADDRESSES,
    accounts.ADDRESSES,
    judging.ADDRESSES,
    people.ADDRESSES,
    campaigns.ADDRESSES,
    tasks.ADDRESSES,
    publishing.ADDRESSES,
    campaigns_over_rest.ADDRESSES,
    tasks_over_rest.ADDRESSES,
)

ADDRESSES: Final[Mapping[str, Mapping[str, int | Audience]]] = {
    route: answers for room in _ROOMS for route, answers in room.items()
}
if len(ADDRESSES) != sum(map(len, _ROOMS)):
    raise AssertionError("An address stands in two rooms: delete one of its lines.")
