"""Operations that refuse (400) some of what their description allows, by the reason.

All others accept what is described, or answer with a state of things: 403, 404 or 409.
"""

from collections.abc import Mapping
from typing import Final

_CAMPAIGN: Final = "/api/v1/campaigns/{slug}/"
_TASK: Final = "/api/v1/tasks/{task_id}/"

BY_REASON: Final[Mapping[str, frozenset[str]]] = {
    "what it names has to be there: a judge, a group, a test set, an option of this kind": frozenset(
        {
            f"POST {_CAMPAIGN}judge-groups/{{group_id}}/judges/",
            f"PATCH {_CAMPAIGN}judges/{{judge_id}}/",
            f"GET {_CAMPAIGN}problem-reports/",
            f"POST {_CAMPAIGN}tables/{{name}}/",
            f"POST {_CAMPAIGN}tasks/",
            f"POST {_CAMPAIGN}panels/{{panel_id}}/topic/",
            f"POST {_TASK}analyses/",
            f"POST {_TASK}rankings/",
            f"POST {_TASK}quality-actions/",
            "POST /api/v1/tokens/",
        }
    ),
    "parts of it have to go together: a kind and its formats, a measure and its bounds, an outcome and its system": (
        frozenset(
            {
                f"POST {_CAMPAIGN}rules/",
                f"POST {_CAMPAIGN}rules/preview/",
                f"POST {_CAMPAIGN}panels/",
                f"PATCH {_CAMPAIGN}panels/{{panel_id}}/",
                f"GET {_TASK}answers/",
                f"POST {_TASK}designs/",
                f"POST {_TASK}designs/preview/",
                f"POST {_TASK}designs/forecast/",
                f"POST {_TASK}exports/",
                f"GET {_TASK}exports/stream/",
                f"GET {_TASK}judgments/",
                f"GET {_TASK}comparisons/",
                f"PATCH {_TASK}ranking-settings/",
                f"PUT {_TASK}stopping-rule/",
                f"POST {_TASK}published-results/",
            }
        )
    ),
    "a file, a list or a text has a form of its own: a language tag, an address, a name without control characters": (
        frozenset(
            {
                "POST /api/v1/campaigns/",
                f"PUT {_CAMPAIGN}file/",
                f"POST {_CAMPAIGN}clone/",
                f"POST {_CAMPAIGN}judges/",
                f"POST {_CAMPAIGN}judge-groups/",
                f"PATCH {_CAMPAIGN}judge-groups/{{group_id}}/",
                f"POST {_CAMPAIGN}instructions/",
                f"POST {_CAMPAIGN}invitations/",
                f"POST {_CAMPAIGN}invitations/links/",
                f"PATCH {_CAMPAIGN}uploads/{{upload_id}}/",
                f"POST {_CAMPAIGN}uploads/{{upload_id}}/files/",
                f"POST {_CAMPAIGN}webhooks/",
                f"PATCH {_CAMPAIGN}webhooks/{{webhook_id}}/",
                f"GET {_CAMPAIGN}tables/{{name}}/report.{{ending}}",
                f"PATCH {_TASK}",
                f"POST {_TASK}answers/",
                f"POST {_TASK}systems/",
            }
        )
    ),
    "it takes part of a thing as it stands, and PATCH describes every part as one that may be left out": frozenset(
        {f"PATCH {_CAMPAIGN}members/{{membership_id}}/", f"PATCH {_CAMPAIGN}state/"}
    ),
    "the state of things refuses it, with 400 where 409 would say more": frozenset(
        {
            f"PUT {_CAMPAIGN}alerts/mail/",
            f"POST {_CAMPAIGN}jobs/{{job_id}}/again/",
            f"POST {_CAMPAIGN}rules/{{rule_id}}/act/",
            f"POST {_CAMPAIGN}rules/{{rule_id}}/off/",
            f"POST {_CAMPAIGN}uploads/{{upload_id}}/import/",
            f"POST {_TASK}published-results/{{version}}/bundle/",
            f"POST {_TASK}quality-actions/{{batch}}/undo/",
            f"PATCH {_TASK}systems/{{system_id}}/",
        }
    ),
}

REFUSED: Final = frozenset[str]().union(*BY_REASON.values())
