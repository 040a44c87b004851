"""The one place where keys are taken out of text before it is stored, sent on or printed.

Keys come from the environment and nowhere else, so what has to be redacted is known: the values of variables whose
name ends in KEY, TOKEN, PASSWORD and the like, and the passwords inside addresses. A key that a user wrote elsewhere
(in an address, a file, a name) is known by its shape: it is refused, and taken out of messages. Knows no model, no
store and no file. A masked key (``sk-ab***yz``, as providers print it) is not a key and stays.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote, unquote

__all__ = ["Secrets", "find_credentials", "find_key", "holds_key", "is_secret_name", "mark_secret", "scrub"]

_SECRET_NAME = re.compile(
    r"((^|_)(key|token|secret|password|passwd|credential|auth|authorization|cookie|signature|sig)s?|apikey|_pwd)$",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SHAPE = re.compile(
    r"(?<![A-Za-z0-9])(?:sk-[A-Za-z0-9_-]{12,}"
    r"|(?:csk|xai|pplx|nvapi|glpat|xox[abpors])-(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{16,}"
    r"|(?:gsk|hf|r8|fw|gh[pousr])_(?=[A-Za-z]*\d)[A-Za-z0-9]{16,}|(?:tgp_v1|github_pat)_[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{12,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}[A-Za-z0-9_.-]*)"
)
"""How the keys of providers begin, and a JSON web token."""
_HEADER = re.compile(
    r"\b(?:bearer|basic)\s+(?=\S*\d)[^\s*<>\"']{8,}|\b(?:authorization|x-api-key|api-key)\s*[:=]\s*[^\s*<>\"']{8,}",
    re.IGNORECASE,
)
_PIECE = re.compile(r"[A-Za-z0-9]{20,}")
_UUID = re.compile(r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Fa-f])")
_FEW_DIGITS = 3
_ADDRESS = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*://(?P<host>[^/?#]*)(?P<path>[^?#]*)\??(?P<query>[^#]*)(?P<fragment>#?.*)", re.S
)
_BARE_LOGIN = re.compile(r"(?:^|@)\s*[^\s/@]*:[^\s/@]*@")
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
    """Return a message fit to be stored and printed: without secrets of the present environment, without logins, and
    without what has the shape of a key."""
    return _SHAPE.sub("<key>", _LOGIN.sub(r"\g<scheme>***@", Secrets(os.environ).redact(text)))


def is_secret_name(name: str) -> bool:
    """Return True for the name of a field or a header whose value is a credential: ``api-key``, ``accessToken``."""
    return bool(_SECRET_NAME.search(_CAMEL.sub("_", name).replace("-", "_")))


def holds_key(text: str, *, strict: bool = False) -> bool:
    """Return True if some part of a text has the shape of a key.

    ``strict``: also if a part is what no name is but many a key (20 letters and digits in a row, a UUID), or is the
    value of a secret variable.
    """
    if _SHAPE.search(text) or _HEADER.search(text):
        return True
    return strict and (
        any(_is_random(piece) for piece in _PIECE.findall(text))
        or bool(_UUID.search(text))
        or Secrets(os.environ).redact(text) != text
    )


def _is_random(piece: str) -> bool:
    digits = sum(letter.isdigit() for letter in piece)
    return _FEW_DIGITS <= digits <= len(piece) - _FEW_DIGITS


def find_key(values: object) -> str | None:
    """Return the place of the first key in the plain values of a file, as ``a.b``; None if there is none. A key that
    stands in the place of a name is not shown."""
    return next((".".join(place) for place in _find_keys(values, ()) if place), None)


def _find_keys(values: object, place: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(values, Mapping):
        for name, value in values.items():
            shown = scrub(str(name))
            if holds_key(str(name)):
                yield (*place, shown)
            yield from _find_keys(value, (*place, shown))
    elif isinstance(values, str):
        if holds_key(values):
            yield place
    elif isinstance(values, Sequence):
        for value in values:
            yield from _find_keys(value, place)


def find_credentials(address: str) -> str:
    """Return what of an address, or of a name with an address in it, is a credential, in words that do not show it:
    ``user:password@``, ``?name=``, ``a key in its path``; empty if there is none."""
    if _LOGIN.search(address) or _BARE_LOGIN.search(address):
        return "user:password@"
    found = _ADDRESS.search(address)
    if found is None:
        return "a key" if holds_key(address) else ""
    if "@" in found["host"]:
        return "user:password@"
    if holds_key(unquote(found["path"]), strict=True):
        return "a key in its path"
    for pair in found["query"].split("&"):
        name, _, value = pair.partition("=")
        if holds_key(name, strict=True) or holds_key(unquote(value), strict=True):
            return "a key in its query"
        if is_secret_name(name):
            return f"?{name}="
    if len(found["fragment"]) > 1:
        return "a part after #, which no server gets"
    return "a key" if holds_key(address) else ""
