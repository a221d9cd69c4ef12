"""Settings files: read strictly, bounded in size and depth, and no link of a project followed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tenure.files import homes, settings
from tenure.model.errors import InvalidInput


def test_settings_come_from_files(tmp_path: Path) -> None:
    """README: a project's settings are optional."""
    path = tmp_path / "config.toml"
    assert settings.policy_overlay(path) == {}
    path.write_text("[policy.decay]\nunseen_runs = 3\n")
    assert settings.policy_overlay(path) == {"decay": {"unseen_runs": 3}}


@pytest.mark.parametrize(
    "content",
    [
        b"policy = 3",
        b"[policy",
        b"\xff\xfe",
        b"[policy.inject]\nlimit = " + b"9" * 5000,
        b"a = " + b"[" * 5000 + b"]" * 5000,
        b"a" + b".a" * 5000 + b" = 1",
        b"a = " + b"{a = " * 40 + b"1" + b"}" * 40,
        b"#" * (settings.MOST_BYTES + 1),
    ],
    ids=["not-a-table", "torn", "not-utf-8", "digits", "brackets", "dots", "tables", "large"],
)
def test_a_settings_file_that_makes_no_sense_is_named(tmp_path: Path, content: bytes) -> None:
    """Issue 13: deep TOML is an error; so is a number no machine has room for."""
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"config\.toml"):
        settings.policy_overlay(path)


def test_a_folder_in_place_of_the_settings_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()
    with pytest.raises(InvalidInput, match="cannot be read"):
        settings.policy_overlay(tmp_path / "config.toml")


@pytest.mark.parametrize("target", ["/dev/zero", "elsewhere.toml"])
def test_a_projects_settings_are_no_link(tmp_path: Path, target: str) -> None:
    """S20: a clone can carry a link to anything, a device without end among it."""
    (tmp_path / "elsewhere.toml").write_text("[policy.inject]\nlimit = 3\n")
    (tmp_path / "config.toml").symlink_to(target)
    with pytest.raises(InvalidInput, match="symbolic link"):
        settings.read(tmp_path / "config.toml")


def test_the_users_own_settings_may_be_a_link(tmp_path: Path) -> None:
    """Our choice: people keep their settings in a repository of their own."""
    home = Path(os.environ["TENURE_HOME"])
    home.mkdir(exist_ok=True)
    (tmp_path / "dotfiles.toml").write_text("[policy.inject]\nlimit = 3\n")
    (home / "config.toml").symlink_to(tmp_path / "dotfiles.toml")
    assert settings.policy_overlay(home / "config.toml") == {"inject": {"limit": 3}}


def test_a_loop_of_links_in_the_users_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ended every command with status 70."""
    monkeypatch.setenv("TENURE_HOME", str(tmp_path))
    (tmp_path / "config.toml").symlink_to("config.toml")
    with pytest.raises(InvalidInput, match=r"config\.toml.*cannot be read"):
        settings.read(tmp_path / "config.toml")


def test_a_home_whose_mark_is_a_device_has_none(tmp_path: Path) -> None:
    """Every command read /dev/full until memory ended; what such a file says is not even looked at."""
    (tmp_path / homes.FILE).symlink_to("/dev/full")
    assert homes._read(tmp_path) is None
