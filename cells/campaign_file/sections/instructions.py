"""What judges read and accept."""

from typing import Any

from campaign.models import Campaign, Instructions
from campaign.selectors import instructions_in_force
from campaign.services import instructions_write
from campaign.services.instructions import MAX_CHARACTERS
from campaign.texts.language_tags import language_tag_checked
from cells.campaign_file.properties import Schema, list_of, object_of, property_of
from cells.campaign_file.said import Said
from cells.campaign_file.sections.section import Run, Section


class InstructionsSection(Section[Campaign]):
    """Instructions in force, by language. A changed text is another version."""

    fields = {Instructions: ("language", "text", "demands_acceptance")}

    def properties(self) -> dict[str, Schema]:
        """Return the list of languages."""
        item = object_of(
            {
                "language": property_of(Instructions, "language"),
                "text": property_of(
                    Instructions, "text", minLength=1, maxLength=2 * MAX_CHARACTERS
                ),
                "demands_acceptance": {
                    "type": "boolean",
                    "description": "If the text differs: judges go on only once they accepted it. "
                    "The first version is accepted in any case.",
                },
            },
            "language",
            "text",
        )
        return {"instructions": list_of(item, "What judges read, in each language.")}

    def read(self, owner: Campaign, *, people: bool) -> dict[str, Any]:
        """Return the texts in force."""
        del people
        rows = instructions_in_force(campaign=owner)
        return {"instructions": [{"language": tag, "text": row.text} for tag, row in rows.items()]}

    def apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Write another version of each text that differs from the newest in its language."""
        now = instructions_in_force(campaign=owner)
        seen: set[str] = set()
        for each in said.items_of("instructions"):
            with each.refusals("language"):
                language = language_tag_checked(each.get("language"))
            if language in seen:
                raise each.error(f"the language {language} stands here twice", "give one text")
            seen.add(language)
            text = each.get("text").strip()
            if language in now and now[language].text == text:
                continue
            with each.refusals("text"):
                instructions_write(
                    campaign=owner,
                    language=language,
                    text=text,
                    demands_acceptance=each.get("demands_acceptance", False),
                    user=run.by,
                )
