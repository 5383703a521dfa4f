"""Errors that end the launcher; their messages are shown."""


class LauncherError(Exception):
    """A start that cannot succeed; the message says what is wrong and what to do about it."""


class FolderInUseError(LauncherError):
    """Another supervisor holds the data folder."""
