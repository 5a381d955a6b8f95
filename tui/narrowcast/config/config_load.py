"""Loading the configuration: one TOML file, checked as a whole before anything opens.

Apart from `config_check`, so that a start without a file loads no validation library.
"""

from __future__ import annotations

from pathlib import Path

from narrowcast.config.config import Config, ConfigError
from narrowcast_api.regular_files import regular

__all__ = ["load", "parse"]


def load(path: Path) -> Config:
    """Reads and checks ``path``; the defaults if the file does not exist. Raises :class:`ConfigError`."""
    try:
        text = regular(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return Config()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError([f"{path}: cannot be read: {error}"]) from error
    return parse(text, str(path))


def parse(text: str, name: str) -> Config:
    """Checks the text of a configuration; ``name`` is the file's name in error messages. Raises
    :class:`ConfigError`.
    """
    import tomllib

    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError([f"{name}: not TOML: {error}"]) from error
    if not data:
        return Config()
    from narrowcast.config.config_check import checked  # with pydantic; most have no file

    return checked(data, text, name)
