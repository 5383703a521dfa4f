"""Accounts that may use a data folder."""

import os
from pathlib import Path

import pytest

from launcher.data_directory import DataDirectory, LauncherError


def test_an_account_without_a_home_is_advised_to_choose_a_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("QUINTET_HOME", "~no-such-account/quintet")
    with pytest.raises(LauncherError, match="Set QUINTET_HOME"):
        DataDirectory.from_environment()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize(("owner", "name"), [(65534, "nobody"), (54321, "#54321")])
def test_root_leaves_the_folder_of_another_account_to_it(
    tmp_path: Path,
    owner: int,
    name: str,
) -> None:
    """zammad/zammad 2508, jhuckaby/Cronicle 779: a command of root's cron was the last before a service did not start."""
    directory = DataDirectory(tmp_path)
    with directory.locked():
        pass
    os.chown(tmp_path / "supervisor.lock", owner, owner)
    with (
        pytest.raises(LauncherError, match=f"account {name}"),
        directory.locked(),
    ):
        pass
