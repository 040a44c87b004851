"""The one place where keys are taken out of text before it is stored, sent on or printed.

Keys come from the environment and nowhere else, so what has to be hidden is known: the values of variables whose name
says so, and the passwords inside addresses. Knows no model, no store and no file. A masked key (``sk-ab***yz``, as
providers print it) is not a key and stays.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, quote, urlsplit

__all__ = ["Secrets", "credentials_in", "mark_secret", "scrub"]

_NAMED = re.compile(r"((^|_)(key|token|secret|password|passwd|credential|auth)s?|apikey|_pwd)$", re.IGNORECASE)
_LOGIN = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)(?P<login>[^\s/@'\"<>]+)@")
_LONG_ENOUGH = 8
"""Shorter values are words that any text may hold; no provider's key is that short."""


_marked: set[str] = set()


def mark_secret(variable: str) -> None:
    """Say that a variable holds a key although its name does not tell, as an endpoint file may; for this process."""
    _marked.add(variable)


class Secrets:
    """What must not be seen, as an environment tells it; ``hide`` is the same function on all texts of a trial."""

    def __init__(self, environment: Mapping[str, str]):
        found: dict[str, str] = {}
        for name, value in environment.items():
            if name in _marked or _NAMED.search(name):
                found |= dict.fromkeys(_spellings(value.strip()), name)
            elif "://" in value and (login := _LOGIN.search(value)):
                user, _, password = login["login"].partition(":")
                found |= dict.fromkeys(_spellings(password or user), name)
        # The longest first, so that a key that holds another is taken out whole.
        self._found = sorted(found.items(), key=lambda pair: (-len(pair[0]), pair))

    def hide(self, text: str) -> str:
        """Return the text with each known value replaced by ``<NAME>``; the very same text if there is none."""
        for value, name in self._found:
            if value in text:
                text = text.replace(value, f"<{name}>")
        return text


def _spellings(value: str) -> set[str]:
    """A value as it is, and as addresses, JSON and Python literals spell it."""
    if len(value) < _LONG_ENOUGH:
        return set()
    return {value, quote(value, safe=""), quote(value), json.dumps(value)[1:-1], repr(value)[1:-1]}


def scrub(text: str) -> str:
    """Return a message fit to be stored and printed: no value of the present environment, no login in an address."""
    return _LOGIN.sub(r"\g<scheme>***@", Secrets(os.environ).hide(text))


def credentials_in(address: str) -> str:
    """Return what in an address looks like a credential: ``user:password@``, or the name of a parameter; else empty."""
    if _LOGIN.search(address):
        return "user:password@"
    named = [name for name, _ in parse_qsl(urlsplit(address).query) if _NAMED.search(name.replace("-", "_"))]
    return f"?{named[0]}=" if named else ""
