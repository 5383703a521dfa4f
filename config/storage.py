"""Static files with a hash in the name, compressed once at start-up."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped
    """Also rewrites the `import` statements of ES modules to the hashed names."""

    support_js_module_import_aggregation = True
