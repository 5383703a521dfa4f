"""Campaigns: REST."""

from collections.abc import Mapping
from typing import Final

from tests.permissions.addresses.answers import (
    MEMBERS_API,
    ONLY_POST,
    ONLY_POST_OF_MEMBERS,
    ORGANISERS_API,
    OWN_API,
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
    "api/v1/campaigns/<slug:slug>/webhooks/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/webhooks/<int:webhook_id>/": MEMBERS_API
    | sends(PATCH=ORGANISERS, DELETE=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/webhooks/<int:webhook_id>/secret/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/webhooks/<int:webhook_id>/test/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/webhooks/<int:webhook_id>/deliveries/": MEMBERS_API,
    "api/v1/campaigns/<slug:slug>/webhooks/<int:webhook_id>/deliveries/<int:delivery_id>/again/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    # Writing: tests/integration/machines/test_organising.py.
    "api/v1/campaigns/<slug:slug>/machines/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/machines/<int:machine_id>/": MEMBERS_API
    | sends(DELETE=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/machines/<int:machine_id>/token/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/tasks/": MEMBERS_API | sends(POST=ORGANISERS),
    # Writing: tests/integration/whole_campaigns/test_rehearsal_pages.py.
    "api/v1/campaigns/<slug:slug>/rehearsal/": ORGANISERS_API
    | sends(POST=ORGANISERS, DELETE=ORGANISERS),
    # Writing: tests/integration/annotation/test_campaign_states.py.
    "api/v1/campaigns/<slug:slug>/state/": MEMBERS_API | sends(PATCH=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/restore/": {**ONLY_POST, "visitor": 401}
    | sends(POST=OWNERS),
    "api/v1/campaigns/<slug:slug>/<slug:transition>/": {**ONLY_POST, "visitor": 401}
    | sends(POST=ORGANISERS),
    # Writing: tests/integration/whole_campaigns/test_cloning.py.
    "api/v1/campaigns/<slug:slug>/file/": ORGANISERS_API | sends(PUT=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/clone/": {**ONLY_POST_OF_MEMBERS, "visitor": 401}
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/": OWN_API | sends(POST=CAMPAIGN_MAKERS),
    "api/v1/campaigns/<slug:slug>/": MEMBERS_API | sends(PATCH=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/activity/": MEMBERS_API,
    "api/v1/campaigns/<slug:slug>/problem-reports/": ORGANISERS_API,
    "api/v1/campaigns/<slug:slug>/problem-reports/<int:report_id>/replies/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/problem-reports/<int:report_id>/replies/<int:number>/take-back/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    # Writing: tests/integration/people.
    "api/v1/campaigns/<slug:slug>/judges/": ORGANISERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/judges/<int:judge_id>/": ORGANISERS_API
    | sends(PATCH=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/judges/<int:judge_id>/link/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/alerts/": ORGANISERS_API,
    "api/v1/campaigns/<slug:slug>/overview/": ORGANISERS_API,
    "api/v1/campaigns/<slug:slug>/time/": ORGANISERS_API,
    # Writing: tests/integration/desk/test_alert_mails.py.
    "api/v1/campaigns/<slug:slug>/alerts/mail/": ORGANISERS_API | sends(PUT=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/rules/": MEMBERS_API | sends(POST=ORGANISERS),
    # Writing: tests/integration/ranking/test_rules.py.
    "api/v1/campaigns/<slug:slug>/rules/preview/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/rules/suggested/": MEMBERS_API
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/rules/<int:rule_id>/off/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/rules/<int:rule_id>/undo/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/rules/<int:rule_id>/act/": MEMBERS_API
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/uploads/": ORGANISERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/uploads/<uuid:upload_id>/": ORGANISERS_API
    | sends(PATCH=ORGANISERS, DELETE=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/uploads/<uuid:upload_id>/files/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/uploads/<uuid:upload_id>/files/<int:file_id>/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(DELETE=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/uploads/<uuid:upload_id>/files/<int:file_id>/content/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(PUT=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/uploads/<uuid:upload_id>/check/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/uploads/<uuid:upload_id>/import/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/jobs/": ORGANISERS_API,
    "api/v1/campaigns/<slug:slug>/jobs/<int:job_id>/": ORGANISERS_API,
    "api/v1/campaigns/<slug:slug>/jobs/<int:job_id>/stop/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/jobs/<int:job_id>/again/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/tables/": MEMBERS_API,
    "api/v1/campaigns/<slug:slug>/tables/<slug:name>/": MEMBERS_API
    | sends(POST=MEMBERS),
    "api/v1/campaigns/<slug:slug>/tables/<slug:name>/report.<str:ending>": MEMBERS_API,
}
