"""Triggers that write what people set and change into the activity log (decision 67).

Of a model that has one, each change of the fields it names is an event, whoever makes it and by what
means: a page, a command, REST or SQL by hand. What is written is worked out by the function
`activity_record` of the database (campaign/migrations/0002_campaigns.py); who did it, the connection says
(`campaign.database.acting`).
"""

from collections.abc import Sequence
from typing import Any, Final, cast

import pgtrigger
from django.db.models import Model

#: What a row takes the place of, where the newest of a task is in force.
EARLIER_OF_TASK: Final = (
    "earlier.task_id = {row}.task_id AND earlier.id < {row}.id ORDER BY earlier.id DESC LIMIT 1"
)

_ROW: Final = """\
IF TG_OP = 'DELETE' THEN written := OLD; ELSE written := NEW; after := {after}; hidden_after := {hidden_after}; END IF;
IF TG_OP <> 'INSERT' THEN before := {before}; hidden_before := {hidden_before}; END IF;
{replaced}PERFORM activity_record(
    '{kind}', done, {campaign}, {test_set}, written.{key}, {called},
    before, after, hidden_before, hidden_after, 1
);
RETURN NULL;
"""
_REPLACED: Final = """\
IF TG_OP = 'INSERT' THEN
    SELECT {before}, {hidden_before}, 'UPDATE' INTO before, hidden_before, done
    FROM {table} earlier WHERE {replaces};
    IF NOT FOUND THEN done := TG_OP; END IF;
END IF;
"""
_BULK: Final = """\
PERFORM activity_record(
    '{kind}', TG_OP, each.campaign, each.test_set, CASE WHEN count(*) = 1 THEN min(each.key) END,
    CASE WHEN count(*) = 1 THEN min(each.called) ELSE '' END,
    each.before, each.after, '{{}}', '{{}}', count(*)::integer
)
FROM (
    SELECT {places}, row_new.{key} AS key, {before} AS before, {after} AS after FROM {rows} {join}
) each
GROUP BY each.campaign, each.test_set, each.before, each.after;
RETURN NULL;
"""


class Recorded(pgtrigger.Trigger):
    """Record each row of a model that is made, changed or deleted.

    Parameters
    ----------
    name : str
        Of the trigger.
    fields : sequence of str
        Columns whose values are recorded. All others may change unseen.
    hidden : sequence of str
        Columns of text of which is recorded that they changed, and whether they were empty: secrets.
    campaign, test_set, called : str
        SQL for the campaign, the test set (or NULL) and the words by which people know the row; `{row}`
        stands for it. Not a person's name: those are looked up when the log is read.
    replaces : str
        Where a change is a new row: the condition on the row `earlier` that this one takes the place of.
    deleted : bool
        Whether rows that are deleted are recorded.
    """

    level = pgtrigger.Row
    when = pgtrigger.After
    declare = [
        ("written", "RECORD"),
        ("done", "TEXT := TG_OP"),
        *((name, "JSONB") for name in ("before", "after", "hidden_before", "hidden_after")),
    ]

    def __init__(
        self,
        *,
        name: str,
        fields: Sequence[str],
        hidden: Sequence[str] = (),
        campaign: str = "{row}.campaign_id",
        test_set: str = "NULL",
        called: str = "''",
        replaces: str = "",
        deleted: bool = True,
    ) -> None:
        self.fields, self.hidden, self._replaces = tuple(fields), tuple(hidden), replaces
        self._places = {"campaign": campaign, "test_set": test_set, "called": called}
        # An update that names none of the columns costs nothing.
        updated = pgtrigger.UpdateOf(*self.fields, *self.hidden)  # type: ignore[no-untyped-call]
        operation = pgtrigger.Insert | updated
        super().__init__(
            name=name, operation=operation | pgtrigger.Delete if deleted else operation
        )

    def get_func(self, model: Any) -> str:
        """Return the body of the trigger."""
        places = {name: sql.replace("{row}", "written") for name, sql in self._places.items()}
        replaced = _REPLACED.format(
            table=model._meta.db_table,
            replaces=self._replaces.replace("{row}", "written"),
            before=_object(self.fields, "earlier"),
            hidden_before=_object(self.hidden, "earlier"),
        )
        return _ROW.format(
            kind=model._meta.label_lower,
            key=model._meta.pk.column,
            before=_object(self.fields, "OLD"),
            after=_object(self.fields, "NEW"),
            hidden_before=_object(self.hidden, "OLD"),
            hidden_after=_object(self.hidden, "NEW"),
            replaced=replaced if self._replaces else "",
            **places,
        )


class RecordedInBulk(pgtrigger.Trigger):
    """Record rows that are made, or changed, by the thousand: those with the same change are one event.

    Parameters
    ----------
    name : str
    operation : pgtrigger.Operation
        INSERT, UPDATE or DELETE: a trigger that sees all rows of a statement is of one kind of statement.
    fields : sequence of str
        As of `Recorded`; so are `campaign`, `test_set` and `called`, in which `{row}` is `row_new`.
    join : str
        SQL that leads from the rows to what these name.
    """

    level = pgtrigger.Statement
    when = pgtrigger.After

    def __init__(
        self,
        *,
        name: str,
        operation: pgtrigger.Operation,
        fields: Sequence[str],
        campaign: str,
        test_set: str,
        called: str,
        join: str,
    ) -> None:
        self.fields, self.hidden = tuple(fields), ()
        self._join = join
        self._places = f"{campaign} AS campaign, {test_set} AS test_set, {called} AS called"
        seen = {} if operation == pgtrigger.Delete else {"new": "rows_new"}
        seen |= {} if operation == pgtrigger.Insert else {"old": "rows_old"}
        referencing = pgtrigger.Referencing(**seen)  # type: ignore[no-untyped-call]
        super().__init__(name=name, operation=operation, referencing=referencing)

    def get_func(self, model: Any) -> str:
        """Return the body of the trigger."""
        key, is_update = model._meta.pk.column, self.operation == pgtrigger.Update
        is_deletion = self.operation == pgtrigger.Delete
        before = f"JOIN rows_old row_old USING ({key})" if is_update else ""
        values = _object(self.fields, "row_new")
        gone = values if is_deletion else "NULL::jsonb"
        return _BULK.format(
            kind=model._meta.label_lower,
            key=key,
            places=self._places,
            before=_object(self.fields, "row_old") if is_update else gone,
            after="NULL::jsonb" if is_deletion else values,
            rows="rows_old row_new" if is_deletion else f"rows_new row_new {before}",
            join=self._join,
        )


def recorded_columns() -> dict[type[Model], tuple[set[str], set[str]]]:
    """Return for each recorded model the columns whose values are recorded, and the hidden ones."""
    found: dict[type[Model], tuple[set[str], set[str]]] = {}
    # Its types speak of instances of models and mean their classes.
    for model, trigger in cast("list[tuple[type[Model], Any]]", pgtrigger.registered()):
        if isinstance(trigger, Recorded | RecordedInBulk):
            fields, hidden = found.setdefault(model, (set(), set()))
            fields.update(trigger.fields)
            hidden.update(trigger.hidden)
    return found


def _object(columns: Sequence[str], row: str) -> str:
    pairs = ", ".join(f"'{column}', {row}.{column}" for column in columns)
    return f"jsonb_build_object({pairs})"
