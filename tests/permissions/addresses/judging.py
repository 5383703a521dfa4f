"""Judges at work, and organisers who look at it as judges do."""

from collections.abc import Mapping
from typing import Final

from tests.permissions.addresses.answers import (
    JUDGING_API,
    MEMBERS_PAGE,
    NO_PLOT,
    ONLY_POST,
    ORGANISERS_API,
    ROLES,
)
from tests.permissions.audiences import (
    JUDGES,
    JUDGES_ANYWHERE,
    MEMBERS,
    THE_SERVICE,
    WITH_LINK,
    Audience,
    sends,
)

ADDRESSES: Final[Mapping[str, Mapping[str, int | Audience]]] = {
    "judge/<slug:slug>/": dict.fromkeys(ROLES, 404) | {"visitor": 302, "judge": 200},
    "judge/<slug:slug>/instructions/": dict.fromkeys(ROLES, 404)
    | {"visitor": 302, "judge": 200}
    | sends(POST=JUDGES),
    "judge/<slug:slug>/questions/": dict.fromkeys(ROLES, 404)
    | {"visitor": 302, "judge": 200}
    | sends(POST=JUDGES),
    # There is nothing to choose from: on to work.
    "judge/<slug:slug>/test-sets/": dict.fromkeys(ROLES, 404)
    | {"visitor": 302, "judge": 302}
    | sends(POST=JUDGES),
    "judge/<slug:slug>/link/": dict.fromkeys(ROLES, 404)
    | {"visitor": 302, "judge": 200}
    | sends(POST=JUDGES),
    "judge/<slug:slug>/decline/": dict.fromkeys(ROLES, 404)
    | {"visitor": 302, "judge": 200}
    | sends(POST=JUDGES),
    "judge/<slug:slug>/data/": dict.fromkeys(ROLES, 404)
    | {"visitor": 302, "judge": 200}
    | sends(POST=JUDGES),
    # Files of texts, of which there are none: tests/integration/annotation/test_media.py.
    "judge/<slug:slug>/media/<slug:signature>/<str:file_name>": NO_PLOT
    | sends(GET=JUDGES),
    "campaigns/<slug:slug>/media/<str:file_name>": NO_PLOT | sends(GET=MEMBERS),
    "judge/<slug:slug>/data.zip": dict.fromkeys(ROLES, 404)
    | {"visitor": 302, "judge": 200},
    "judge/<slug:slug>/time/": dict.fromkeys(ROLES, 404)
    | {"visitor": 302, "judge": 200},
    "judge/<slug:slug>/time.csv": dict.fromkeys(ROLES, 404)
    | {"visitor": 302, "judge": 200},
    # Nobody here came from a panel.
    "judge/<slug:slug>/completion/": {**dict.fromkeys(ROLES, 404), "visitor": 302}
    | sends(GET=JUDGES),
    "panel/<slug:token>/": dict.fromkeys(ROLES, 404)
    | sends(GET=WITH_LINK, POST=WITH_LINK),
    "panel/<slug:token>/events/": ONLY_POST | sends(POST=THE_SERVICE),
    # What an organiser looks at as judges do: tests/integration/annotation/test_preview.py.
    "campaigns/<slug:slug>/as-judge/": {
        **MEMBERS_PAGE,
        "organiser": 302,
        "analyst": 302,
    },
    "campaigns/<slug:slug>/tasks/<int:task_id>/as-judge/": {
        **MEMBERS_PAGE,
        "organiser": 302,
        "analyst": 302,
    },
    "campaigns/<slug:slug>/tasks/<int:task_id>/as-judge/instructions/": MEMBERS_PAGE,
    "campaigns/<slug:slug>/tasks/<int:task_id>/as-judge/sentences/": MEMBERS_PAGE,
    "api/v1/tasks/<int:task_id>/as-judge/assignments/": ORGANISERS_API
    | sends(POST=MEMBERS),
    "api/v1/tasks/<int:task_id>/as-judge/judgments/": ORGANISERS_API,
    "api/v1/tasks/<int:task_id>/as-judge/judgments/<uuid:client_id>/": ORGANISERS_API
    | sends(PUT=MEMBERS),
    "api/v1/tasks/<int:task_id>/as-judge/skips/<uuid:client_id>/": ORGANISERS_API
    | sends(PUT=MEMBERS),
    "api/v1/tasks/<int:task_id>/as-judge/problem-reports/<uuid:client_id>/": ORGANISERS_API
    | sends(PUT=MEMBERS),
    "api/v1/tasks/<int:task_id>/as-judge/progress/": ORGANISERS_API,
    "api/v1/tasks/<int:task_id>/as-judge/work-time/": ORGANISERS_API,
    "api/v1/judging/assignments/": {
        **dict.fromkeys(ROLES, 403),
        "visitor": 401,
        "judge": 200,
    }
    | sends(POST=JUDGES),
    "api/v1/judging/judgments/": {
        **dict.fromkeys(ROLES, 403),
        "visitor": 401,
        "judge": 200,
    },
    "api/v1/judging/judgments/<uuid:client_id>/": JUDGING_API | sends(PUT=JUDGES),
    "api/v1/judging/problem-reports/": {
        **dict.fromkeys(ROLES, 403),
        "visitor": 401,
        "judge": 200,
    },
    "api/v1/judging/problem-reports/<uuid:client_id>/": JUDGING_API | sends(PUT=JUDGES),
    "api/v1/judging/documents/<uuid:block>/": {
        **dict.fromkeys(ROLES, 404),
        "visitor": 401,
        "judge": 200,
    }
    | sends(GET=JUDGES),
    # For machine judges: tests/integration/annotation/test_media.py.
    "api/v1/judging/media/<slug:signature>/<str:file_name>": {
        **dict.fromkeys(ROLES, 404),
        "visitor": 401,
    },
    "api/v1/judging/skips/<uuid:client_id>/": JUDGING_API | sends(PUT=JUDGES),
    "api/v1/judging/data/": {**dict.fromkeys(ROLES, 403), "visitor": 401, "judge": 200},
    "api/v1/judging/erasure/": {
        **dict.fromkeys(ROLES, 403),
        "visitor": 401,
        "judge": 200,
    }
    # Without `campaign`, of the one where they judge.
    | sends(POST=JUDGES_ANYWHERE, DELETE=JUDGES_ANYWHERE),
    "api/v1/judging/work-time/": {
        **dict.fromkeys(ROLES, 403),
        "visitor": 401,
        "judge": 200,
    },
    "api/v1/judging/progress/": {
        **dict.fromkeys(ROLES, 403),
        "visitor": 401,
        "judge": 200,
    },
}
