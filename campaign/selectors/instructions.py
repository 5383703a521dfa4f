"""Instructions of a campaign for its judges, by language."""

from django.conf import settings
from django.db.models import Count, QuerySet
from django.utils import translation
from django.utils.translation import gettext as _

from campaign.models import Campaign, Instructions, Protocol, Task
from campaign.selectors.media import media_in_words, media_of_test_sets
from campaign.texts.joining import sentence_list
from campaign.texts.languages import language_tag_checked, text_for_reader


def instructions_in_force(*, campaign: Campaign) -> dict[str, Instructions]:
    """Return the current instructions by language, in the order in which the languages were added. One query.

    These are the newest versions of each language, except those older than one that demands acceptance, which
    lack what must be accepted.
    """
    newest: dict[str, Instructions] = {}
    demanded = 0
    for row in Instructions.objects.filter(campaign=campaign).order_by("version"):
        # A language keeps its place when a newer version takes it.
        newest[row.language] = row
        if row.demands_acceptance:
            demanded = row.version
    return {
        language: row for language, row in newest.items() if row.version >= demanded
    }


def instructions_to_read(
    *,
    in_force: dict[str, Instructions],
    language: str,
) -> Instructions | None:
    """Return the text for a reader, as `text_for_reader`; None if there are no instructions."""
    return text_for_reader(in_force, language)


def starter_instructions(*, campaign: Campaign, language: str) -> str:
    """Return a text to edit: the work of each task of a campaign, and what decides its answers. Two queries, and two more with media.

    Empty for languages that Quintet is not translated into.
    """
    translated = {language_tag_checked(tag): tag for tag, _name in settings.LANGUAGES}
    if language not in translated:
        return ""
    tasks = list(Task.objects.of(campaign).order_by("pk")) or [
        Task(protocol=Protocol.RANKING),
    ]
    media = media_of_test_sets(campaign)
    with translation.override(translated[language]):
        paragraphs: dict[str, None] = {}
        for task in tasks:
            test_set = task.test_set_id or 0
            criterion = task.study.criterion(
                outputs_are_media=bool(media.outputs.get(test_set)),
            )
            work = [task.study.work, *media_in_words(media.of(test_set))]
            for paragraph in (sentence_list(work), str(criterion)):
                if paragraph:
                    paragraphs[paragraph] = None
        closing = _(
            "Skip an item that you cannot judge. Your judgments are published without your name.",
        )
        return "\n\n".join([*paragraphs, closing])


def instructions_history(*, campaign: Campaign) -> QuerySet[Instructions]:
    """Return all versions, newest first, with how many judges accepted each. One query."""
    return (
        Instructions.objects.filter(campaign=campaign)
        .select_related("created_by")
        .annotate(accepted=Count("acceptances"))
        .order_by("-version")
    )
