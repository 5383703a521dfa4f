"""All of a published result as JSON, so that anybody can check its digest."""

import json

from campaign.texts.canonical_json import canonical
from ranking.reports.published.report import PublishedFile


def json_file(file: PublishedFile) -> str:
    """Return digest, address and content; the content stands in a line of its own, as the digest is made of it.

    `sed -n 4p ranking.json | tr -d '\\n' | sha256sum` prints the digest.
    """
    digest, url = json.dumps(file.digest), json.dumps(file.url)
    return f'{{"digest":{digest},\n"url":{url},\n"content":\n{canonical(file.content)}\n}}\n'
