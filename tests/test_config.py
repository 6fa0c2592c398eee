from __future__ import annotations

from pathlib import Path

import pytest

from docpipe.config import Config, load
from docpipe.errors import ConfigError


def test_defaults_need_no_file() -> None:
    assert load() == Config()


def test_file_and_overrides(tmp_path: Path) -> None:
    path = tmp_path / "docpipe.toml"
    path.write_text('ocr_mode = "off"\n[parser]\nname = "fake"\n[limits]\npage_timeout = 5.0\n')
    config = load(path, ["ocr.dpi=200", "limits.max_pages=7", "ocr_mode=force"])
    assert config.parser.name == "fake"
    assert config.ocr.name == "ocr"
    assert config.ocr.options == {"dpi": 200}
    assert config.ocr_mode == "force"
    assert (config.limits.page_timeout, config.limits.max_pages) == (5.0, 7)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("nonsense", "key=value"),
        ("colour=red", "unknown setting 'colour'"),
        ("ocr_mode=maybe", "ocr_mode"),
        ("limits.page_timeout=soon", "page_timeout"),
        ("limits.pages=3", "pages"),
        ("parser=native", "must be a table"),
        ("language_model.model=x", "needs a name"),
    ],
)
def test_mistakes_are_explained(override: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load(overrides=[override])


def test_unreadable_files_are_explained(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such configuration file"):
        load(tmp_path / "absent.toml")
    (tmp_path / "broken.toml").write_text("a = ")
    with pytest.raises(ConfigError, match="TOML"):
        load(tmp_path / "broken.toml")
