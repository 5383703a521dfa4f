"""Campaigns: pages."""

from collections.abc import Mapping
from typing import Final

from tests.permissions.addresses.answers import (
    EVERYBODY,
    MEMBERS_PAGE,
    NO_PLOT,
    ONLY_POST,
    ROLES,
    TO_SECTION,
)
from tests.permissions.audiences import (
    CAMPAIGN_MAKERS,
    MEMBERS,
    ORGANISERS,
    OWNERS,
    Audience,
    sends,
)

ADDRESSES: Final[Mapping[str, Mapping[str, int | Audience]]] = {
    "campaigns/<slug:slug>/test-sets/": MEMBERS_PAGE,
    "new-campaign/": dict.fromkeys(ROLES, 404)
    | {"visitor": 302, "organiser": 200, "other organiser": 200}
    | sends(POST=CAMPAIGN_MAKERS),
    # Writing: tests/integration/campaign_file.
    "new-campaign/file/": dict.fromkeys(ROLES, 404)
    | {"visitor": 302, "organiser": 200, "other organiser": 200}
    | sends(POST=CAMPAIGN_MAKERS),
    "campaigns/<slug:slug>/work/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/work/<int:job_id>/stop/": ONLY_POST | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/work/<int:job_id>/again/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/uploads/": ONLY_POST | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/uploads/<uuid:upload_id>/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    # Writing: tests/integration/webhooks.
    "campaigns/<slug:slug>/webhooks/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/webhooks/<int:webhook_id>/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/webhooks/<int:webhook_id>/deliveries/<int:delivery_id>/again/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/uploads/<uuid:upload_id>/progress/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/instructions/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/instructions/<int:version>/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/settings/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/state/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/state/<slug:transition>/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/clone/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/file/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/file/campaign.yaml": MEMBERS_PAGE,
    # Adding and deleting: tests/integration/whole_campaigns/test_tasks.py.
    "campaigns/<slug:slug>/add-task/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    # Asking: tests/integration/copying.
    "campaigns/<slug:slug>/rehearsal/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/rehearsal/end/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "bin/": {**EVERYBODY, "visitor": 302},
    "bin/<slug:slug>/restore/": ONLY_POST | sends(POST=OWNERS),
    "campaigns/<slug:slug>/activity/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/activity.csv": MEMBERS_PAGE,
    "campaigns/<slug:slug>/activity.jsonl": MEMBERS_PAGE,
    "campaigns/": {**EVERYBODY, "visitor": 302},
    "campaigns/<slug:slug>/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/problem-reports/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/problem-reports/<int:report_id>/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/problem-reports/<int:report_id>/replies/<int:number>/take-back/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/rules/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/rules/suggested/": ONLY_POST | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/rules/<int:rule_id>/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/rules/<int:rule_id>/off/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/rules/<int:rule_id>/undo/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/rules/<int:rule_id>/act/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tables/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tables/<slug:name>/": TO_SECTION
    | sends(GET=MEMBERS, POST=MEMBERS),
    "campaigns/<slug:slug>/tables/<slug:name>/report.<slug:ending>": MEMBERS_PAGE,
    # It has no part of this name.
    "campaigns/<slug:slug>/tables/<slug:name>/plots/<slug:table>.<slug:ending>": {
        **dict.fromkeys(ROLES, 404),
        "visitor": 302,
    }
    | sends(GET=MEMBERS),
    "campaigns/<slug:slug>/plots/<slug:table>.<slug:ending>": NO_PLOT
    | sends(GET=MEMBERS),
}
