"""The service itself: health, the schema of REST, scripts."""

from collections.abc import Mapping
from typing import Final

from tests.permissions.addresses.answers import EVERYBODY, ONLY_POST, OWN_API, ROLES
from tests.permissions.audiences import ANYBODY, Audience, sends

ADDRESSES: Final[Mapping[str, Mapping[str, int | Audience]]] = {
    "healthz": EVERYBODY
    | sends(POST=ANYBODY, PUT=ANYBODY, PATCH=ANYBODY, DELETE=ANYBODY),
    "readyz": EVERYBODY
    | sends(POST=ANYBODY, PUT=ANYBODY, PATCH=ANYBODY, DELETE=ANYBODY),
    # For whoever names a token: tests/integration/operating.
    "metrics": dict.fromkeys(ROLES, 404),
    "api/schema/": EVERYBODY,
    "api/": EVERYBODY,
    "api/v1/": OWN_API,
    "language/": ONLY_POST | sends(POST=ANYBODY),
    "": {
        "visitor": 302,
        "judge": 302,
        "organiser": 302,
        "analyst": 302,
        "other judge": 302,
        "other organiser": 302,
    },
    # A script, the same for everybody.
    "judge/worker.js": EVERYBODY,
}
