"""Which answers of a file are stored already; and words for an import."""

from collections.abc import Iterable
from uuid import UUID

from django.db import connection
from django.utils.formats import number_format
from django.utils.translation import ngettext

from campaign.database.transactions import table_scans_off

# One table at a time, and by its index.
_FIND = """
    SELECT each.id FROM unnest(%s::uuid[]) AS each (id)
    WHERE (SELECT true FROM annotation_judgment j WHERE j.client_id = each.id)
        OR (SELECT true FROM annotation_skip s WHERE s.client_id = each.id)
"""


def ids_there(client_ids: Iterable[UUID]) -> set[UUID]:
    """Return those of the ids that a judgment or a skip has."""
    with table_scans_off(), connection.cursor() as cursor:
        cursor.execute(_FIND, [list(map(str, client_ids))])
        return {id_ for (id_,) in cursor.fetchall()}


def repeated_in_words(repeated: int) -> str:
    """Say how many rows of an import repeat others."""
    said = ngettext(
        "%(number)s row repeats an earlier one exactly (judge, segment, systems, answer). It is counted.",
        "%(number)s rows repeat earlier ones exactly (judge, segment, systems, answer). They are counted.",
        repeated,
    )
    return said % {"number": number_format(repeated)}


def skips_in_words(skips: int) -> str:
    """Say how many skips an import stored."""
    said = ngettext("%(number)s skip imported.", "%(number)s skips imported.", skips)
    return said % {"number": number_format(skips)}
