"""The files of a published result, as its page offers them."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

#: What each is, by the last part of its address.
FILES_IN_WORDS: dict[str, Promise] = {
    "ranking.csv": _("Table as CSV"),
    "ranking.tex": _("Table as LaTeX (booktabs)"),
    "ranking.typ": _("Table as Typst"),
    "ranking.md": _("Table as Markdown"),
    "ranking.svg": _("Plot as SVG"),
    "ranking.json": _("Everything as JSON"),
    "citation.bib": _("Citation as BibTeX"),
    "CITATION.cff": _("Citation as CITATION.cff"),
}
