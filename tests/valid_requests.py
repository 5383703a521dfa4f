"""A valid request for every operation of the API that writes, and a walk that sends each of them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlencode
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from annotation.models import QualityAction
from annotation.models.judge_measures import JudgeMeasure
from annotation.protocols.submissions import AssignedBlock
from annotation.selectors.judging import assigned_blocks
from annotation.services.quality import RuleTerms, quality_rule_add
from campaign.models import (
    BadReference,
    Campaign,
    Membership,
    MembershipRole,
    Output,
    User,
)
from campaign.services.api_tokens import token_create
from campaign.services.bad_references import bad_reference_review
from campaign.services.campaigns import task_create
from config.api.description import operations_of
from ranking.reports.judge_measures import MeasureResult
from ranking.selectors.quality_rules import rule_effects
from ranking.services.quality import judge_measures_store, quality_evaluate
from tests.at_work import lend
from tests.described_answers import Description
from tests.exporting import exported
from tests.factories import make_task
from tests.permissions.world import World

_JSON: Final = "application/json"
_FORM: Final = "multipart/form-data"

RULE: Final[dict[str, Any]] = {
    "action": "warn",
    "measure": "seconds",
    "direction": "below",
    "threshold": 5,
    "minimum": 30,
}
#: Bodies that need nothing but what the world has.
BODIES: Final[Mapping[str, Any]] = {
    "alert_mail_change": {"daily": False},
    "analyses_ask": {"kind": "pairs"},
    "bad_reference_of_segment_write": {
        "text": "Ein ganz anderer Satz.",
        "damage": "replaced",
        "confirm": True,
    },
    "bad_reference_review": {"status": "approved"},
    "bad_references_make": {"share": 0.5},
    "campaign_clone": {"slug": "copy", "name": "Copy", "texts": True},
    "campaign_extend": {"closes_at": "2099-01-01T00:00:00Z"},
    "campaign_file_apply": "slug: mine\nname: Mine\npay: 1 EUR\n",
    "campaign_judge_change": {"languages": ["de"], "confirm": True},
    "campaign_judge_link": {"confirm": True},
    "campaign_judges_add": {"list": "eva@example.org\n", "mail": False},
    "campaign_tables_ask": {"options": {}},
    "campaign_transition": {"dry_run": False},
    "campaigns_change": {"contact": "help@example.org", "lease_minutes": 60},
    "campaigns_create": {"name": "Third", "slug": "third"},
    "campaigns_problem_reply": {"text": "Thank you.", "closed": True, "seen": 0},
    "exports_ask": {"kind": "counted", "file_format": "five-way-csv"},
    "design_change": {"kind": "balanced", "confirm": True},
    "design_forecast": {"judgments": 100},
    "design_preview": {"kind": "balanced", "count": 3},
    "instructions_write": {"language": "de", "text": "Bitte vergleichen."},
    "judge_group_change": {"name": "linguists", "blocks_asked": 5},
    "judge_group_create": {"name": "linguists"},
    "judge_withdraw": {"links_only": True},
    "judgments_take_back": {"note": "Wrong sentence."},
    "judging_assignment_lend": {"campaign": "mine"},
    "judges_invite": {"addresses": ["eva@example.org"], "languages": ["de"]},
    "judges_link_change": {"cap": 5},
    "judges_link_make": {"cap": 5, "languages": ["de"]},
    "machine_add": {"name": "gemba", "version": "2", "prompt": "Score this."},
    "member_add": {"email": "third@example.org", "name": "Theo", "role": "analyst"},
    "member_change": {"role": "analyst"},
    "member_invite": {"email": "third@example.org", "role": "analyst"},
    "metric_scores_import": {
        "files": SimpleUploadedFile(
            "chrF.seg.score",
            b"secretron\t0.5\n" * 7 + b"b\t0.4\n" * 7,
        ),
    },
    "metrics_compute": {"metrics": ["BLEU"]},
    "output_correct": {"text": "Ausgabe.", "leave_out": True, "reason": "Encoding."},
    "panel_change": {"name": "main study", "blocks_asked": 4},
    "panel_create": {
        "kind": "generic",
        "name": "third",
        "service": "SONA",
        "blocks_asked": 3,
        "minutes_allowed": 60,
        "id_parameter": "id",
    },
    "panel_open": {"open": True},
    "published_result_bundle_make": {"texts": False},
    "published_result_change": {"reviewer_link": True},
    "published_results_publish": {"firmness": False, "metrics": False},
    "quality_actions_take": {"judges": ["secret-judge"], "action": "warn"},
    "ranking_settings_change": {"method": "bradley_terry", "reason": "Planned."},
    "rankings_ask": {"options": {"resample": "segments"}},
    "rehearsal_begin": {"bots": 2},
    "rule_switch_off": {"undo": False},
    "rules_preview": RULE,
    "rules_put_in_force": RULE,
    "snippets_replace": {
        "snippets": [
            {
                "snippet": "first",
                "document": "document 1",
                "first": 1,
                "last": 2,
                "statements": [{"text": "It is a story.", "expected": True}],
            },
        ],
    },
    "stopping_rule_set": {"clusters": 2, "reason": "Piloted."},
    "suggested_rules_put_in_force": {},
    "system_add": {
        "name": "late",
        "file": SimpleUploadedFile("late.txt", b"Ausgabe.\n" * 7),
    },
    "system_change": {"team": "Ours", "constrained": True},
    "system_withdraw": {"confirm": True},
    "task_close_or_reopen": {"closed": True, "confirm": True},
    "tasks_change": {"blocks_wanted": 100, "confirm": True},
    "token_make": {"name": "notebook", "scope": "write", "days": 30},
    "training_block_change": {"explanation": "The second one omits a word."},
    "uploads_add_file": {"name": "more.txt", "size": 2},
    "uploads_change": {"name": "News", "source_language": "en"},
    "webhook_change": {"description": "Ours", "paused": True},
    "webhook_create": {
        "url": "https://example.org/hook",
        "events": ["campaign.closed"],
    },
    "webhook_secret_rotate": {"overlap_hours": 24},
}


@dataclass(frozen=True)
class Operation:
    """An operation of the description that writes."""

    name: str
    method: str
    path: str
    description: Mapping[str, Any]

    @property
    def body_types(self) -> list[str]:
        return list(self.description.get("requestBody", {}).get("content", {}))


class WritesWalk:
    """Send a valid request to every operation that writes, and undo what it did.

    Attributes
    ----------
    world : World
    differences : list of str
        Empty if every request succeeded, and its response is as described.
    """

    def __init__(self, world: World, document: Mapping[str, Any]) -> None:
        self.world = world
        self.differences: list[str] = []
        self._description = Description(document)
        self.operations = {
            description["operationId"]: Operation(
                name=description["operationId"],
                method=method,
                path=path,
                description=description,
            )
            for path, method, description in operations_of(dict(document))
            if method in ("post", "put", "patch", "delete")
        }

    def walk(self, name: str, **parts: object) -> None:
        """Send a valid request, compare the answer with its description, and undo everything."""
        with transaction.atomic():
            request = Valid()
            if name in PREPARED:
                request = PREPARED[name](self)
            request = replace(request, parts={**request.parts, **parts})
            response = self.send(name, request)
            self._compare(self.operations[name], response, parts)
            transaction.set_rollback(True)

    def done(self, name: str, request: "Valid | None" = None) -> Any:
        """Send a valid request that another one needs before it, and return the JSON of its answer."""
        response = self.send(name, request or Valid())
        assert response.status_code < 300, (name, response.content)
        if not response.content:
            return None
        return response.json()

    def send(self, name: str, request: "Valid") -> Any:
        operation = self.operations[name]
        parts = {**self._parts, "task_id": self._task_id(name), **request.parts}
        address = operation.path.format_map(parts)
        if request.query:
            address += f"?{urlencode(request.query)}"
        body = BODIES.get(name) if request.body is None else request.body
        client = self._client(operation, request.user)
        send: Any = getattr(client, operation.method)
        if body is None:
            return send(address)
        if _JSON in operation.body_types:
            return send(address, json.dumps(body, default=str), content_type=_JSON)
        if _FORM in operation.body_types:
            return send_form(client, operation.method, address, body)
        return send(address, body, content_type=operation.body_types[0])

    def _task_id(self, name: str) -> int:
        if name == "snippets_replace":
            return self.world.quiz.pk
        return self.world.task.pk

    @cached_property
    def _parts(self) -> dict[str, object]:
        return {**self.world.named_parts(), "client_id": uuid4(), "name": "clusters"}

    def _client(self, operation: Operation, user: User | None) -> Client:
        if user is None and "/judging/" in operation.path:
            user = self.world.users["judge"]
        user = user or self._owner
        _instance, token = token_create(user=user)
        return Client(
            headers={"Authorization": f"Token {token}"},
        )

    @cached_property
    def _owner(self) -> User:
        owners = Membership.objects.filter(
            campaign=self.world.campaign,
            role=MembershipRole.OWNER,
        )
        return owners.get().user

    def _compare(
        self,
        operation: Operation,
        response: Any,
        parts: Mapping[str, object],
    ) -> None:
        status = response.status_code
        where = f"{operation.name} {dict(parts) or ''}: {status}"
        described = operation.description["responses"].get(str(status))
        if status >= 300 or described is None:
            self.differences.append(f"{where} {response.content[:300]!r}")
            return
        schema = described.get("content", {}).get(_JSON, {}).get("schema")
        if schema is None:
            if response.content:
                self.differences.append(f"{where}: no content is described")
            return
        self.differences.extend(
            f"{where} {error}"
            for error in self._description.errors(schema, response.json())
        )


def send_form(client: Client, method: str, address: str, fields: Any) -> Any:
    """Send the fields of a form, as browsers do."""
    for value in fields.values():
        if isinstance(value, SimpleUploadedFile):
            value.seek(0)
    encoded = encode_multipart(BOUNDARY, fields)
    return client.generic(
        method.upper(),
        address,
        encoded,
        content_type=MULTIPART_CONTENT,
    )


@dataclass(frozen=True)
class Valid:
    """What a valid request sends beside the usual: its body, parts of the address, query parameters, and who sends it."""

    body: Any = None
    parts: Mapping[str, object] = field(default_factory=dict)
    query: Mapping[str, object] = field(default_factory=dict)
    user: User | None = None


def _action_taken(walk: WritesWalk) -> Valid:
    batch = walk.done("quality_actions_take")["batch"]
    action = QualityAction.objects.get(batch=batch)
    return Valid(parts={"action_id": action.pk, "batch": batch})


def _analyst_leaves(walk: WritesWalk) -> Valid:
    return Valid(user=walk.world.users["analyst"])


def _block_lent(walk: WritesWalk) -> AssignedBlock:
    return assigned_blocks(lend(walk.world.judge))[1]


def _campaign_in_bin(walk: WritesWalk) -> Valid:
    Campaign.objects.filter(pk=walk.world.campaign.pk).update(state="bin")
    return Valid()


def _erasure_asked(walk: WritesWalk) -> Valid:
    request = walk.done("erasure_record", _erasure(walk))["id"]
    return Valid(parts={"request_id": request})


def _erasure(walk: WritesWalk) -> Valid:
    return Valid(body={"judge": walk.world.judge.pseudonym})


def _erasure_refusal(walk: WritesWalk) -> Valid:
    return replace(_erasure_asked(walk), body={"reason": "Already erased."})


def _erasure_of_own(walk: WritesWalk) -> Valid:
    walk.done("judging_erasure_ask")
    return Valid()


def _file_added(walk: WritesWalk) -> Valid:
    file = walk.done("uploads_add_file")["id"]
    return Valid(parts={"file_id": file}, query={"offset": 0}, body=b"b\n")


def _file_to_remove(walk: WritesWalk) -> Valid:
    return Valid(parts={"file_id": walk.done("uploads_add_file")["id"]})


def _invitation(walk: WritesWalk) -> Valid:
    return Valid(parts={"invitation_id": walk.done("member_invite")["id"]})


def _job_stopped(walk: WritesWalk) -> Valid:
    walk.done("jobs_stop")
    return Valid()


def _judge_invited(walk: WritesWalk) -> Valid:
    walk.done("judges_invite")
    judge = walk.world.campaign.judges.latest("pk")
    return Valid(parts={"judge_id": judge.pk})


def _judgment(walk: WritesWalk) -> Valid:
    block = _block_lent(walk)
    labels = [1] * len(block.candidates)
    return Valid(body={"block": block.public_id, "labels": labels})


def _link_revoked(walk: WritesWalk) -> Valid:
    walk.done("judges_link_revoke")
    return Valid()


def _problem(walk: WritesWalk) -> Valid:
    return Valid(body={"block": _block_lent(walk).public_id, "kind": "page"})


def _references_approved(walk: WritesWalk) -> Valid:
    for bad_reference in BadReference.objects.of(walk.world.task.test_set_id):
        bad_reference_review(
            bad_reference=bad_reference,
            approve=True,
            reviewer=walk.world.users["organiser"],
        )
    return Valid(body={"count": 1})


def _rehearsed(walk: WritesWalk) -> Valid:
    walk.done("campaign_clone")
    return Valid(parts={"slug": "copy"})


def _rehearsing(walk: WritesWalk) -> Valid:
    request = _rehearsed(walk)
    walk.done("rehearsal_begin", request)
    return request


def _reply(walk: WritesWalk) -> Valid:
    return Valid(parts={"number": walk.done("campaigns_problem_reply")["number"]})


def _rule_waiting(walk: WritesWalk) -> Valid:
    quality_evaluate(run=walk.world.run)
    slow = MeasureResult(value=1, evidence=100, low=0.9, high=1.1, p_value=None)
    judge_measures_store(
        task=walk.world.task,
        measures={walk.world.judge.pseudonym: {JudgeMeasure.SECONDS: slow}},
    )
    rule = quality_rule_add(
        campaign=walk.world.campaign,
        terms=RuleTerms(
            **RULE,
        ),
        user=walk.world.users["organiser"],
    )
    code = rule_effects([rule], campaign=walk.world.campaign).code
    return Valid(parts={"rule_id": rule.pk}, body={"confirm": code})


def _segment_without_damage(walk: WritesWalk) -> Valid:
    damaged = BadReference.objects.of(walk.world.task.test_set_id)
    pending = damaged.filter(approved_at=None).latest("pk")
    return Valid(parts={"number": pending.output.segment.number})


def _skip(walk: WritesWalk) -> Valid:
    return Valid(body={"block": _block_lent(walk).public_id, "reason": "other"})


def _answers(walk: WritesWalk) -> Valid:
    content = exported(walk.world.task).replace("secret-judge", "guest").encode()
    return Valid(body={"file": SimpleUploadedFile("five-way.csv", content)})


def _judges_of_group(walk: WritesWalk) -> Valid:
    return Valid(body={"add": [walk.world.judge.pk]})


def _suggestions(walk: WritesWalk) -> Valid:
    """Suggest errors in a task that nobody has begun."""
    ranking = make_task(walk.world.campaign, name="new", systems=("a", "b"), planned=0)
    task = task_create(test_set=ranking.test_set, protocol="spans", by=None)
    outputs = Output.objects.filter(system__test_set=task.test_set_id)
    output = outputs.filter(system__name="b").earliest("pk")
    line = {
        "document": output.segment.document.name,
        "segment": str(output.segment.position),
        "source": output.segment.source_text,
        "judge": "xCOMET",
        "outputs": [
            {
                "systems": ["b"],
                "spans": [{"start": 0, "end": 2, "severity": "minor"}],
            },
        ],
    }
    file = SimpleUploadedFile("suggested.jsonl", json.dumps(line).encode())
    return Valid(
        body={"file": file, "withheld": 20, "planted": 30},
        parts={"task_id": task.pk},
    )


def _task(walk: WritesWalk) -> Valid:
    return Valid(
        body={"test_set": walk.world.task.test_set_id, "protocol": "two_outputs"},
    )


def _task_beside(walk: WritesWalk) -> Valid:
    task_id = walk.done("tasks_create", _task(walk))["id"]
    return Valid(parts={"task_id": task_id}, query={"confirm": "true"})


def _token(walk: WritesWalk) -> Valid:
    return Valid(parts={"token_id": walk.done("token_make")["id"]})


def _training(walk: WritesWalk) -> Valid:
    expected = {"secretron": 1, "b": 2}
    return Valid(body={"explanation": "The second omits a word.", "expected": expected})


def _upload_complete(walk: WritesWalk) -> Valid:
    upload = walk.done("uploads_create")["id"]
    for name, line in (("source.txt", b"Hello.\n"), ("amber.txt", b"Hallo.\n")):
        body = {"name": name, "size": len(line)}
        parts = {"upload_id": upload}
        file = walk.done("uploads_add_file", Valid(body=body, parts=parts))["id"]
        parts["file_id"] = file
        sent = Valid(body=line, parts=parts, query={"offset": 0})
        walk.done("uploads_send_part", sent)
    terms = {"name": "News", "source_language": "en", "target_language": "de"}
    walk.done("uploads_change", Valid(body=terms, parts=parts))
    walk.done("uploads_check", Valid(parts=parts))
    return Valid(parts=parts)


def _version_published(walk: WritesWalk) -> Valid:
    version = walk.done("published_results_publish")["version"]
    return Valid(parts={"version": version})


def _system_withdrawn(walk: WritesWalk) -> Valid:
    walk.done("system_withdraw")
    return Valid()


#: What must be there before a request, or what its body names.
PREPARED: Final[Mapping[str, Callable[[WritesWalk], Valid]]] = {
    "answers_import": _answers,
    "bad_reference_of_segment_write": _segment_without_damage,
    "campaign_restore": _campaign_in_bin,
    "campaigns_problem_reply_take_back": _reply,
    "erasure_carry_out": _erasure_asked,
    "erasure_record": _erasure,
    "erasure_refuse": _erasure_refusal,
    "jobs_again": _job_stopped,
    "judge_group_judges": _judges_of_group,
    "judges_link_restore": _link_revoked,
    "judge_invite_again": _judge_invited,
    "judging_erasure_withdraw": _erasure_of_own,
    "judging_judgment_submit": _judgment,
    "judging_problem_report": _problem,
    "judging_skip_submit": _skip,
    "member_invitation_withdraw": _invitation,
    "member_leave": _analyst_leaves,
    "published_result_bundle_make": _version_published,
    "quality_action_revert": _action_taken,
    "quality_actions_undo": _action_taken,
    "rehearsal_begin": _rehearsed,
    "rehearsal_end": _rehearsing,
    "rule_act": _rule_waiting,
    "suggestions_replace": _suggestions,
    "system_restore": _system_withdrawn,
    "tasks_create": _task,
    "tasks_delete": _task_beside,
    "token_revoke": _token,
    "training_propose": _references_approved,
    "training_of_segment_write": _training,
    "uploads_import": _upload_complete,
    "uploads_remove_file": _file_to_remove,
    "uploads_send_part": _file_added,
}
