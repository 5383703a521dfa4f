"""What the template of a published result is given, on its public page and in a static copy."""

from collections.abc import Sequence
from typing import Any

from ranking.models import PublishedResult
from ranking.pages.published.page import frozen_in_words, published_page
from ranking.pages.published.versions import newer_version, version_lines
from ranking.reports.published import PublishedFile, bibtex_file


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
    written = PublishedFile(content=result.content, digest=result.digest, url=page_url)
    return {
        "page": published_page(result.content),
        "result": result,
        "frozen_words": frozen_in_words(result.content),
        "lines": version_lines(versions, shown=result),
        "newer": newer_version(versions, result),
        "page_url": page_url,
        "results_url": page_url.removesuffix(f"{result.address}/"),
        "citation": bibtex_file(written),
    }
