"""What the launcher says when it cannot go on."""


class LauncherError(Exception):
    """A start that cannot succeed; the message says what is wrong and what to do about it."""


class FolderInUseError(LauncherError):
    """Another supervisor holds the data folder."""
