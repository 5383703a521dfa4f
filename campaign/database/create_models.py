"""Create the tables of an app together, in its first migration."""

from collections.abc import Sequence

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation, OperationCategory
from django.db.migrations.state import ProjectState


class CreateModels(Operation):
    """Creates several models at a fraction of the cost of a `CreateModel` for each.

    Django rebuilds the classes of all related models after each operation; this operation does so once. It
    creates indexes and foreign keys before the next operation, so that later SQL can use them.
    """

    serialization_expand_args = ["models"]
    category = OperationCategory.ADDITION

    def __init__(self, models: Sequence[CreateModel]) -> None:
        self.models = models

    def deconstruct(self) -> tuple[str, list[object], dict[str, object]]:
        return type(self).__name__, [], {"models": self.models}

    def describe(self) -> str:
        return f"Create {len(self.models)} models"

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        # Dropping the classes avoids rebuilding them; the next access to `state.apps` builds them.
        state.__dict__.pop("apps", None)
        for model in self.models:
            model.state_forwards(app_label, state)

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for operation in self.models:
            operation.database_forwards(app_label, schema_editor, from_state, to_state)
        for statement in schema_editor.deferred_sql:
            schema_editor.execute(statement, None)
        schema_editor.deferred_sql.clear()

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for operation in reversed(self.models):
            operation.database_backwards(app_label, schema_editor, from_state, to_state)
