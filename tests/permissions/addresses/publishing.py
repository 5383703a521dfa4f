"""Publishing, pages and REST, and what is published."""

from collections.abc import Mapping
from typing import Final

from tests.permissions.addresses.answers import (
    EMBARGOED,
    MEMBERS_API,
    MEMBERS_PAGE,
    ONLY_POST,
    ROLES,
)
from tests.permissions.audiences import (
    ONCE_PUBLISHED,
    ORGANISERS,
    WITH_LINK,
    Audience,
    sends,
)

ADDRESSES: Final[Mapping[str, Mapping[str, int | Audience]]] = {
    # Writing, and a result that is open: tests/integration/publishing.
    "campaigns/<slug:slug>/tasks/<int:task_id>/publish/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/publish/confirm/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/publish/<int:version>/bundle/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/publish/<int:version>/embargo/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/publish/<int:version>/reviewers/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/publish/<int:version>/retract/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/publish/<int:version>/restore/": ONLY_POST
    | sends(POST=ORGANISERS),
    "results/<slug:digest>/": EMBARGOED | sends(GET=ONCE_PUBLISHED),
    "results/<slug:digest>/<str:file_name>": EMBARGOED | sends(GET=ONCE_PUBLISHED),
    "results/<slug:digest>/embed/": dict.fromkeys(ROLES, 404)
    | sends(GET=ONCE_PUBLISHED),
    "results/<slug:digest>/review/<str:token>/": dict.fromkeys(ROLES, 404)
    | sends(GET=WITH_LINK),
    "results/<slug:digest>/review/<str:token>/<str:file_name>": dict.fromkeys(
        ROLES,
        404,
    )
    | sends(GET=WITH_LINK),
    "api/v1/tasks/<int:task_id>/published-results/": MEMBERS_API
    | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/published-results/<int:version>/": MEMBERS_API
    | sends(PATCH=ORGANISERS),
    "api/v1/tasks/<int:task_id>/published-results/<int:version>/bundle/": MEMBERS_API
    | sends(POST=ORGANISERS),
}
