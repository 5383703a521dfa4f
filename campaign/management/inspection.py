"""What an inspection found, in words for a terminal."""

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext as _

from campaign.formats.inspecting import OUTLYING, Inspection, SystemFacts
from campaign.formats.losses import Loss
from campaign.formats.recognising import FileRole, RecognisedFile, RecognisedSet

_WIDTH = 160


def inspection_lines(recognised: RecognisedSet, found: Inspection) -> Iterator[str]:
    """Yield the lines of a report."""
    facts = {each.file.name: each for each in found.files}
    for file in recognised.files:
        line = f"{file.name}: {_role(file)}"
        if file.name in facts:
            line += "; " + _("lines: %(lines)s, encoding: %(encoding)s, line ends: %(ends)s") % {
                "lines": f"{facts[file.name].lines:,}",
                "encoding": facts[file.name].encoding or "?",
                "ends": facts[file.name].line_ends or "–",
            }
        yield line
    if found.languages:
        yield _("Languages, by the names of the files: %(source)s → %(target)s") % {
            "source": found.languages[0],
            "target": found.languages[1],
        }
    yield _("Segments: %(segments)s, documents: %(documents)s, references: %(references)s") % {
        "segments": f"{found.segments:,}",
        "documents": f"{found.documents:,}",
        "references": found.references,
    }
    for system in found.systems:
        yield from _system(system)
    if any(system.outlier_count for system in found.systems):
        yield _(
            "An output stands out if the logarithm of its length by its source's is more than %(limit)s "
            "scaled median absolute deviations from the median of its system."
        ) % {"limit": f"{OUTLYING:g}"}
    for group in found.identical_systems:
        yield _("The same outputs throughout: %(systems)s") % {"systems": ", ".join(group)}
    listed = {file.name for file in recognised.of(FileRole.IGNORED)}
    left_out = (each for each in found.left_out if each[0] not in listed)
    yield from told_lines(left_out, found.warnings)
    for segment in found.sample:
        yield f"{segment.number}. {_one_line(segment.source)}"
        yield from (f"    {_one_line(text)}" for text in segment.references if text)
        yield from (f"    {name}: {_one_line(text)}" for name, text in segment.outputs.items())


def loss_lines(losses: Iterable[Loss]) -> Iterator[str]:
    """Yield a line for everything that a conversion could not carry."""
    for loss in losses:
        yield (
            _("Not carried over: %(what)s (%(count)s times, first at %(first)s).")
            % {"what": loss.what, "count": f"{loss.count:,}", "first": loss.first}
        )


def told_lines(left_out: Iterable[tuple[str, str]], warnings: Iterable[str]) -> Iterator[str]:
    """Yield a line for everything that an import leaves out or warns about."""
    for name, why in left_out:
        yield _("Left out: %(name)s (%(why)s)") % {"name": name, "why": why}
    for warning in warnings:
        yield _("Warning: %(what)s") % {"what": warning}


def _role(file: RecognisedFile) -> str:
    if file.role is FileRole.SYSTEM:
        return _("outputs of %(system)s") % {"system": file.system}
    if file.role is FileRole.IGNORED:
        return _("left out (%(why)s)") % {"why": file.why}
    return {
        FileRole.SOURCE: _("source"),
        FileRole.REFERENCE: _("reference"),
        FileRole.DOCUMENTS: _("names of documents"),
        FileRole.WHOLE: _("whole test set"),
    }[file.role]


def _system(system: SystemFacts) -> Iterator[str]:
    yield _(
        "%(system)s: length by the source's: %(ratio)s, standing out: %(outliers)s, "
        "given to another source too: %(repeated)s, copied from the source: %(copied)s"
    ) % {
        "system": system.name,
        "ratio": "–" if system.usual_ratio is None else f"{system.usual_ratio:.2f}",
        "outliers": f"{system.outlier_count:,}",
        "repeated": f"{system.repeated:,}",
        "copied": f"{system.copied:,}",
    }
    for outlier in system.outliers:
        yield f"    {outlier.number}. ×{outlier.ratio:.2f} {_one_line(outlier.output)}"


def _one_line(text: str) -> str:
    shown = text.replace("\n", " ⏎ ")
    return shown if len(shown) <= _WIDTH else f"{shown[:_WIDTH]}…"
