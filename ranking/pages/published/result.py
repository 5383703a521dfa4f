"""What the templates of a published result are given: its public page, and the page in its frozen folder."""

from collections.abc import Sequence
from typing import Any, Final

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import override

from ranking.files.bundles.names import INDEX
from ranking.models import PublishedResult
from ranking.pages.published.page import frozen_in_words, published_page
from ranking.pages.published.versions import newer_version, version_lines
from ranking.reports.published import FOLDER, PublishedFile, bibtex_file

#: The style sheets of the page, as templates/base.html and templates/published/result.html name them.
_STYLES: Final = ("base", "scripts", "dashboard", "published")


def result_shown(
    result: PublishedResult, versions: Sequence[PublishedResult], *, page_url: str
) -> dict[str, Any]:
    """Return what is shown of a result beside its files.

    Parameters
    ----------
    versions : sequence of PublishedResult
        Those that its reader may see, the newest first.
    page_url : str
        Its address for everybody.
    """
    return {
        **_frozen(PublishedFile(result.content, result.digest, page_url)),
        "result": result,
        "lines": version_lines(versions, shown=result),
        "newer": newer_version(versions, result),
        "results_url": page_url.removesuffix(f"{result.address}/"),
    }


def result_file(result: PublishedResult) -> PublishedFile:
    """Return what the files of the folder are written from; their address is known where `PUBLIC_ADDRESS` is."""
    place = reverse("published-result", args=[result.address])
    public = settings.PUBLIC_ADDRESS.rstrip("/")
    return PublishedFile(result.content, result.digest, f"{public}{place}" if public else "")


def frozen_page(result: PublishedResult, names: Sequence[str]) -> str:
    """Return the page of the folder with these files: in English, with its styles in it, and nothing that may change."""
    folder = settings.BASE_DIR / "static" / "css"
    with override("en"):
        context = {
            **_frozen(result_file(result)),
            "result": result,
            "files": [
                {"name": name, "words": FOLDER[name].words, "address": name, "url": ""}
                for name in names
                if name != INDEX
            ],
            "styles": "".join((folder / f"{name}.css").read_text("utf-8") for name in _STYLES),
        }
        return render_to_string("published/frozen.html", context)


def _frozen(written: PublishedFile) -> dict[str, Any]:
    return {
        "page": published_page(written.content),
        "frozen_words": frozen_in_words(written.content),
        "page_url": written.url,
        "citation": bibtex_file(written),
    }
