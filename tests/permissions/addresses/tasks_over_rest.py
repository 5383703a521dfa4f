"""Tasks of a campaign: REST."""

from collections.abc import Mapping
from typing import Final

from tests.permissions.addresses.answers import MEMBERS_API, ONLY_POST_OF_MEMBERS
from tests.permissions.audiences import MEMBERS, ORGANISERS, Audience, sends

ADDRESSES: Final[Mapping[str, Mapping[str, int | Audience]]] = {
    "api/v1/tasks/<int:task_id>/snippets/": MEMBERS_API | sends(PUT=ORGANISERS),
    "api/v1/tasks/<int:task_id>/suggestions/": MEMBERS_API | sends(PUT=ORGANISERS),
    # Writing: tests/integration/rest/test_ranking_settings.py.
    "api/v1/tasks/<int:task_id>/ranking-settings/": MEMBERS_API
    | sends(PATCH=ORGANISERS),
    # Writing: tests/integration/ranking/test_stopping_rules.py.
    "api/v1/tasks/<int:task_id>/stopping-rule/": MEMBERS_API | sends(PUT=ORGANISERS),
    # Writing: tests/integration/rest/test_designs.py.
    "api/v1/tasks/<int:task_id>/designs/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/designs/preview/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=MEMBERS),
    "api/v1/tasks/<int:task_id>/designs/forecast/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=MEMBERS),
    "api/v1/tasks/<int:task_id>/designs/<int:design_id>/again/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/outputs/<int:output_id>/correct/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    # Writing: tests/integration/annotation/test_systems.py.
    "api/v1/tasks/<int:task_id>/systems/<int:system_id>/": MEMBERS_API
    | sends(PATCH=ORGANISERS),
    "api/v1/tasks/<int:task_id>/systems/<int:system_id>/withdraw/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/systems/<int:system_id>/restore/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    # Writing: tests/integration/annotation/test_closing.py.
    "api/v1/tasks/<int:task_id>/closing/": MEMBERS_API | sends(PUT=ORGANISERS),
    "api/v1/tasks/<int:task_id>/answers/": MEMBERS_API | sends(POST=ORGANISERS),
    # Writing: tests/integration/ranking/test_metrics.py.
    "api/v1/tasks/<int:task_id>/metrics/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/metrics/compute/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/metrics/<int:metric_id>/": MEMBERS_API
    | sends(DELETE=ORGANISERS),
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
    "api/v1/tasks/<int:task_id>/": MEMBERS_API
    | sends(PATCH=ORGANISERS, DELETE=ORGANISERS),
    "api/v1/tasks/<int:task_id>/systems/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/documents/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/outputs/": MEMBERS_API,
    # Writing: tests/integration/rest/test_controls.py.
    "api/v1/tasks/<int:task_id>/bad-references/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/bad-references/segments/<int:number>/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(PUT=ORGANISERS),
    "api/v1/tasks/<int:task_id>/bad-references/<int:bad_reference_id>/": MEMBERS_API
    | sends(PATCH=ORGANISERS),
    "api/v1/tasks/<int:task_id>/bad-references/<int:bad_reference_id>/redraw/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/training/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/training/segments/<int:number>/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(PUT=ORGANISERS),
    "api/v1/tasks/<int:task_id>/training/<int:block_id>/": MEMBERS_API
    | sends(PATCH=ORGANISERS, DELETE=ORGANISERS),
    "api/v1/tasks/<int:task_id>/comparisons/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/segments/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/segments/<int:number>/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/skips/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/judgments/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/analyses/": MEMBERS_API | sends(POST=MEMBERS),
    "api/v1/tasks/<int:task_id>/analyses/kinds/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/analyses/<int:analysis_id>/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/analyses/<int:analysis_id>/report.<str:ending>": (
        MEMBERS_API
    ),
    "api/v1/tasks/<int:task_id>/rankings/": MEMBERS_API | sends(POST=MEMBERS),
    "api/v1/tasks/<int:task_id>/rankings/keep/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/rankings/latest/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/rankings/<int:ranking_id>/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/judges/": MEMBERS_API,
    "api/v1/tasks/<int:task_id>/judgments/<int:number>/take-back/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/quality-actions/": MEMBERS_API | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/quality-actions/<int:action_id>/revert/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
    "api/v1/tasks/<int:task_id>/quality-actions/<uuid:batch>/undo/": {
        **ONLY_POST_OF_MEMBERS,
        "visitor": 401,
    }
    | sends(POST=ORGANISERS),
}
