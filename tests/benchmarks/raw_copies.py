"""For each kind of exports a raw COPY of the same rows, with what their columns are written from."""

from typing import Final

_JUDGMENT: Final = """
    FROM annotation_judgmentnumber number
    JOIN annotation_judgment judgment ON judgment.id = number.judgment_id
    JOIN annotation_block block ON block.id = judgment.block_id
    JOIN campaign_segment segment ON segment.id = block.segment_id
    JOIN campaign_document document ON document.id = segment.document_id
    JOIN campaign_judge judge ON judge.id = judgment.judge_id
"""
_COUNTED: Final = f"""
    SELECT number.number, segment.number, document.name, segment.position, judge.pseudonym, block.outputs,
           block.stands_for, judgment.labels, judgment.duration_ms
    {_JUDGMENT}
    WHERE number.task_id = {{task}} AND block.control = ''
    ORDER BY number.number
"""
_COMPARISONS: Final = f"""
    SELECT number.number, segment.number, judge.pseudonym, block.outputs[one], judgment.labels[one],
           block.outputs[other], judgment.labels[other]
    {_JUDGMENT}
    CROSS JOIN LATERAL generate_subscripts(block.outputs, 1) one
    CROSS JOIN LATERAL generate_series(one + 1, cardinality(block.outputs)) other
    WHERE number.task_id = {{task}} AND block.control = ''
    ORDER BY number.number
"""
_JUDGMENTS: Final = f"""
    SELECT judgment.client_id, number.number, judge.pseudonym, segment.number, document.name, block.outputs,
           block.stands_for, judgment.labels, judgment.duration_ms, judgment.active_ms, judgment.comment,
           judgment.submitted_at, judgment.supersedes_id, block.control
    {_JUDGMENT}
    WHERE number.task_id = {{task}}
    ORDER BY number.number
"""
_SKIPS: Final = """
    SELECT skip.id, skip.client_id, judge.pseudonym, segment.number, document.name, block.control, skip.reason, skip.comment,
           skip.duration_ms, skip.active_ms, skip.created_at
    FROM annotation_skip skip
    JOIN annotation_block block ON block.id = skip.block_id
    JOIN campaign_segment segment ON segment.id = block.segment_id
    JOIN campaign_document document ON document.id = segment.document_id
    JOIN campaign_judge judge ON judge.id = skip.judge_id
    WHERE skip.task_id = {task}
    ORDER BY skip.id
"""
_ASSIGNMENTS: Final = """
    SELECT assignment.id, assignment.public_id, hit.number, judge.pseudonym, assignment.ordinal, lower(assignment.lease),
           upper(assignment.lease), assignment.completed_at, assignment.released_at
    FROM annotation_assignment assignment
    JOIN annotation_hit hit ON hit.id = assignment.hit_id
    JOIN campaign_judge judge ON judge.id = assignment.judge_id
    WHERE hit.task_id = {task}
    ORDER BY assignment.id
"""
_TEXTS: Final = """
    SELECT document.name, segment.position, segment.source_text, system.name, output.text
    FROM campaign_output output
    JOIN campaign_segment segment ON segment.id = output.segment_id
    JOIN campaign_document document ON document.id = segment.document_id
    JOIN campaign_system system ON system.id = output.system_id
    JOIN campaign_task task ON task.test_set_id = segment.test_set_id
    WHERE task.id = {task}
    ORDER BY segment.number, system.id
"""
_OF_CAMPAIGN: Final = """
    JOIN campaign_testset test_set ON test_set.campaign_id = {of}.campaign_id
    JOIN campaign_task task ON task.test_set_id = test_set.id
    WHERE task.id = {{task}}
    ORDER BY {of}.id
"""
_JUDGES: Final = "FROM campaign_judge judge" + _OF_CAMPAIGN.format(of="judge")

#: An event is one object in files.
_ACTIVITY: Final = """
    SELECT event.id, json_build_object('id', event.id, 'time', happened_at, 'by', origin, 'user', user_id, 'through', through,
           'operator', operator, 'change', operation, 'kind', kind, 'thing_id', object_id, 'thing', object_name, 'things', count,
           'test_set', event.test_set_id, 'changes', changes)
    FROM campaign_activityevent event
""" + _OF_CAMPAIGN.format(of="event")

#: By the name of the kind.
COPIES: Final = {
    "counted": _COUNTED,
    "comparisons": _COMPARISONS,
    "judgments": _JUDGMENTS,
    "skips": _SKIPS,
    "assignments": _ASSIGNMENTS,
    "texts": _TEXTS,
    "designs": "SELECT * FROM annotation_design WHERE task_id = {task} ORDER BY id",
    "activity": _ACTIVITY,
    "judges": f"SELECT judge.id, judge.pseudonym, judge.origin, judge.languages {_JUDGES}",
    "named-judges": f"SELECT judge.*, (SELECT name FROM campaign_user WHERE id = judge.user_id) {_JUDGES}",
}
