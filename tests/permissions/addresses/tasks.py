"""Tasks of a campaign: pages."""

from collections.abc import Mapping
from typing import Final

from tests.permissions.addresses.answers import (
    MEMBERS_PAGE,
    NO_PLOT,
    ONLY_POST,
    ROLES,
    TO_SECTION,
)
from tests.permissions.audiences import MEMBERS, ORGANISERS, Audience, sends

ADDRESSES: Final[Mapping[str, Mapping[str, int | Audience]]] = {
    "campaigns/<slug:slug>/tasks/<int:task_id>/delete/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/": MEMBERS_PAGE,
    # A fragment for a script, which must not follow a redirect into a page.
    "campaigns/<slug:slug>/tasks/<int:task_id>/live/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/judges/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/judges/<int:judge_id>/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/texts/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/judges/<int:judge_id>/act/": ONLY_POST
    | sends(POST=ORGANISERS),
    # Writing: tests/integration/controls/test_decisions.py.
    "campaigns/<slug:slug>/tasks/<int:task_id>/judges/act/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/judges/acted/<uuid:batch>/": {
        **dict.fromkeys(ROLES, 404),
        "visitor": 302,
    }
    | sends(GET=MEMBERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/judges/acted/<uuid:batch>/undo/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/actions/<int:action_id>/revert/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/bad-references/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/settings/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/skips/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/bad-references/<int:bad_reference_id>/": (
        ONLY_POST | sends(POST=ORGANISERS)
    ),
    "campaigns/<slug:slug>/tasks/<int:task_id>/training/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/training/<int:block_id>/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/hits/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/hits/<int:number>/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/judgments/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/judgments/<int:number>/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/judgments/<int:number>/take-back/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/design/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/design/preview/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/design/forecast/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/design/<int:design_id>/again/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/outputs/<int:output_id>/correct/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/corrections/<int:correction_id>/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/systems/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/systems/add/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    # Of ratings alone: tests/integration/protocols/test_criteria_page.py.
    "campaigns/<slug:slug>/tasks/<int:task_id>/criteria/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    # Of error spans alone: tests/integration/protocols/test_mqm.py.
    "campaigns/<slug:slug>/tasks/<int:task_id>/error-scheme/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/errors/": MEMBERS_PAGE,
    # Of error spans alone: tests/integration/protocols/test_suggestions.py.
    "campaigns/<slug:slug>/tasks/<int:task_id>/suggestions/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    # Of quizzes alone: tests/integration/protocols/quiz/test_snippets.py.
    "campaigns/<slug:slug>/tasks/<int:task_id>/snippets/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/systems/<int:system_id>/": TO_SECTION
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/systems/<int:system_id>/withdraw/": (
        MEMBERS_PAGE | sends(POST=ORGANISERS)
    ),
    "campaigns/<slug:slug>/tasks/<int:task_id>/systems/<int:system_id>/restore/": (
        ONLY_POST | sends(POST=ORGANISERS)
    ),
    "campaigns/<slug:slug>/tasks/<int:task_id>/close/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    # Importing: tests/integration/protocols/test_spans_import.py.
    "campaigns/<slug:slug>/tasks/<int:task_id>/answers/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/exports/": MEMBERS_PAGE
    | sends(POST=MEMBERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/exports/<int:export_id>/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/reopen/": ONLY_POST
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/ranking-settings/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/stopping-rule/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/systems/<int:system_id>/results/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/systems/<int:system_id>/results/ask/": ONLY_POST
    | sends(POST=MEMBERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/segments/<int:number>/": MEMBERS_PAGE,
    # Writing: tests/integration/ranking/test_metrics.py.
    "campaigns/<slug:slug>/tasks/<int:task_id>/metrics/": MEMBERS_PAGE
    | sends(POST=ORGANISERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/analyses/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/progress/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/agreement/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/data/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/analyses/<slug:kind>/": TO_SECTION
    | sends(GET=MEMBERS, POST=MEMBERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/analyses/<int:analysis_id>/report.<slug:ending>": (
        MEMBERS_PAGE
    ),
    # No table of this analysis is drawn.
    "campaigns/<slug:slug>/tasks/<int:task_id>/analyses/<int:analysis_id>/plots/<slug:table>.<slug:ending>": {
        **dict.fromkeys(ROLES, 404),
        "visitor": 302,
    }
    | sends(GET=MEMBERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/plots/<slug:table>.<slug:ending>": NO_PLOT
    | sends(GET=MEMBERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/judges/<int:judge_id>/plots/<slug:table>.<slug:ending>": NO_PLOT
    | sends(GET=MEMBERS),
    "campaigns/<slug:slug>/tasks/<int:task_id>/ranking/keep/": ONLY_POST
    | sends(POST=ORGANISERS),
}
