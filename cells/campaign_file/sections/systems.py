"""The systems of a test set: what is said of them, one more, one withdrawn."""

from typing import Any, Final

from annotation.services.systems import (
    DESCRIBED,
    system_add,
    system_change,
    system_restore,
    system_withdraw,
)
from campaign.formats import InputFile
from campaign.models import System, SystemKind, Task
from cells.campaign_file.properties import Schema, list_of, object_of, properties_of, property_of
from cells.campaign_file.said import Said
from cells.campaign_file.sections.section import Run, Section, differing

_SAID: Final = tuple(name for name in DESCRIBED if name != "name")
_OF_PEOPLE: Final = "contact"


class SystemsSection(Section[Task]):
    """Systems by name. Their outputs come with the texts; one more brings a file of its own."""

    fields = {System: ("name", "kind", *_SAID, "withdrawn_at")}

    def properties(self) -> dict[str, Schema]:
        """Return the list of systems."""
        item = object_of(
            {
                "name": property_of(System, "name", minLength=1),
                "kind": property_of(
                    System,
                    "kind",
                    enum=[str(SystemKind.SYSTEM), str(SystemKind.REFERENCE)],
                    description="As the texts make it; not changed.",
                ),
                **properties_of(System, _SAID),
                "withdrawn": {
                    "type": "boolean",
                    "description": "True: no new HIT shows it; what was judged of it counts.",
                },
                "outputs": {
                    "type": "string",
                    "description": "Of one more system for a test set that is there: the file with its outputs.",
                },
            },
            "name",
        )
        return {"systems": list_of(item, "Systems that take part, known by name.")}

    def read(self, owner: Task, *, people: bool) -> dict[str, Any]:
        """Return the systems without damaged references, which are reviewed one by one."""
        rows = owner.test_set.systems.exclude(kind=SystemKind.BAD_REFERENCE).order_by("name")
        return {"systems": [_read(row, people=people) for row in rows]}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Add, describe, withdraw and restore systems; those that the file does not name stay."""
        for each in said.items_of("systems"):
            system = owner.test_set.systems.filter(name=each.get("name")).first()
            if system is None:
                system = _added(owner, each, run)
            if system.kind != each.get("kind", system.kind):
                raise each.error(
                    f"the system is a {system.get_kind_display()}",
                    "leave the key out: the texts say it",
                    "kind",
                )
            changes = differing(system, each.only(_SAID))
            if changes:
                with each.refusals():
                    system_change(system=system, **changes)
            withdrawn = system.withdrawn_at is not None
            if each.get("withdrawn", withdrawn) != withdrawn:
                with each.refusals("withdrawn"):
                    if withdrawn:
                        system_restore(system=system)
                    else:
                        system_withdraw(system=system)


def _read(system: System, *, people: bool) -> dict[str, Any]:
    names = [name for name in _SAID if people or name != _OF_PEOPLE]
    return {
        "name": system.name,
        "kind": system.kind,
        **{name: getattr(system, name) for name in names},
        "withdrawn": system.withdrawn_at is not None,
    }


def _added(owner: Task, said: Said, run: Run) -> System:
    if "outputs" not in said:
        raise said.error(
            f'the test set "{owner.test_set.name}" has no system "{said.get("name")}"',
            "correct the name, or add outputs: FILE for one more system",
            "name",
        )
    if run.folders is None:
        raise said.error(
            "files with texts do not come with this one",
            "add the system on its page, or use apply_campaign where the files are",
            "outputs",
        )
    path = run.folders.needed(said, said.get("outputs"), "outputs")
    try:
        with path.open("rb") as stream, said.refusals("outputs"):
            return system_add(
                test_set=owner.test_set,
                name=said.get("name"),
                file=InputFile(said.get("outputs"), stream),
            )
    except OSError as error:
        raise said.error(
            f'"{path.name}": {error.strerror}', "give a file that can be read", "outputs"
        ) from error
