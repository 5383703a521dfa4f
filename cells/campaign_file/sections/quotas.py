"""Languages of a test set, how much is to be judged of it and by whom; whether it is closed."""

from typing import Any, Final

from campaign.models import TestSet
from campaign.services import test_set_change, test_set_close, test_set_reopen
from campaign.texts.language_tags import language_pair_checked
from cells.campaign_file.properties import Schema, properties_of
from cells.campaign_file.said import Said
from cells.campaign_file.sections.section import Run, Section, differing
from cells.campaign_file.tags import tags_checked

_LANGUAGES: Final = ("source_language", "target_language")
_QUOTAS: Final = ("blocks_wanted", "blocks_per_segment", "expertise")


class QuotasSection(Section[TestSet]):
    """What `change_test_set` changes."""

    fields = {TestSet: (*_LANGUAGES, *_QUOTAS)}

    def properties(self) -> dict[str, Schema]:
        """Return languages and quotas."""
        return properties_of(TestSet, (*_LANGUAGES, *_QUOTAS), blocks_per_segment={"minimum": 1})

    def read(self, owner: TestSet, *, people: bool) -> dict[str, Any]:
        """Return languages and quotas."""
        del people
        return {name: getattr(owner, name) for name in (*_LANGUAGES, *_QUOTAS)}

    def apply(self, owner: TestSet, said: Said, run: Run) -> None:
        """Change what differs."""
        del run
        wanted = said.only((*_LANGUAGES, *_QUOTAS))
        pair = [said.get(name, getattr(owner, name)) for name in _LANGUAGES]
        if any(name in wanted for name in _LANGUAGES):
            key = next(name for name in _LANGUAGES if name in wanted)
            with said.refusals(key):
                checked = language_pair_checked(*pair)
            wanted.update(zip(_LANGUAGES, checked, strict=True))
        if "expertise" in wanted:
            wanted["expertise"] = tags_checked(wanted["expertise"])
        changes = differing(owner, wanted)
        if changes:
            with said.refusals():
                test_set_change(test_set=owner, **changes)
            owner.refresh_from_db()


class ClosingSection(Section[TestSet]):
    """Whether a test set lends nothing more; asked for, and never written into a file."""

    fields = {TestSet: ("closed_at",)}

    def properties(self) -> dict[str, Schema]:
        """Return `closed`."""
        words = "True: judges are lent nothing more of it. Without the key it stays as it is."
        return {"closed": {"type": "boolean", "description": words}}

    def read(self, owner: TestSet, *, people: bool) -> dict[str, Any]:
        """Return nothing."""
        del owner, people
        return {}

    def apply(self, owner: TestSet, said: Said, run: Run) -> None:
        """Close or reopen the test set."""
        del run
        if "closed" not in said or said.get("closed") == (owner.closed_at is not None):
            return
        if said.get("closed"):
            test_set_close(test_set=owner)
        else:
            test_set_reopen(test_set=owner)
        owner.refresh_from_db()
