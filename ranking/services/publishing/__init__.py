"""Publish results of test sets, and change who may see them."""

from ranking.services.publishing.analyses import (
    firmness_ask,
    firmness_is_known,
    has_failed,
)
from ranking.services.publishing.bundles import (
    is_being_made,
    new_seed_comes,
    result_bundle_ask,
)
from ranking.services.publishing.content import PublishedFacts, PublishedWords, published_facts
from ranking.services.publishing.naming import (
    LONGEST_WORDING,
    GivenReason,
    PublishingRefusedError,
    RankingChangedError,
    may_be_anonymous,
    reasons_given,
    wordings_of,
)
from ranking.services.publishing.publish import (
    PublishedDraft,
    embargo_check,
    published_draft,
    result_embargo_change,
    result_publish,
    result_retract,
    result_retraction_undo,
    result_reviewer_link_end,
    result_reviewer_link_make,
    version_check,
)

__all__ = [
    "LONGEST_WORDING",
    "GivenReason",
    "PublishedDraft",
    "PublishedFacts",
    "PublishedWords",
    "PublishingRefusedError",
    "RankingChangedError",
    "embargo_check",
    "firmness_ask",
    "firmness_is_known",
    "has_failed",
    "is_being_made",
    "may_be_anonymous",
    "new_seed_comes",
    "published_draft",
    "published_facts",
    "reasons_given",
    "result_bundle_ask",
    "result_embargo_change",
    "result_publish",
    "result_retract",
    "result_retraction_undo",
    "result_reviewer_link_end",
    "result_reviewer_link_make",
    "version_check",
    "wordings_of",
]
