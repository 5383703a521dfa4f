"""Languages of a test set, how much is to be judged of it and by whom; whether it is closed."""

from typing import Any, Final

from campaign.models import Task, TestSet
from campaign.services import task_change, task_close, task_reopen
from campaign.texts.language_tags import language_pair_checked
from cells.campaign_file.properties import Schema, properties_of
from cells.campaign_file.said import Said
from cells.campaign_file.sections.section import Run, Section
from cells.campaign_file.tags import tags_checked

_LANGUAGES: Final = ("source_language", "target_language")
_OF_TEST_SET: Final = (*_LANGUAGES, "expertise")
_OF_TASK: Final = ("blocks_wanted", "blocks_per_segment")


class QuotasSection(Section[Task]):
    """Quotas, languages and expertise of a test set."""

    fields = {TestSet: _OF_TEST_SET, Task: _OF_TASK}

    def properties(self) -> dict[str, Schema]:
        """Return languages and quotas."""
        return {
            **properties_of(TestSet, _LANGUAGES),
            **properties_of(Task, _OF_TASK, blocks_per_segment={"minimum": 1}),
            **properties_of(TestSet, ["expertise"]),
        }

    def read(self, owner: Task, *, people: bool) -> dict[str, Any]:
        """Return languages and quotas."""
        del people
        return _set(owner)

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Change what differs."""
        del run
        there = _set(owner)
        wanted = said.only(there)
        pair = [said.get(name, there[name]) for name in _LANGUAGES]
        if any(name in wanted for name in _LANGUAGES):
            key = next(name for name in _LANGUAGES if name in wanted)
            with said.refusals(key):
                checked = language_pair_checked(*pair)
            wanted.update(zip(_LANGUAGES, checked, strict=True))
        if "expertise" in wanted:
            wanted["expertise"] = tags_checked(wanted["expertise"])
        changes = {name: value for name, value in wanted.items() if value != there[name]}
        if changes:
            with said.refusals():
                task_change(task=owner, **changes)
            owner.refresh_from_db()


def _set(task: Task) -> dict[str, Any]:
    """Return languages and quotas of a task and its test set."""
    test_set = {name: getattr(task.test_set, name) for name in _OF_TEST_SET}
    quotas = {name: getattr(task, name) for name in _OF_TASK}
    return {
        **{name: test_set[name] for name in _LANGUAGES},
        **quotas,
        "expertise": task.test_set.expertise,
    }


class ClosingSection(Section[Task]):
    """Whether a test set lends nothing more; asked for, and never written into a file."""

    fields = {Task: ("closed_at",)}

    def properties(self) -> dict[str, Schema]:
        """Return `closed`."""
        words = "True: judges are lent nothing more of it. Without the key it stays as it is."
        return {"closed": {"type": "boolean", "description": words}}

    def read(self, owner: Task, *, people: bool) -> dict[str, Any]:
        """Return nothing."""
        del owner, people
        return {}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Close or reopen the test set."""
        del run
        if "closed" not in said or said.get("closed") == (owner.closed_at is not None):
            return
        if said.get("closed"):
            task_close(task=owner)
        else:
            task_reopen(task=owner)
        owner.refresh_from_db()
