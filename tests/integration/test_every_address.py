"""Who may open what: every address of the project, every role, two campaigns.

A new address fails the first test until it stands in the table.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from io import BytesIO
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Block, ProblemReport, QualityRule
from annotation.selectors import assigned_blocks
from annotation.services import hits_plan, judgment_submit, quality_rules_suggest
from campaign.models import (
    Campaign,
    Job,
    Judge,
    JudgeGroup,
    Membership,
    Panel,
    Task,
    Upload,
    User,
)
from campaign.services import instructions_accept, instructions_write, judge_group_create
from campaign.services.copies import copy_keep
from campaign.services.exported_files import exported_file_keep
from campaign.services.uploads import (
    upload_begin,
    upload_check,
    upload_file_add,
    upload_part_store,
)
from campaign.services.webhooks import webhook_create, webhook_test
from ranking.export.bundles import result_bundle_make
from ranking.models import Analysis, PublishedResult, RankingRun
from ranking.services import ranking_run_compute
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.publishing import result_publish
from tests.at_work import assignment_lend
from tests.factories import make_analyst, make_campaign, make_judge, make_organiser, make_task
from tests.permissions.audiences import (
    ACCOUNT_HOLDERS,
    ANYBODY,
    CAMPAIGN_MAKERS,
    JUDGES,
    JUDGES_ANYWHERE,
    MEMBERS,
    NOBODY,
    ONCE_PUBLISHED,
    ORGANISERS,
    OWNERS,
    SIGNED_IN,
    THE_SERVICE,
    THEMSELVES,
    WITH_LINK,
    WITH_PASSWORD,
    Audience,
    sends,
)
from tests.recruiting import make_panel

pytestmark = pytest.mark.django_db

ROLES = ("nobody", "judge", "organiser", "analyst", "other judge", "other organiser")
EVERYBODY = dict.fromkeys(ROLES, 200)

# What each role gets of campaign "mine", of which the "other" ones know nothing.
MEMBERS_PAGE = {
    "nobody": 302,
    "judge": 404,
    "organiser": 200,
    # What analysts may not change they read all the same; test_analysts.py opens and sends everything.
    "analyst": 200,
    "other judge": 404,
    "other organiser": 404,
}
MEMBERS_API = {**MEMBERS_PAGE, "nobody": 401}
# To where it is now, with what was sent.
LED_ON = {"organiser": 307, "analyst": 307}
ORGANISERS_API = MEMBERS_API
# What these do to strangers: tests/integration/controls/test_pages.py and arriving/test_organising.py.
ONLY_POST = dict.fromkeys(ROLES, 405)
# There is none of this name: tests/integration/ranking/test_plot_downloads.py.
NO_PLOT = {**dict.fromkeys(ROLES, 404), "nobody": 302}
# Lists that hold only what is one's own.
OWN_API = {**EVERYBODY, "nobody": 401}
# Strangers are not told that it is there, nor asked who they are.
EMBARGOED = {**MEMBERS_PAGE, "nobody": 404}
JUDGING_API = dict.fromkeys(ROLES, 404) | {"nobody": 401, "judge": 200}

ACCOUNT = {**EVERYBODY, "nobody": 302, "judge": 404, "other judge": 404}
AFTER_THE_PASSWORD = {**ACCOUNT, "organiser": 302, "other organiser": 302}

#: Who gets which status by GET, and who may send what (`sends`; what is not named there, nobody may).
#: docs/permissions.md is made of it: `.venv/bin/python -m tests.permissions > docs/permissions.md`.
ADDRESSES: Mapping[str, Mapping[str, int | Audience]] = {
    "healthz": EVERYBODY | sends(POST=ANYBODY, PUT=ANYBODY, PATCH=ANYBODY, DELETE=ANYBODY),
    "readyz": EVERYBODY | sends(POST=ANYBODY, PUT=ANYBODY, PATCH=ANYBODY, DELETE=ANYBODY),
    # For whoever names a token: tests/integration/operating.
    "metrics": dict.fromkeys(ROLES, 404),
    "api/schema/": EVERYBODY,
    "api/": EVERYBODY,
    "api/v1/": OWN_API,
    "sign-in/": {**dict.fromkeys(ROLES, 302), "nobody": 200}
    | sends(POST=ANYBODY, PUT=ANYBODY, PATCH=SIGNED_IN, DELETE=SIGNED_IN),
    # What they do to strangers: tests/integration/accounts.
    "sign-in/second-factor/": dict.fromkeys(ROLES, 302)
    | sends(GET=ANYBODY, POST=ANYBODY, PUT=ANYBODY, PATCH=ANYBODY, DELETE=ANYBODY),
    "sign-in/passkey/": dict.fromkeys(ROLES, 302)
    | sends(GET=ANYBODY, POST=ANYBODY, PUT=ANYBODY, PATCH=SIGNED_IN, DELETE=SIGNED_IN),
    "sign-in/forgotten/": EVERYBODY | sends(POST=ANYBODY),
    "sign-in/elsewhere/": dict.fromkeys(ROLES, 404) | sends(GET=NOBODY),
    "sign-in/elsewhere/back/": dict.fromkeys(ROLES, 404) | sends(GET=NOBODY),
    "i/<str:token>/password/": dict.fromkeys(ROLES, 404) | sends(GET=WITH_LINK, POST=WITH_LINK),
    "i/<str:token>/address/": dict.fromkeys(ROLES, 404) | sends(GET=WITH_LINK, POST=WITH_LINK),
    # One's own. Judges have none, and this analyst, who came by a link, has no password to give again.
    "account/": ACCOUNT | sends(POST=ACCOUNT_HOLDERS),
    "account/second-factors/": ACCOUNT,
    "account/password/": AFTER_THE_PASSWORD | sends(POST=ACCOUNT_HOLDERS),
    "account/address/": AFTER_THE_PASSWORD | sends(POST=ACCOUNT_HOLDERS),
    "account/again/": {**ACCOUNT, "analyst": 403}
    | sends(GET=WITH_PASSWORD, POST=WITH_PASSWORD, PUT=WITH_PASSWORD),
    "account/again/code/": {**AFTER_THE_PASSWORD, "analyst": 403}
    | sends(
        GET=WITH_PASSWORD,
        POST=WITH_PASSWORD,
        PUT=WITH_PASSWORD,
        PATCH=WITH_PASSWORD,
        DELETE=WITH_PASSWORD,
    ),
    "account/again/passkey/": {**AFTER_THE_PASSWORD, "analyst": 403}
    | sends(
        GET=WITH_PASSWORD,
        POST=WITH_PASSWORD,
        PUT=WITH_PASSWORD,
        PATCH=WITH_PASSWORD,
        DELETE=WITH_PASSWORD,
    ),
    "account/second-factors/app/": AFTER_THE_PASSWORD
    | sends(POST=ACCOUNT_HOLDERS, PUT=ACCOUNT_HOLDERS, PATCH=WITH_PASSWORD, DELETE=WITH_PASSWORD),
    "account/second-factors/app/remove/": {**dict.fromkeys(ROLES, 404), "nobody": 302}
    | sends(GET=ACCOUNT_HOLDERS, POST=ACCOUNT_HOLDERS),
    "account/second-factors/codes/": {**dict.fromkeys(ROLES, 404), "nobody": 302}
    | sends(GET=ACCOUNT_HOLDERS),
    "account/second-factors/codes/new/": AFTER_THE_PASSWORD
    | sends(POST=ACCOUNT_HOLDERS, PUT=ACCOUNT_HOLDERS, PATCH=WITH_PASSWORD, DELETE=WITH_PASSWORD),
    "account/second-factors/codes/download/": {**dict.fromkeys(ROLES, 404), "nobody": 302}
    | sends(GET=ACCOUNT_HOLDERS),
    "account/second-factors/passkeys/new/": AFTER_THE_PASSWORD
    | sends(POST=ACCOUNT_HOLDERS, PUT=ACCOUNT_HOLDERS, PATCH=WITH_PASSWORD, DELETE=WITH_PASSWORD),
    "account/second-factors/passkeys/<int:pk>/": {**AFTER_THE_PASSWORD, "analyst": 404}
    | sends(
        GET=WITH_PASSWORD,
        POST=WITH_PASSWORD,
        PUT=WITH_PASSWORD,
        PATCH=WITH_PASSWORD,
        DELETE=WITH_PASSWORD,
    ),
    "language/": ONLY_POST | sends(POST=ANYBODY),
    "sign-out/": dict.fromkeys(ROLES, 405) | sends(POST=ANYBODY),
    "i/<str:token>/": dict.fromkeys(ROLES, 404) | sends(GET=WITH_LINK, POST=WITH_LINK),
    # Who may: tests/integration/credentials/test_organiser_accounts.py.
    "i/<str:token>/account/": dict.fromkeys(ROLES, 404) | sends(GET=WITH_LINK, POST=WITH_LINK),
    "": {
        "nobody": 302,
        "judge": 302,
        "organiser": 302,
        "analyst": 302,
        "other judge": 302,
        "other organiser": 302,
    },
    # A script, the same for everybody.
    "judge/worker.js": EVERYBODY,
    "judge/<slug:slug>/": dict.fromkeys(ROLES, 404) | {"nobody": 302, "judge": 200},
    "judge/<slug:slug>/instructions/": dict.fromkeys(ROLES, 404)
    | {"nobody": 302, "judge": 200}
    | sends(POST=JUDGES),
    # There is nothing to choose from: on to work.
    "judge/<slug:slug>/test-sets/": dict.fromkeys(ROLES, 404)
    | {"nobody": 302, "judge": 302}
    | sends(POST=JUDGES),
    "judge/<slug:slug>/link/": dict.fromkeys(ROLES, 404)
    | {"nobody": 302, "judge": 200}
    | sends(POST=JUDGES),
    "judge/<slug:slug>/decline/": dict.fromkeys(ROLES, 404)
    | {"nobody": 302, "judge": 200}
    | sends(POST=JUDGES),
    "judge/<slug:slug>/data/": dict.fromkeys(ROLES, 404)
    | {"nobody": 302, "judge": 200}
    | sends(POST=JUDGES),
    "judge/<slug:slug>/data.zip": dict.fromkeys(ROLES, 404) | {"nobody": 302, "judge": 200},
    "judge/<slug:slug>/time/": dict.fromkeys(ROLES, 404) | {"nobody": 302, "judge": 200},
    "judge/<slug:slug>/time.csv": dict.fromkeys(ROLES, 404) | {"nobody": 302, "judge": 200},
    "campaigns/<slug:slug>/test-sets/": MEMBERS_PAGE,
    # They lead to the ranking of the test set: tests/integration/test_test_set_addresses.py.
    "campaigns/<slug:slug>/test-sets/<int:test_set_id>/": MEMBERS_PAGE
    | LED_ON
    | sends(POST=MEMBERS, PUT=MEMBERS, PATCH=MEMBERS, DELETE=MEMBERS),
    "campaigns/<slug:slug>/test-sets/<int:test_set_id>/<path:rest>": MEMBERS_PAGE
    | LED_ON
    | sends(POST=MEMBERS, PUT=MEMBERS, PATCH=MEMBERS, DELETE=MEMBERS),
    "api/v1/test-sets/<int:test_set_id>/": MEMBERS_API
    | LED_ON
    | sends(POST=MEMBERS, PUT=MEMBERS, PATCH=MEMBERS, DELETE=MEMBERS),
    "api/v1/test-sets/<int:test_set_id>/<path:rest>": MEMBERS_API
    | LED_ON
    | sends(POST=MEMBERS, PUT=MEMBERS, PATCH=MEMBERS, DELETE=MEMBERS),
    "new-campaign/": dict.fromkeys(ROLES, 404)
    | {"nobody": 302, "organiser": 200, "other organiser": 200}
    | sends(POST=CAMPAIGN_MAKERS),
    # Writing: tests/integration/campaign_file.
    "new-campaign/file/": dict.fromkeys(ROLES, 404)
    | {"nobody": 302, "organiser": 200, "other organiser": 200}
    | sends(POST=CAMPAIGN_MAKERS),
    "campaigns/<slug:slug>/work/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/work/<int:job_id>/stop/": ONLY_POST | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/work/<int:job_id>/again/": ONLY_POST | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/uploads/": ONLY_POST | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/uploads/<uuid:upload_id>/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    # Writing: tests/integration/webhooks.
    "campaigns/<slug:slug>/webhooks/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/webhooks/<int:webhook_id>/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/webhooks/<int:webhook_id>/deliveries/<int:delivery_id>/again/": ONLY_POST
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/webhooks/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/webhooks/<int:webhook_id>/": MEMBERS_API
    | sends(PATCH=ORGANISERS, DELETE=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/webhooks/<int:webhook_id>/secret/": {**ONLY_POST, "nobody": 401}
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/webhooks/<int:webhook_id>/test/": {**ONLY_POST, "nobody": 401}
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/webhooks/<int:webhook_id>/deliveries/": MEMBERS_API,
    "api/v1/campaigns/<slug:slug>/webhooks/<int:webhook_id>/deliveries/<int:delivery_id>/again/": {
        **ONLY_POST,
        "nobody": 401,
    }
    | sends(POST=ORGANISERS),
    # One's own; what tokens reach: tests/integration/credentials/test_token_scopes.py.
    "api/v1/tokens/": OWN_API | sends(POST=SIGNED_IN, DELETE=SIGNED_IN),
    "api/v1/tokens/<int:token_id>/": {**ONLY_POST, "nobody": 401} | sends(DELETE=SIGNED_IN),
    "campaigns/<slug:slug>/uploads/<uuid:upload_id>/progress/": MEMBERS_PAGE,
    # Writing: tests/integration/people.
    "campaigns/<slug:slug>/people/judges/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/judges/add/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/judges/<int:judge_id>/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/judges/<int:judge_id>/link/": ONLY_POST | sends(POST=ORGANISERS),
    # Answering: tests/integration/people/test_erasure.py.
    "campaigns/<slug:slug>/people/erasures/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/erasures/<int:request_id>/carry-out/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/erasures/<int:request_id>/refuse/": ONLY_POST
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/erasures/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/erasures/<int:request_id>/carry-out/": {
        **ONLY_POST,
        "nobody": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/erasures/<int:request_id>/refuse/": {**ONLY_POST, "nobody": 401}
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/groups/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/groups/<int:group_id>/": MEMBERS_PAGE | sends(POST=ORGANISERS),
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
    "api/v1/campaigns/<slug:slug>/members/invitations/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/members/invitations/<int:invitation_id>/": {
        **ONLY_POST,
        "nobody": 401,
    }
    | sends(DELETE=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/members/leave/": {**ONLY_POST, "nobody": 401}
    | sends(POST=MEMBERS),
    "campaigns/<slug:slug>/people/<int:membership_id>/link/": ONLY_POST | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/people/<int:membership_id>/alerts/": ONLY_POST | sends(POST=THEMSELVES),
    "campaigns/<slug:slug>/people/<int:membership_id>/role/": ONLY_POST | sends(POST=OWNERS),
    "campaigns/<slug:slug>/people/<int:membership_id>/remove/": ONLY_POST | sends(POST=OWNERS),
    # Writing: tests/integration/credentials/test_roles.py.
    "api/v1/campaigns/<slug:slug>/members/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/members/<int:membership_id>/": {**ONLY_POST, "nobody": 401}
    | sends(PATCH=OWNERS, DELETE=OWNERS),
    "api/v1/campaigns/<slug:slug>/members/<int:membership_id>/link/": {**ONLY_POST, "nobody": 401}
    | sends(POST=ORGANISERS),
    # One's own, whoever one is.
    "credentials/": {**EVERYBODY, "nobody": 302} | sends(POST=SIGNED_IN),
    "campaigns/<slug:slug>/instructions/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/instructions/<int:version>/": MEMBERS_PAGE,
    # Nobody here came from a panel.
    "judge/<slug:slug>/completion/": {**dict.fromkeys(ROLES, 404), "nobody": 302}
    | sends(GET=JUDGES),
    "panel/<slug:token>/": dict.fromkeys(ROLES, 404) | sends(GET=WITH_LINK, POST=WITH_LINK),
    "panel/<slug:token>/events/": ONLY_POST | sends(POST=THE_SERVICE),
    # What an organiser looks at as judges do: tests/integration/annotation/test_preview.py.
    "campaigns/<slug:slug>/as-judge/": {**MEMBERS_PAGE, "organiser": 302, "analyst": 302},
    "campaigns/<slug:slug>/tasks/<int:task_id>/as-judge/": {
        **MEMBERS_PAGE,
        "organiser": 302,
        "analyst": 302,
    },
    "campaigns/<slug:slug>/tasks/<int:task_id>/as-judge/instructions/": MEMBERS_PAGE,
    # There is none in this campaign.
    "campaigns/<slug:slug>/tasks/<int:task_id>/as-judge/tour/": {
        **MEMBERS_PAGE,
        "organiser": 302,
        "analyst": 302,
    }
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/as-judge/sentences/": MEMBERS_PAGE,
    "api/v1/tasks/<int:task_id>/as-judge/assignments/": ORGANISERS_API | sends(POST=MEMBERS),
    "api/v1/tasks/<int:task_id>/as-judge/judgments/": ORGANISERS_API,
    "api/v1/tasks/<int:task_id>/as-judge/judgments/<uuid:client_id>/": ORGANISERS_API
    | sends(PUT=MEMBERS),
    "api/v1/tasks/<int:task_id>/as-judge/skips/<uuid:client_id>/": ORGANISERS_API
    | sends(PUT=MEMBERS),
    "api/v1/tasks/<int:task_id>/as-judge/problem-reports/<uuid:client_id>/": ORGANISERS_API
    | sends(PUT=MEMBERS),
    "api/v1/tasks/<int:task_id>/as-judge/progress/": ORGANISERS_API,
    "api/v1/tasks/<int:task_id>/as-judge/work-time/": ORGANISERS_API,
    "campaigns/<slug:slug>/panels/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/panels/<int:panel_id>/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/panels/<int:panel_id>/open/": ONLY_POST | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/panels/<int:panel_id>/topic/": ONLY_POST | sends(POST=ORGANISERS),
    # Ids of people at a service: organisers pay them, analysts need them not.
    "campaigns/<slug:slug>/panels/<int:panel_id>/participations.csv": {
        **MEMBERS_PAGE,
        "analyst": 403,
    },
    # Who has been there may go again; where a campaign has none it leads to the work.
    "judge/<slug:slug>/tour/": dict.fromkeys(ROLES, 404)
    | {"nobody": 302, "judge": 302}
    | sends(POST=JUDGES),
    "campaigns/<slug:slug>/settings/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/state/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/state/<slug:transition>/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/clone/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/file/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/file/campaign.yaml": MEMBERS_PAGE,
    # Adding and deleting: tests/integration/cells/test_tasks.py.
    "campaigns/<slug:slug>/add-task/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/delete/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/tasks/": MEMBERS_API | sends(POST=ORGANISERS),
    # Asking: tests/integration/copying.
    "campaigns/<slug:slug>/copies/": MEMBERS_PAGE | sends(POST=MEMBERS),
    "campaigns/<slug:slug>/copies/<int:copy_id>.zip": MEMBERS_PAGE,
    "api/v1/campaigns/<slug:slug>/copies/": MEMBERS_API | sends(POST=MEMBERS),
    "api/v1/campaigns/<slug:slug>/copies/<int:copy_id>/": MEMBERS_API,
    "campaigns/<slug:slug>/rehearsal/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/rehearsal/end/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    # Writing: tests/integration/cells/test_rehearsal_pages.py.
    "api/v1/campaigns/<slug:slug>/rehearsal/": ORGANISERS_API
    | sends(POST=ORGANISERS, DELETE=ORGANISERS),
    "bin/": {**EVERYBODY, "nobody": 302},
    "bin/<slug:slug>/restore/": ONLY_POST | sends(POST=OWNERS),
    # Writing: tests/integration/annotation/test_campaign_states.py.
    "api/v1/campaigns/<slug:slug>/state/": MEMBERS_API | sends(PATCH=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/restore/": {**ONLY_POST, "nobody": 401} | sends(POST=OWNERS),
    "api/v1/campaigns/<slug:slug>/<slug:transition>/": {**ONLY_POST, "nobody": 401}
    | sends(POST=ORGANISERS),
    # Writing: tests/integration/cells/test_cloning.py.
    "api/v1/campaigns/<slug:slug>/file/": ORGANISERS_API | sends(PUT=ORGANISERS),
    "api/v1/schemas/campaign.json": EVERYBODY,
    "api/v1/campaigns/<slug:slug>/clone/": {**ONLY_POST, "nobody": 401} | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/activity/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/activity.csv": MEMBERS_PAGE,
    "campaigns/<slug:slug>/activity.jsonl": MEMBERS_PAGE,
    "campaigns/": {**EVERYBODY, "nobody": 302},
    "campaigns/<slug:slug>/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/": MEMBERS_PAGE,
    # A fragment for a script, which must not follow a redirect into a page.
    "campaigns/<slug:slug>/tasks/<int:task_id>/live/": {**MEMBERS_PAGE, "nobody": 401},
    "campaigns/<slug:slug>/tasks/<int:task_id>/judgments.csv": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/judges/": MEMBERS_PAGE,
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
    # Where the operator allows it: tests/integration/publishing/test_zenodo.py.
    "campaigns/<slug:slug>/tasks/<int:task_id>/publish/<int:version>/zenodo/": dict.fromkeys(
        ROLES, 404
    )
    | sends(GET=MEMBERS, POST=ORGANISERS),
    "results/<slug:digest>/": EMBARGOED | sends(GET=ONCE_PUBLISHED),
    "results/<slug:digest>/<str:file_name>": EMBARGOED | sends(GET=ONCE_PUBLISHED),
    "results/<slug:digest>/embed/": dict.fromkeys(ROLES, 404) | sends(GET=ONCE_PUBLISHED),
    "results/<slug:digest>/review/<str:token>/": dict.fromkeys(ROLES, 404) | sends(GET=WITH_LINK),
    "results/<slug:digest>/review/<str:token>/<str:file_name>": dict.fromkeys(ROLES, 404)
    | sends(GET=WITH_LINK),
    "campaigns/<slug:slug>/tasks/<int:task_id>/judges/<int:judge_id>/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/texts/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/judges/<int:judge_id>/act/": ONLY_POST
    | sends(POST=ORGANISERS),
    # Writing: tests/integration/controls/test_decisions.py.
    "campaigns/<slug:slug>/tasks/<int:task_id>/judges/act/": ONLY_POST | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/judges/acted/<uuid:batch>/": {
        **dict.fromkeys(ROLES, 404),
        "nobody": 302,
    }
    | sends(GET=MEMBERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/judges/acted/<uuid:batch>/undo/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/actions/<int:action_id>/revert/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/bad-references/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/settings/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/skips/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/bad-references/<int:bad_reference_id>/": (
        ONLY_POST | sends(POST=ORGANISERS)
    ),
    "campaigns/<slug:slug>/tasks/<int:task_id>/training/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/training/<int:block_id>/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/problem-reports/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/problem-reports/<int:report_id>/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/problem-reports/<int:report_id>/replies/<int:number>/take-back/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/rules/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/rules/suggested/": ONLY_POST | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/rules/<int:rule_id>/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/rules/<int:rule_id>/off/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/rules/<int:rule_id>/undo/": ONLY_POST | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/rules/<int:rule_id>/act/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/hits/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/hits/<int:number>/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/judgments/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/judgments/<int:number>/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/design/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/design/preview/": ONLY_POST | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/design/forecast/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/design/<int:design_id>/again/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/systems/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/systems/add/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    # Of quizzes alone: tests/integration/protocols/test_snippets.py.
    "campaigns/<slug:slug>/tasks/<int:task_id>/snippets/": NO_PLOT
    | sends(GET=MEMBERS, POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/snippets/": {**dict.fromkeys(ROLES, 404), "nobody": 401}
    | sends(GET=MEMBERS, PUT=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/systems/<int:system_id>/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/systems/<int:system_id>/withdraw/": (
        MEMBERS_PAGE | sends(POST=ORGANISERS)
    ),
    "campaigns/<slug:slug>/tasks/<int:task_id>/systems/<int:system_id>/restore/": (
        ONLY_POST | sends(POST=ORGANISERS)
    ),
    "campaigns/<slug:slug>/tasks/<int:task_id>/close/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    # Importing: tests/integration/protocols/test_spans_import.py.
    "campaigns/<slug:slug>/tasks/<int:task_id>/answers/": MEMBERS_PAGE | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/exports/": MEMBERS_PAGE | sends(POST=MEMBERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/exports/<int:export_id>/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/reopen/": ONLY_POST | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/ranking-settings/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/stopping-rule/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/systems/<int:system_id>/results/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/systems/<int:system_id>/results/ask/": ONLY_POST
    | sends(POST=MEMBERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/segments/<int:number>/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/analyses/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tables/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tables/<slug:name>/": MEMBERS_PAGE | sends(POST=MEMBERS),
    "campaigns/<slug:slug>/tables/<slug:name>/report.<slug:ending>": MEMBERS_PAGE,
    # It has no part of this name.
    "campaigns/<slug:slug>/tables/<slug:name>/plots/<slug:table>.<slug:ending>": {
        **dict.fromkeys(ROLES, 404),
        "nobody": 302,
    }
    | sends(GET=MEMBERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/analyses/<slug:kind>/": MEMBERS_PAGE
    | sends(POST=MEMBERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/analyses/<int:analysis_id>/report.<slug:ending>": (
        MEMBERS_PAGE
    ),
    # No table of this analysis is drawn.
    "campaigns/<slug:slug>/tasks/<int:task_id>/analyses/<int:analysis_id>/plots/<slug:table>.<slug:ending>": {
        **dict.fromkeys(ROLES, 404),
        "nobody": 302,
    }
    | sends(GET=MEMBERS),
    "campaigns/<slug:slug>/plots/<slug:table>.<slug:ending>": NO_PLOT | sends(GET=MEMBERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/plots/<slug:table>.<slug:ending>": NO_PLOT
    | sends(GET=MEMBERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/judges/<int:judge_id>/plots/<slug:table>.<slug:ending>": NO_PLOT
    | sends(GET=MEMBERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/ranking/keep/": ONLY_POST | sends(POST=ORGANISERS),
    # Writing: tests/integration/rest/test_ranking_settings.py.
    "api/v1/tasks/<int:task_id>/ranking-settings/": MEMBERS_API | sends(PATCH=ORGANISERS),
    # Writing: tests/integration/ranking/test_stopping_rules.py.
    "api/v1/tasks/<int:task_id>/stopping-rule/": MEMBERS_API | sends(PUT=ORGANISERS),
    # Writing: tests/integration/rest/test_designs.py.
    "api/v1/tasks/<int:task_id>/designs/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/designs/preview/": {**ONLY_POST, "nobody": 401}
    | sends(POST=MEMBERS),
    "api/v1/tasks/<int:task_id>/designs/forecast/": {**ONLY_POST, "nobody": 401}
    | sends(POST=MEMBERS),
    "api/v1/tasks/<int:task_id>/designs/<int:design_id>/again/": {
        **ONLY_POST,
        "nobody": 401,
    }
    | sends(POST=ORGANISERS),
    # Writing: tests/integration/annotation/test_systems.py.
    "api/v1/tasks/<int:task_id>/systems/<int:system_id>/": MEMBERS_API | sends(PATCH=ORGANISERS),
    "api/v1/tasks/<int:task_id>/systems/<int:system_id>/withdraw/": {
        **ONLY_POST,
        "nobody": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/systems/<int:system_id>/restore/": {
        **ONLY_POST,
        "nobody": 401,
    }
    | sends(POST=ORGANISERS),
    # Writing: tests/integration/annotation/test_closing.py.
    "api/v1/tasks/<int:task_id>/closing/": MEMBERS_API | sends(PUT=ORGANISERS),
    "api/v1/tasks/<int:task_id>/answers/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/exports/": MEMBERS_API | sends(POST=MEMBERS),
    "api/v1/tasks/<int:task_id>/exports/kinds/": MEMBERS_API,
    # Without parameters; with them: tests/integration/exports.
    "api/v1/tasks/<int:task_id>/exports/stream/": {
        **MEMBERS_API,
        "organiser": 400,
        "analyst": 400,
    }
    | sends(GET=MEMBERS),
    "api/v1/tasks/<int:task_id>/exports/<int:export_id>/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/exports/<int:export_id>/content/": MEMBERS_API,
    # Why a HIT was drawn tells of systems: organisers need it, nobody else.
    "api/v1/tasks/<int:task_id>/hits/": MEMBERS_API,
    "api/v1/judging/assignments/": {
        **dict.fromkeys(ROLES, 403),
        "nobody": 401,
        "judge": 200,
    }
    | sends(POST=JUDGES),
    "api/v1/judging/judgments/": {**dict.fromkeys(ROLES, 403), "nobody": 401, "judge": 200},
    "api/v1/judging/judgments/<uuid:client_id>/": JUDGING_API | sends(PUT=JUDGES),
    "api/v1/judging/problem-reports/": {
        **dict.fromkeys(ROLES, 403),
        "nobody": 401,
        "judge": 200,
    },
    "api/v1/judging/problem-reports/<uuid:client_id>/": JUDGING_API | sends(PUT=JUDGES),
    "api/v1/judging/skips/<uuid:client_id>/": JUDGING_API | sends(PUT=JUDGES),
    "api/v1/judging/data/": {**dict.fromkeys(ROLES, 403), "nobody": 401, "judge": 200},
    "api/v1/judging/erasure/": {**dict.fromkeys(ROLES, 403), "nobody": 401, "judge": 200}
    # Without `campaign`, of the one where they judge.
    | sends(POST=JUDGES_ANYWHERE, DELETE=JUDGES_ANYWHERE),
    "api/v1/judging/work-time/": {**dict.fromkeys(ROLES, 403), "nobody": 401, "judge": 200},
    "api/v1/judging/progress/": {**dict.fromkeys(ROLES, 403), "nobody": 401, "judge": 200},
    "api/v1/campaigns/": OWN_API,
    "api/v1/campaigns/<slug:slug>/": MEMBERS_API | sends(PATCH=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/activity/": MEMBERS_API,
    "api/v1/campaigns/<slug:slug>/problem-reports/": ORGANISERS_API,
    "api/v1/campaigns/<slug:slug>/problem-reports/<int:report_id>/replies/": {
        **ONLY_POST,
        "nobody": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/problem-reports/<int:report_id>/replies/<int:number>/take-back/": {
        **ONLY_POST,
        "nobody": 401,
    }
    | sends(POST=ORGANISERS),
    # Writing: tests/integration/people.
    "api/v1/campaigns/<slug:slug>/judges/": ORGANISERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/judges/<int:judge_id>/": ORGANISERS_API | sends(PATCH=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/judges/<int:judge_id>/link/": {**ONLY_POST, "nobody": 401}
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/judge-groups/": ORGANISERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/judge-groups/<int:group_id>/": ORGANISERS_API
    | sends(PATCH=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/judge-groups/<int:group_id>/judges/": {
        **ONLY_POST,
        "nobody": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/judge-groups/<int:group_id>/delete/": {
        **ONLY_POST,
        "nobody": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/alerts/": ORGANISERS_API,
    "api/v1/campaigns/<slug:slug>/overview/": ORGANISERS_API,
    "api/v1/campaigns/<slug:slug>/time/": ORGANISERS_API,
    # Writing: tests/integration/alerts/test_mails.py.
    "api/v1/campaigns/<slug:slug>/alerts/mail/": ORGANISERS_API | sends(PUT=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/rules/": MEMBERS_API | sends(POST=ORGANISERS),
    # Writing: tests/integration/ranking/test_rules.py.
    "api/v1/campaigns/<slug:slug>/rules/preview/": {**ONLY_POST, "nobody": 401}
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/rules/suggested/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/rules/<int:rule_id>/off/": {**ONLY_POST, "nobody": 401}
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/rules/<int:rule_id>/undo/": {**ONLY_POST, "nobody": 401}
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/rules/<int:rule_id>/act/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/uploads/": ORGANISERS_API | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/uploads/<uuid:upload_id>/": ORGANISERS_API
    | sends(PATCH=ORGANISERS, DELETE=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/uploads/<uuid:upload_id>/files/": {**ONLY_POST, "nobody": 401}
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/uploads/<uuid:upload_id>/files/<int:file_id>/": {
        **ONLY_POST,
        "nobody": 401,
    }
    | sends(DELETE=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/uploads/<uuid:upload_id>/files/<int:file_id>/content/": {
        **ONLY_POST,
        "nobody": 401,
    }
    | sends(PUT=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/uploads/<uuid:upload_id>/check/": {**ONLY_POST, "nobody": 401}
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/uploads/<uuid:upload_id>/import/": {**ONLY_POST, "nobody": 401}
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/jobs/": ORGANISERS_API,
    "api/v1/campaigns/<slug:slug>/jobs/<int:job_id>/": ORGANISERS_API,
    "api/v1/campaigns/<slug:slug>/jobs/<int:job_id>/stop/": {**ONLY_POST, "nobody": 401}
    | sends(POST=ORGANISERS),
    "api/v1/campaigns/<slug:slug>/jobs/<int:job_id>/again/": {**ONLY_POST, "nobody": 401}
    | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/": MEMBERS_API | sends(PATCH=ORGANISERS, DELETE=ORGANISERS),
    "api/v1/tasks/<int:task_id>/systems/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/segments/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/segments/<int:number>/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/skips/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/judgments/": MEMBERS_API,
    "api/v1/campaigns/<slug:slug>/tables/": MEMBERS_API,
    "api/v1/campaigns/<slug:slug>/tables/<slug:name>/": MEMBERS_API | sends(POST=MEMBERS),
    "api/v1/campaigns/<slug:slug>/tables/<slug:name>/report.<str:ending>": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/analyses/": MEMBERS_API | sends(POST=MEMBERS),
    "api/v1/tasks/<int:task_id>/analyses/kinds/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/analyses/<int:analysis_id>/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/analyses/<int:analysis_id>/report.<str:ending>": (MEMBERS_API),
    "api/v1/tasks/<int:task_id>/rankings/": MEMBERS_API | sends(POST=MEMBERS),
    "api/v1/tasks/<int:task_id>/rankings/keep/": {**ONLY_POST, "nobody": 401}
    | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/rankings/latest/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/rankings/<int:ranking_id>/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/published-results/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/published-results/<int:version>/": MEMBERS_API
    | sends(PATCH=ORGANISERS),
    "api/v1/tasks/<int:task_id>/published-results/<int:version>/bundle/": MEMBERS_API
    | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/judges/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/quality-actions/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/quality-actions/<int:action_id>/revert/": {
        **ONLY_POST,
        "nobody": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/quality-actions/<uuid:batch>/undo/": {
        **ONLY_POST,
        "nobody": 401,
    }
    | sends(POST=ORGANISERS),
}


@dataclass(frozen=True)
class World:
    """Campaign "mine" with a judge, an organiser, an analyst and a ranking; and another."""

    campaign: Campaign
    task: Task
    run: RankingRun
    users: dict[str, User | None]
    block: Block
    rule: QualityRule
    panel: Panel
    upload: Upload
    report: ProblemReport
    job: Job
    judge: Judge
    membership: Membership
    group: JudgeGroup
    published: PublishedResult

    def client(self, role: str) -> APIClient:
        client = APIClient()
        user = self.users[role]
        if user is not None:
            client.force_login(user)
        return client

    def fill(self, route: str) -> str:
        # A new one each time: what is sent with it is new, too.
        for name in ("<uuid:client_id>", "<uuid:batch>"):
            route = route.replace(name, str(uuid4()))
        for name, part in self._parts.items():
            route = route.replace(name, part)
        return f"/{route}"

    @cached_property
    def _parts(self) -> dict[str, str]:
        return {
            "<slug:slug>": self.campaign.slug,
            "<int:test_set_id>": str(self.task.test_set_id),
            "<path:rest>": "systems/",
            "<int:task_id>": str(self.task.pk),
            "<int:ranking_id>": str(self.run.pk),
            "<int:rule_id>": str(self.rule.pk),
            "<int:panel_id>": str(self.panel.pk),
            "<int:analysis_id>": str(Analysis.objects.get(task=self.task).pk),
            "<slug:kind>": "ranking",
            "<slug:name>": "clusters",
            "<slug:ending>": "json",
            "<str:ending>": "json",
            "<slug:table>": "rankings",
            "<int:judge_id>": str(self.judge.pk),
            "<int:design_id>": str(self.task.designs.earliest("pk").pk),
            "<int:system_id>": str(self.task.test_set.systems.earliest("pk").pk),
            "<int:membership_id>": str(self.membership.pk),
            "<int:action_id>": "1",
            "<int:pk>": "1",
            "<int:invitation_id>": "1",
            "<int:version>": "1",
            "<slug:transition>": "pause",
            "<int:number>": "1",
            "<int:report_id>": str(self.report.pk),
            "<int:bad_reference_id>": "1",
            "<int:block_id>": "1",
            "<uuid:upload_id>": str(self.upload.pk),
            "<int:file_id>": "1",
            "<int:job_id>": str(self.job.pk),
            "<int:group_id>": str(self.group.pk),
            "<int:request_id>": "1",
            "<int:webhook_id>": str(self.campaign.webhook_endpoints.get().pk),
            "<int:delivery_id>": str(self.campaign.webhook_endpoints.get().deliveries.get().pk),
            "<int:token_id>": "1",
            "<int:copy_id>": str(self.campaign.copies.get().pk),
            "<int:export_id>": str(self.task.exported_files.get().pk),
            "<slug:digest>": self.published.address,
            "<str:file_name>": "ranking.csv",
            "<str:token>": "no-such-token",
            "<slug:token>": "no-such-token",
        }


def make_world() -> World:
    mine = make_task(make_campaign("mine"), name="SECRET-NEWS", systems=("secretron", "b"))
    other = make_task(make_campaign("other"))
    judge = make_judge(mine.test_set.campaign, "secret-judge")
    instructions = instructions_write(
        campaign=mine.test_set.campaign, language="en", text="SECRET-WORDS", demands_acceptance=True
    )
    instructions_accept(judge=judge, instructions=instructions)
    hits_plan(task_id=mine.pk, count=3)
    block = _judge_one_block(judge)
    report = ProblemReport.objects.create(
        client_id=uuid4(), judge=judge, block=block, task=mine, kind="page"
    )
    run = ranking_run_compute(task_id=mine.pk)
    assert run is not None
    make_organiser(mine.test_set.campaign, "owner@example.org")
    organiser = make_organiser(mine.test_set.campaign)
    analyst = make_analyst(mine.test_set.campaign)
    asked = analysis_choice("diagnosis", {})
    analysis_compute(analysis=analysis_ask(task=mine, choice=asked, is_queued=False))
    upload = upload_begin(campaign=mine.test_set.campaign)
    file = upload_file_add(upload=upload, name="SECRET-FILE.txt", size=2)
    upload_part_store(file=file, offset=0, content=b"a\n")
    endpoint = webhook_create(
        campaign=mine.test_set.campaign,
        url="https://example.org/SECRET-FILE",
        events=["campaign.closed"],
    )
    webhook_test(endpoint=endpoint)
    copy_keep(
        campaign=mine.test_set.campaign,
        zipped=BytesIO(b"SECRET-NEWS"),
        pages=1,
        with_texts=False,
        language="en",
        by=None,
    )
    exported_file_keep(
        task=mine,
        content=[b"SECRET-EXPORT"],
        by=None,
        kind="counted",
        file_format="five-way-csv",
        name="SECRET-EXPORT.csv",
        until=1,
        watermark=1,
    )
    published = result_publish(
        task=mine, by=organiser, embargo_until=timezone.now() + timedelta(days=1)
    )
    result_bundle_make(bundle=published.bundle)
    return World(
        judge=judge,
        membership=Membership.objects.get(user=organiser),
        group=judge_group_create(campaign=mine.test_set.campaign, name="SECRET-GROUP"),
        campaign=mine.test_set.campaign,
        task=mine,
        run=run,
        block=block,
        rule=quality_rules_suggest(campaign=mine.test_set.campaign, user=None)[0],
        panel=make_panel(mine.test_set.campaign, name="SECRET-PANEL"),
        published=published,
        upload=upload,
        report=report,
        job=upload_check(upload=upload),
        users={
            "nobody": None,
            "judge": judge.user,
            "organiser": organiser,
            "analyst": analyst,
            "other judge": make_judge(other.test_set.campaign).user,
            "other organiser": make_organiser(other.test_set.campaign, "other@example.org"),
        },
    )


@pytest.fixture
def world() -> World:
    return make_world()


def _judge_one_block(judge: Judge) -> Block:
    assignment = assignment_lend(judge=judge)
    assert assignment is not None
    assigned = assigned_blocks(assignment)[0]
    labels = list(range(1, len(assigned.candidates) + 1))
    judgment_submit(assigned=assigned, client_id=uuid4(), labels=labels)
    return Block.objects.get(pk=assigned.block_id)


def _routes(resolver: URLResolver, prefix: str = "") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route
        else:
            yield from _routes(pattern, route)


def test_every_address_stands_in_the_table() -> None:
    there = set(_routes(get_resolver()))
    missing = [
        f'    "{route}": MEMBERS_PAGE | sends(POST=ORGANISERS),' for route in there - set(ADDRESSES)
    ]
    assert not missing, (
        "Say who may in ADDRESSES, one line each; then run the tests of tests/integration/test_permissions.py, "
        "which name who may what, and `.venv/bin/python -m tests.permissions > docs/permissions.md`:\n"
        + "\n".join(sorted(missing))
    )
    assert set(ADDRESSES) - there == set(), (
        "There are no such addresses any more: delete their lines."
    )


def opening(route: str) -> str:
    """Return the method by which an address is opened: GET, but where a judge's work is sent."""
    if route.endswith("assignments/"):
        return "POST"
    return "PUT" if "client_id" in route else "GET"


def sent_to(world: World, route: str) -> dict[str, Any]:
    """Return what a request to an address of REST says, so that it is asked for campaign "mine"."""
    if "client_id" in route:
        size = len(world.block.stands_for or world.block.outputs)
        return {
            "block": world.block.public_id,
            "labels": [1] * size,
            "reason": "other",
            "kind": "page",
        }
    if route.startswith("api/v1/judging/") or route.endswith("assignments/"):
        return {"campaign": world.campaign.slug}
    return {}


def _open(world: World, client: APIClient, route: str) -> "tuple[int, str]":
    address, sent = world.fill(route), sent_to(world, route)
    if opening(route) == "GET":
        response = client.get(address, sent)
    else:
        response = getattr(client, opening(route).lower())(address, sent, format="json")
    body_bytes = b"".join(response) if response.streaming else response.content
    # A bundle is no text.
    return response.status_code, body_bytes.decode(errors="replace")


@pytest.mark.parametrize("role", ROLES)
def test_each_role_gets_what_the_table_says_and_strangers_see_no_word_of_it(
    world: World, role: str
) -> None:
    client = world.client(role)
    secrets = ["SECRET-NEWS", "secretron", "secret-judge", "SECRET-PANEL", "SECRET-FILE"]
    if role == "judge":
        # Their own name, by which they ask the organisers for a link.
        secrets.remove("secret-judge")
    else:
        secrets.append("SECRET-WORDS")
    found, leaks = {}, []
    for route in ADDRESSES:
        found[route], body = _open(world, client, route)
        if role not in {"organiser", "analyst"}:
            leaks += [(route, secret) for secret in secrets if secret in body]
    assert found == {route: answers[role] for route, answers in ADDRESSES.items()}
    assert leaks == []


def test_a_token_opens_what_its_user_may_open_and_no_more(world: World) -> None:
    from campaign.services import token_create

    for role, status in (("analyst", 200), ("other organiser", 404)):
        user = world.users[role]
        assert user is not None
        _token, key = token_create(user=user)
        client = Client(headers={"Authorization": f"Token {key}"})
        latest = client.get(f"/api/v1/tasks/{world.task.pk}/rankings/latest/")
        assert latest.status_code == status
