"""Publish results of test sets, and change who may see them."""

from ranking.services.publishing.bundles import is_being_made, result_bundle_ask
from ranking.services.publishing.changes import (
    result_embargo_change,
    result_retract,
    result_retraction_undo,
    result_reviewer_link_end,
    result_reviewer_link_make,
)
from ranking.services.publishing.content import PublishedWords
from ranking.services.publishing.drafts import PublishedDraft, published_draft
from ranking.services.publishing.firmness import (
    firmness_ask,
    firmness_is_known,
    has_failed,
)
from ranking.services.publishing.naming import may_be_anonymous
from ranking.services.publishing.publish import embargo_check, result_publish, version_check
from ranking.services.publishing.refusals import PublishingRefusedError, RankingChangedError

__all__ = [
    "PublishedDraft",
    "PublishedWords",
    "PublishingRefusedError",
    "RankingChangedError",
    "embargo_check",
    "firmness_ask",
    "firmness_is_known",
    "has_failed",
    "is_being_made",
    "may_be_anonymous",
    "published_draft",
    "result_bundle_ask",
    "result_embargo_change",
    "result_publish",
    "result_retract",
    "result_retraction_undo",
    "result_reviewer_link_end",
    "result_reviewer_link_make",
    "version_check",
]
