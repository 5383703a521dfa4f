"""An upload in words: its files, notable findings, and the systems that would take part."""

from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.formats.recognising import FileRole
from campaign.models import Campaign, ReferenceUse, Upload
from campaign.texts.counted import counted
from campaign.texts.languages import language_name

ROLE_WORDS: Final = {
    FileRole.SOURCE: gettext_lazy("Source"),
    FileRole.REFERENCE: gettext_lazy("Reference"),
    FileRole.SYSTEM: gettext_lazy("System outputs"),
    FileRole.DOCUMENTS: gettext_lazy("Document names"),
    FileRole.WHOLE: gettext_lazy("Whole test set"),
    FileRole.IGNORED: gettext_lazy("Skipped"),
}


def upload_in_words(upload: Upload) -> dict[str, Any]:
    """Return the latest report of an upload in words; `stands_out` are sentences that an organiser should read."""
    report = upload.report or {}
    return {
        "roles": [(str(role), str(words)) for role, words in ROLE_WORDS.items()],
        "languages": _languages(upload),
        "stands_out": _stands_out(report),
        "takes_part": _takes_part(upload, report),
    }


def _languages(upload: Upload) -> str:
    if not (upload.source_language and upload.target_language):
        return ""
    return _("%(source)s → %(target)s") % {
        "source": language_name(upload.source_language),
        "target": language_name(upload.target_language),
    }


def _stands_out(report: dict[str, Any]) -> list[str]:
    found = [
        *report.get("warnings", []),
        *(
            _("Identical outputs: %(systems)s.") % {"systems": ", ".join(group)}
            for group in report.get("identical_systems", [])
        ),
    ]
    for system in report.get("systems", []):
        for key, words in (
            ("repeated", _("%(system)s: %(count)s outputs also used for another source.")),
            ("copied", _("%(system)s: %(count)s outputs copied from the source.")),
            ("outlier_count", _("%(system)s: %(count)s outputs of unusual length.")),
        ):
            if system[key]:
                found.append(
                    words % {"system": system["name"], "count": number_format(system[key])}
                )
    return found


def _takes_part(upload: Upload, report: dict[str, Any]) -> str:
    """Return a summary of the judged outputs: "6 systems; the reference as a hidden control"."""
    count = len(report.get("systems", []))
    if not count:
        return ""
    systems = counted("%(count)s system", "%(count)s systems", count)
    if not report.get("references"):
        return _("%(systems)s, no reference.") % {"systems": systems}
    return _reference_words(upload.campaign, ReferenceUse(upload.reference_use)) % {
        "systems": systems
    }


def _reference_words(campaign: Campaign, use: ReferenceUse) -> str:
    if use is ReferenceUse.RANKED:
        if campaign.show_reference:
            return _("%(systems)s and the reference, which judges see and rank.")
        return _("%(systems)s and the reference as a hidden control.")
    if use is ReferenceUse.CONTROL and not campaign.show_reference:
        return _("%(systems)s and the reference as a hidden control.")
    if campaign.show_reference:
        return _("%(systems)s; the reference is shown to judges and not ranked.")
    return _("%(systems)s; the reference is neither shown nor ranked.")
