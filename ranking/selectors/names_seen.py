"""Fingerprints of the names that tallies are of: a judge who is renamed has other tallies."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

#: By kind of rows: the largest primary key, and what the hashes of the rows up to it come to.
NamesSeen = dict[str, Sequence[Any]]

# By hand: it is read before each ranking, and the ORM takes ten times as long to write it. At 30,000 segments
# `bit_xor` of hashed columns takes 6 ms, `sum` of hashed records 16: it adds as decimals.
_ONE_KIND = """
    SELECT '{kind}', coalesce(max(id), 0), coalesce(bit_xor(hashed), 0)::text,
        coalesce(bit_xor(hashed) FILTER (WHERE id <= %({kind})s), 0)::text
    FROM (SELECT id, {hashed} AS hashed FROM {table} WHERE {of}) {kind}
"""
_OF_CAMPAIGN = (
    "campaign_id = (SELECT t.campaign_id FROM campaign_testset t JOIN campaign_task k"
    " ON k.test_set_id = t.id WHERE k.id = %(task)s)"
)
_OF_TEST_SET = "test_set_id = (SELECT test_set_id FROM campaign_task WHERE id = %(task)s)"
_KINDS = {
    "judges": {
        "table": "campaign_judge",
        "hashed": "hashtextextended(pseudonym, id)",
        "of": _OF_CAMPAIGN,
    },
    "segments": {
        "table": "campaign_segment",
        "hashed": "hashint8extended(number, hashint8extended(coalesce(document_id, 0), id))",
        "of": _OF_TEST_SET,
    },
    "systems": {
        "table": "campaign_system",
        "hashed": "hashtextextended(name, hashtextextended(kind, id))",
        "of": _OF_TEST_SET,
    },
}
_SQL = " UNION ALL ".join(_ONE_KIND.format(kind=kind, **parts) for kind, parts in _KINDS.items())


def names_seen(*, task_id: int, before: Mapping[str, Sequence[Any]]) -> tuple[NamesSeen, bool]:
    """Return the fingerprints of a test set's judges, segments and systems, and if `before` holds.

    A fingerprint changes if a judge is renamed, a segment is numbered or put into a document anew, a
    system is renamed or becomes of another kind, or one of them is deleted. Those that were added since
    `before` change none. One query.
    """
    last = {kind: before[kind][0] if before else 0 for kind in _KINDS}
    with connection.cursor() as cursor:
        cursor.execute(_SQL, {**last, "task": task_id})
        rows = cursor.fetchall()
    found: NamesSeen = {kind: (newest, everything) for kind, newest, everything, _seen in rows}
    holds = all(not before or seen == before[kind][1] for kind, _newest, _all, seen in rows)
    return found, holds
