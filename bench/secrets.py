"""The one place where keys are taken out of text before it is stored, sent on or printed.

Keys come from the environment and nowhere else, so what has to be redacted is known: the values of variables whose
name ends in KEY, TOKEN, PASSWORD and the like, and the passwords inside addresses. Knows no model, no store and no
file. A masked key (``sk-ab***yz``, as providers print it) is not a key and stays.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, quote, urlsplit

__all__ = ["Secrets", "find_credentials", "mark_secret", "scrub"]

_SECRET_NAME = re.compile(r"((^|_)(key|token|secret|password|passwd|credential|auth)s?|apikey|_pwd)$", re.IGNORECASE)
_LOGIN = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)(?P<login>[^\s/@'\"<>]+)@")
_MIN_LENGTH = 8
"""Characters. A shorter value is a word that any text may hold; no provider's key is that short."""
_marked: set[str] = set()


def mark_secret(variable: str) -> None:
    """Treat a variable as a key in this process although its name is not a key's, as an endpoint file may ask."""
    _marked.add(variable)


class Secrets:
    """The secret values of an environment as it is now; ``redact`` is the same function on all texts of a trial."""

    def __init__(self, environment: Mapping[str, str]):
        found: dict[str, str] = {}
        for name, value in environment.items():
            if name in _marked or _SECRET_NAME.search(name):
                found |= dict.fromkeys(_list_spellings(value.strip()), name)
            elif "://" in value and (login := _LOGIN.search(value)):
                user, _, password = login["login"].partition(":")
                found |= dict.fromkeys(_list_spellings(password or user), name)
        # The longest first, so that a key that holds another is taken out whole.
        self._found = sorted(found.items(), key=lambda pair: (-len(pair[0]), pair))

    def redact(self, text: str) -> str:
        """Return the text with each known value replaced by ``<NAME>``; the very same text if there is none."""
        for value, name in self._found:
            if value in text:
                text = text.replace(value, f"<{name}>")
        return text


def _list_spellings(value: str) -> set[str]:
    """Return a value as it is, and as addresses, JSON and Python literals spell it; nothing for a short one."""
    if len(value) < _MIN_LENGTH:
        return set()
    return {value, quote(value, safe=""), quote(value), json.dumps(value)[1:-1], repr(value)[1:-1]}


def scrub(text: str) -> str:
    """Return a message fit to be stored and printed: without secrets of the present environment, without logins."""
    return _LOGIN.sub(r"\g<scheme>***@", Secrets(os.environ).redact(text))


def find_credentials(address: str) -> str:
    """Return the part of an address that is a credential: ``user:password@``, or ``?name=``; empty if there is none."""
    if _LOGIN.search(address):
        return "user:password@"
    named = [name for name, _ in parse_qsl(urlsplit(address).query) if _SECRET_NAME.search(name.replace("-", "_"))]
    return f"?{named[0]}=" if named else ""
