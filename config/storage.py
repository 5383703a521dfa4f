"""Static files with a hash in the name, compressed once at start-up."""

from django.contrib.staticfiles.storage import HashedFilesMixin
from whitenoise.storage import CompressedManifestStaticFilesStorage

_, _IMPORTS = HashedFilesMixin._js_module_import_aggregation_patterns  # type: ignore[attr-defined]  # noqa: SLF001


class HashedStaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped
    """Also rewrites the `import` statements of our ES modules to the hashed names.

    Of ours only: Django's switch for it covers every file, and takes a type in
    a comment of django-htmx's extensions for an import of a missing file.
    """

    patterns = (*CompressedManifestStaticFilesStorage.patterns, ("judge/*.js", _IMPORTS))
