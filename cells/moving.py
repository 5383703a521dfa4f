"""Move a campaign to another cell.

1. Mark it (`CampaignMove`): from here on the database refuses what judges write, and their browsers keep it.
2. Wait until whoever began to write before has ended, and give all judgments their numbers.
3. Copy all rows, under their ids, from one snapshot into one transaction; compare digests of each table; compute the
   latest rankings again there, bit for bit. Then commit: the copy is there, and closed by the same mark.
4. Note in the old cell that it moved, for good; open the copy.

Whatever fails before the commit of step 3 leaves both cells as they were. A command that is killed after it is run
again, and goes on with step 4.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.services import judgments_number
from campaign.database.cell_ids import cell_of_database
from campaign.database.locks import named_lock_held
from campaign.models import Campaign, CampaignMove, Task
from campaign.services.rehearsals import rehearsal_words
from cells.campaign_rows import TABLES
from cells.databases import asked_by_default
from cells.people import people_copy, people_of
from cells.tables import Digest, table_copy, table_digest, texts_settle, users_rename
from ranking.models import LatestRanking
from ranking.services import ranking_run_reproduce

_LOOK_SECONDS: Final = 0.05

Say = Callable[[str], None]


class MoveRefusedError(Exception):
    """The campaign cannot be moved; says why."""


@dataclass(frozen=True)
class Moved:
    """Where a campaign moved, and its test sets, whose ids are those of the old cell."""

    to_cell: int
    tasks: list[int]


def campaign_move(
    *, campaign: Campaign, target: BaseDatabaseWrapper, patience: float = 60, say: Say
) -> Moved:
    """Move a campaign from this cell to the one with the database `target`; see above.

    Raises `MoveRefusedError` and leaves both cells as they were. Both roles must own the tables.

    Parameters
    ----------
    patience : float
        Seconds to wait for those who write already.
    """
    with _alone(campaign):
        return _move(campaign, target, patience, say)


def _move(campaign: Campaign, target: BaseDatabaseWrapper, patience: float, say: Say) -> Moved:
    to_cell = _target_check(campaign, target)
    move = CampaignMove.objects.filter(pk=campaign.pk).first()
    if not _has_copy(campaign, target):
        if move is not None and move.moved_at is not None:
            # A copy of what it left behind would be open there, and old.
            raise MoveRefusedError(
                _("It has moved to cell %(cell)s, which does not have it any more.")
                % {"cell": to_cell}
            )
        _copy_closed(campaign, target, to_cell, patience, say)
    elif move is None:
        # The copy there is of an earlier moment: of a move whose mark was taken away, or of a backup.
        raise MoveRefusedError(_("It is open here, and the other cell has it too."))
    CampaignMove.objects.filter(pk=campaign.pk, moved_at=None).update(moved_at=Now())
    say(_("Noted here that it moved to cell %(cell)s.") % {"cell": to_cell})
    with asked_by_default(target):
        CampaignMove.objects.filter(pk=campaign.pk, to_cell=to_cell).delete()
        tasks = list(
            Task.objects.filter(test_set__campaign=campaign.pk).values_list("pk", flat=True)
        )
    say(_("Open in cell %(cell)s.") % {"cell": to_cell})
    return Moved(to_cell, sorted(tasks))


def campaign_reopen(*, campaign: Campaign, target: BaseDatabaseWrapper) -> None:
    """Open a campaign again whose move was broken off before the copy was complete.

    Raises `MoveRefusedError` where the copy is complete: then the move is to be ended.
    """
    with _alone(campaign):
        _same_cell_or_refuse(campaign, _database(target)["cell"])
        if _has_copy(campaign, target):
            raise MoveRefusedError(
                _("The other cell has it already. Run the move again to end it.")
            )
        CampaignMove.objects.filter(pk=campaign.pk, moved_at=None).delete()


@contextmanager
def _alone(campaign: Campaign) -> Iterator[None]:
    """Refuse if another command moves the campaign, or opens it again: it would take the mark away."""
    with named_lock_held(f"move of campaign {campaign.pk}") as is_held:
        if not is_held:
            raise MoveRefusedError(_("Another command is moving it."))
        yield


def _copy_closed(
    campaign: Campaign, target: BaseDatabaseWrapper, to_cell: int, patience: float, say: Say
) -> None:
    CampaignMove.objects.update_or_create(campaign=campaign, defaults={"to_cell": to_cell})
    say(_("Closed for writing; browsers keep what judges send."))
    try:
        _writers_await(patience)
        for task in Task.objects.filter(test_set__campaign=campaign):
            judgments_number(task_id=task.pk)
        _rows_move(campaign, target, say)
    except BaseException:
        if not _has_copy(campaign, target):
            CampaignMove.objects.filter(pk=campaign.pk).delete()
        raise


def _target_check(campaign: Campaign, target: BaseDatabaseWrapper) -> int:
    """Return which cell the target is, if it can take the campaign."""
    if campaign.rehearsal_of_id is not None:
        raise MoveRefusedError(rehearsal_words())
    if Campaign.objects.filter(rehearsal_of=campaign).exists():
        raise MoveRefusedError(_("It has a rehearsal. End that first."))
    here, there = _database(connections[DEFAULT_DB_ALIAS]), _database(target)
    if here["cell"] == there["cell"]:
        raise MoveRefusedError(
            _("Both databases are cell %(cell)s. Each cell needs a CELL of its own.")
            % {"cell": here["cell"]}
        )
    if there["cell"] < here["cell"]:
        # The latest judgment, ranking or design is the one with the largest id.
        raise MoveRefusedError(
            _(
                "A campaign moves only to a cell with a higher number, so that its new rows have larger ids."
            )
        )
    if here["migrations"] != there["migrations"]:
        raise MoveRefusedError(_("The two cells do not run the same version."))
    with asked_by_default(target):
        same_name = Campaign.objects.filter(slug=campaign.slug).exclude(pk=campaign.pk).exists()
    if same_name:
        raise MoveRefusedError(_("The other cell has a campaign with this short name."))
    _same_cell_or_refuse(campaign, there["cell"])
    return int(there["cell"])


def _same_cell_or_refuse(campaign: Campaign, cell: int) -> None:
    own = CampaignMove.objects.filter(pk=campaign.pk).first()
    if own is not None and own.to_cell != cell:
        raise MoveRefusedError(
            _("It is being moved to cell %(cell)s, or was.") % {"cell": own.to_cell}
        )


def _database(connection: BaseDatabaseWrapper) -> dict[str, Any]:
    with connection.cursor() as cursor:
        cell = cell_of_database(cursor)
        cursor.execute("SELECT app, name FROM django_migrations ORDER BY app, name")
        return {"cell": cell, "migrations": cursor.fetchall()}


def _has_copy(campaign: Campaign, target: BaseDatabaseWrapper) -> bool:
    """Return whether the whole campaign is in the other cell: it got there in one transaction."""
    with asked_by_default(target):
        return Campaign.objects.filter(pk=campaign.pk).exists()


def _writers_await(patience: float) -> None:
    """Wait until all transactions that may not have seen the mark have ended."""
    connection = connections[DEFAULT_DB_ALIAS]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
        begun = cursor.fetchone()[0]
        end = time.monotonic() + patience
        while True:
            cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
            if cursor.fetchone()[0] >= begun:
                return
            if time.monotonic() > end:
                break
            time.sleep(_LOOK_SECONDS)
    raise MoveRefusedError(
        _("Somebody has been writing for %(seconds)g s: an import? Try again afterwards.")
        % {"seconds": patience}
    )


def _rows_move(campaign: Campaign, target: BaseDatabaseWrapper, say: Say) -> None:
    source = connections[DEFAULT_DB_ALIAS]
    with transaction.atomic(), transaction.atomic(using=target.alias):
        with source.cursor() as cursor:
            # Of the database's: all that is read here is of one moment.
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        triggers_pass(target)
        texts_settle(source)
        texts_settle(target)
        renamed = people_copy(source, target, people_of(campaign.pk, source))
        for model in TABLES:
            table_copy(source, target, model, campaign.pk)
            if renamed:
                users_rename(target, model, campaign.pk, renamed)
        with target.cursor() as cursor:
            cursor.execute(f"ANALYZE {', '.join(model._meta.db_table for model in TABLES)}")
            constraints_check(cursor)
        rows = 0
        for model in TABLES:
            own = table_digest(source, model, campaign.pk)
            _same_or_refuse(
                model._meta.db_table, own, table_digest(target, model, campaign.pk, renamed)
            )
            rows += own[0]
        say(_("Copied %(rows)s rows; each table is the same.") % {"rows": rows})
        with asked_by_default(target):
            rankings = _rankings_reproduce(campaign.pk)
        say(_("%(rankings)s rankings reproduced there, bit for bit.") % {"rankings": rankings})


def triggers_pass(target: BaseDatabaseWrapper) -> None:
    """Let this transaction of the owner pass all triggers; constraints hold as ever.

    What triggers wrote once is copied as rows. What they assert was asserted of the same rows, and is compared.
    """
    with target.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('pgtrigger.ignore', array_agg(DISTINCT tgname)::text, true)"
            " FROM pg_trigger WHERE NOT tgisinternal"
        )


def constraints_check(cursor: Any) -> None:
    """Check foreign keys now, by index: plans made while tables were small would read them whole for each row."""
    cursor.execute("SET LOCAL enable_seqscan = off")
    cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    cursor.execute("SET LOCAL enable_seqscan = on")


def _same_or_refuse(table: str, here: Digest, there: Digest) -> None:
    if here != there:
        raise MoveRefusedError(_("The copy of %(table)s is not the same.") % {"table": table})


def _rankings_reproduce(campaign_id: int) -> int:
    """Compute the latest ranking of each test set again; return how many there are."""
    latest = list(LatestRanking.objects.filter(task__test_set__campaign=campaign_id))
    for ranking in latest:
        run = ranking.as_run()
        if ranking_run_reproduce(run) != run.result:
            raise MoveRefusedError(
                _("The ranking of test set %(task)s comes out otherwise there.")
                % {"task": ranking.task_id}
            )
    return len(latest)
