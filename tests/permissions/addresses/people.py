"""People of a campaign, pages and REST: judges, groups, members, invitations, panels, erasures."""

from collections.abc import Mapping
from typing import Final

from tests.permissions.addresses.answers import (
    MEMBERS_API,
    MEMBERS_PAGE,
    ONLY_POST,
    ONLY_POST_OF_MEMBERS,
    ORGANISERS_API,
    TO_SECTION,
)
from tests.permissions.audiences import (
    MEMBERS,
    ORGANISERS,
    OWNERS,
    THEMSELVES,
    Audience,
    sends,
)

ADDRESSES: Final[Mapping[str, Mapping[str, int | Audience]]] = {
    # Writing: tests/integration/people.
    "campaigns/<slug:slug>/people/judges/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/judges/add/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    # Writing: tests/integration/machines/test_organising.py.
    "campaigns/<slug:slug>/people/judges/machines/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/judges/<int:judge_id>/": TO_SECTION
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/judges/<int:judge_id>/link/": ONLY_POST
    | sends(POST=ORGANISERS),
    # Answering: tests/integration/people/test_erasure.py.
    "campaigns/<slug:slug>/people/erasures/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/erasures/<int:request_id>/carry-out/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/erasures/<int:request_id>/refuse/": ONLY_POST
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/erasures/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/erasures/<int:request_id>/carry-out/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/erasures/<int:request_id>/refuse/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/questions/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/groups/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/groups/<int:group_id>/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/groups/<int:group_id>/delete/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/time/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/people/time.csv": MEMBERS_PAGE,
    "campaigns/<slug:slug>/invitations/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/invitations/links/": ONLY_POST | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/invitations/links/<int:invitation_id>/revoke/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/invitations/links/<int:invitation_id>/restore/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/invitations/mails/": ONLY_POST | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/invitations/judges/<int:judge_id>/again/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/invitations/judges/<int:judge_id>/withdraw/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/invitations/judges/<int:judge_id>/readmit/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/invitations/judges/<int:judge_id>/link/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    # Who may: tests/integration/credentials/test_member_invitations.py and test_leaving.py.
    "campaigns/<slug:slug>/people/invitations/": ONLY_POST | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/invitations/<int:invitation_id>/withdraw/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/invitations/<int:invitation_id>/again/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/leave/": ONLY_POST | sends(POST=MEMBERS),
    "api/v1/campaigns/<slug:slug>/members/invitations/": MEMBERS_API
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/members/invitations/<int:invitation_id>/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(DELETE=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/members/leave/": {**ONLY_POST, "visitor": 401}
    | sends(POST=MEMBERS),
    "campaigns/<slug:slug>/people/<int:membership_id>/link/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/<int:membership_id>/alerts/": ONLY_POST
    | sends(POST=THEMSELVES),
    "campaigns/<slug:slug>/people/<int:membership_id>/role/": ONLY_POST
    | sends(POST=OWNERS),
    "campaigns/<slug:slug>/people/<int:membership_id>/remove/": ONLY_POST
    | sends(POST=OWNERS),
    # Writing: tests/integration/credentials/test_roles.py.
    "api/v1/campaigns/<slug:slug>/members/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/members/<int:membership_id>/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(PATCH=OWNERS, DELETE=OWNERS),
    "api/v1/campaigns/<slug:slug>/members/<int:membership_id>/link/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/panels/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/panels/<int:panel_id>/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/panels/<int:panel_id>/open/": ONLY_POST
    | sends(POST=ORGANISERS),
    # Ids of people at a service: organisers pay them, analysts need them not.
    "campaigns/<slug:slug>/panels/<int:panel_id>/participations.csv": {
        **MEMBERS_PAGE,
        "analyst": 403,
    },
    # Writing: tests/integration/rest/test_invitations.py.
    "api/v1/campaigns/<slug:slug>/invitations/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/invitations/links/": MEMBERS_API
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/invitations/links/<int:invitation_id>/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(PATCH=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/invitations/links/<int:invitation_id>/revoke/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/invitations/links/<int:invitation_id>/restore/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/invitations/judges/<int:judge_id>/again/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/invitations/judges/<int:judge_id>/withdraw/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/invitations/judges/<int:judge_id>/readmit/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    # Writing: tests/integration/rest/test_panels.py.
    "api/v1/campaigns/<slug:slug>/panels/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/panels/<int:panel_id>/": MEMBERS_API
    | sends(PATCH=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/panels/<int:panel_id>/open/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/panels/<int:panel_id>/participations/": MEMBERS_API,
    # Writing: tests/integration/rest/test_instructions.py.
    # Answers can identify a person: docs/privacy.md.
    "api/v1/campaigns/<slug:slug>/questions/": {**MEMBERS_API, "analyst": 403},
    "api/v1/campaigns/<slug:slug>/instructions/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/instructions/<int:version>/": MEMBERS_API,
    "api/v1/campaigns/<slug:slug>/judge-groups/": ORGANISERS_API
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/judge-groups/<int:group_id>/": ORGANISERS_API
    | sends(PATCH=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/judge-groups/<int:group_id>/judges/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/judge-groups/<int:group_id>/delete/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
}
