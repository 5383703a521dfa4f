"""Static files with a hash in the name, compressed as they are collected."""

from collections.abc import Iterable
from typing import Any

import brotli
from django.contrib.staticfiles.finders import AppDirectoriesFinder
from django.contrib.staticfiles.storage import HashedFilesMixin
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

_, _IMPORTS = HashedFilesMixin._js_module_import_aggregation_patterns  # type: ignore[attr-defined]  # noqa: SLF001
# The addresses in style sheets; not those of source maps, which are not collected.
_ADDRESSES = [
    pattern
    for kind, patterns in HashedFilesMixin.patterns
    for pattern in patterns
    if kind == "*.css" and "sourceMappingURL" not in str(pattern)
]

# Brotli's best takes seconds on the bundles of the API's documentation.
_LARGE_BYTES = 100_000


# What no page of ours loads of the files that libraries bring: nine tenths.
_UNUSED = [
    "*.map",
    "ext",  # of django_htmx
    "htm[ax]*-4*.js",
    "htmx-2.js",
    "redoc",
    "rest_framework",
    "swagger-ui-standalone-preset.*",
]


class LibrariesFinder(AppDirectoriesFinder):
    """Collects of libraries' files what our pages use."""

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterable[Any]:
        return super().list([*(ignore_patterns or ()), *_UNUSED])


class _QuickCompressor(Compressor):  # type: ignore[misc]  # untyped
    @staticmethod
    def compress_brotli(data: bytes) -> bytes:
        small: bytes = brotli.compress(data, quality=5 if len(data) > _LARGE_BYTES else 11)
        return small


class HashedStaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped
    """Also rewrites the `import` statements of our ES modules to the hashed names.

    Of ours only: Django's switch for it covers every file, and takes a type in
    a comment of django-htmx's extensions for an import of a missing file.
    """

    patterns = (("*.css", _ADDRESSES), ("judge/*.js", _IMPORTS))
    keep_only_hashed_files = True

    def create_compressor(self, **options: Any) -> Compressor:
        return _QuickCompressor(**options)
