"""Effect of judges' languages on the work they receive, in words."""

from collections.abc import Collection

from django.utils.translation import gettext as _

from campaign.models import Campaign, Task
from campaign.texts.languages import language_name


def languages_without_work(
    *, campaign: Campaign, languages: Collection[str], judge: str = ""
) -> str:
    """Return a warning about the languages that organisers chose; empty if there is work in them.

    `judge` is the pseudonym of the judge who reads them. For a link or a panel, the warning only names
    languages without a test set. An empty list means all languages of the campaign. One query.
    """
    if not languages:
        return ""
    pairs = Task.objects.of(campaign).language_pairs()
    known = {tag for pair in pairs for tag in pair}
    unknown = ", ".join(language_name(tag) for tag in languages if tag not in known)
    has_work = not judge or any(set(pair) <= set(languages) for pair in pairs)
    said = {"languages": unknown, "judge": judge}
    if unknown and has_work:
        return _("No test set uses %(languages)s.") % said
    if unknown:
        return (
            _("No test set uses %(languages)s. %(judge)s will receive no work until one does.")
            % said
        )
    if not has_work:
        return (
            _(
                "%(judge)s does not read both languages of any test set and will receive no work until one matches."
            )
            % said
        )
    return ""
