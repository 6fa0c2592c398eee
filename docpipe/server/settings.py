"""What a server is started with."""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path

import msgspec

from docpipe.config import Config
from docpipe.errors import ConfigError

_TOKEN = re.compile(r"[ -~]{8,1000}")
MAX_QUESTION = 2_000  # characters
MAX_BODY = 256 << 10  # bytes of a request that is no upload


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """`folders` are read into the library when the server starts. Uploads may have
    `max_upload` MiB each, and the library at most `max_documents`.

    Raises ConfigError (`needs_token`) for a host other than loopback without a token.
    """

    library: Path
    config: Config = Config()
    passwords: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    token: str | None = None
    folders: tuple[Path, ...] = ()
    jobs: int | None = None
    max_upload: int = 200
    max_documents: int = 10_000

    def __post_init__(self) -> None:
        if self.token is not None and not _TOKEN.fullmatch(self.token):
            raise ConfigError(
                "the token is too short or has other than ASCII characters",
                hint="give at least 8 letters, digits and signs",
            )
        if self.token is None and not is_loopback(self.host):
            raise ConfigError(
                f"{self.host} can be reached by others, and no token is set",
                code="needs_token",
                hint="set DOCPIPE_TOKEN or --token to a secret that the page asks for",
            )

    @property
    def largest(self) -> int:
        """MiB an upload may have: no more than is read."""
        return min(self.max_upload, self.config.limits.max_file_size)

    @property
    def uploads(self) -> Path:
        """Where uploaded files are kept: `uploads/<document id>/<name>` in the library."""
        return self.library / "uploads"


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
