"""Parameters of strategies and suites: declared once, given as text after a name, read by type.

Plug-ins import ``Param`` and ``Params`` from ``bench.protocols``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.errors import UsageError, unknown_name

__all__ = ["ACTOR", "Param", "Params", "parse_name", "split_names"]

ACTOR = "actor"
"""The default of a parameter that names a model: the one that acts and answers."""
_MOST = 10**9
"""No number of a parameter is larger, whatever its own bounds."""


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a strategy or suite. The default's type is the parameter's type."""

    name: str
    default: str | int | float | bool
    doc: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    roles: tuple[str, ...] = ()
    """Of a parameter that names a model, with the default ``ACTOR``: the roles whose calls go to that model. The
    harness opens it and hands the calls over; the strategy need not read the parameter."""

    @property
    def default_text(self) -> str:
        """The default as a user would write it: on and off for booleans."""
        return _to_text(self.default)


class Params:
    """Resolved parameters: read by name and type."""

    def __init__(self, declared: Sequence[Param], given: Mapping[str, str] | None = None, *, who: str = "params"):
        given = dict(given or {})
        self._given = frozenset(given)
        self._values: dict[str, str | int | float | bool] = {}
        self._declared = tuple(declared)
        for param in declared:
            raw = given.pop(param.name, None)
            self._values[param.name] = param.default if raw is None else _convert(param, raw, who)
        for name in given:
            raise unknown_name(who, "a parameter", name, [p.name for p in declared])

    def integer(self, name: str) -> int:
        return int(self._values[name])

    def number(self, name: str) -> float:
        return float(self._values[name])

    def text(self, name: str) -> str:
        return str(self._values[name])

    def flag(self, name: str) -> bool:
        return bool(self._values[name])

    @property
    def label(self) -> str:
        """The parameters that were given, in declared order, ``k=5,keep=tail``; empty if none was."""
        given = [p.name for p in self._declared if p.name in self._given]
        return ",".join(f"{name}={_to_text(self._values[name])}" for name in given)

    @property
    def role_models(self) -> dict[str, str]:
        """The names of the models that are called in the place of the acting one, by role."""
        named = {param: self.text(param.name) for param in self._declared if param.roles}
        return {role: model for param, model in named.items() for role in param.roles if model != ACTOR}

    @property
    def resolved(self) -> tuple[tuple[str, str], ...]:
        """Every parameter with the value in force, in declared order."""
        return tuple((p.name, _to_text(self._values[p.name])) for p in self._declared)


def _to_text(value: str | int | float | bool) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _convert(param: Param, raw: str, who: str) -> str | int | float | bool:
    value: str | int | float | bool = raw
    if isinstance(param.default, bool):
        if raw not in ("on", "off"):
            raise UsageError(f"{who}: expected {param.name}=on or off, got {raw!r}; {param.doc}")
        return raw == "on"
    if isinstance(param.default, int | float):
        kind = type(param.default)
        try:
            value = kind(raw)
        except ValueError:
            raise UsageError(f"{who}: expected {param.name}=<{kind.__name__}>, got {raw[:80]!r}; {param.doc}") from None
        if not abs(value) <= _MOST:  # not a number is not below anything either
            raise UsageError(f"{who}: expected {param.name} of at most {_MOST:,}, got {raw[:80]}; {param.doc}")
        if param.minimum is not None and float(value) < param.minimum:
            raise UsageError(f"{who}: expected {param.name} >= {param.minimum:g}, got {raw}; {param.doc}")
        if param.maximum is not None and float(value) > param.maximum:
            raise UsageError(f"{who}: expected {param.name} <= {param.maximum:g}, got {raw}; {param.doc}")
    if param.roles and "://" in raw:
        # The address is not shown: it may hold a key.
        raise UsageError(
            f"{who}: expected {param.name}=MODEL, got an address as well; write it as base_url in the table "
            '[models."MODEL"] of the endpoint file (--endpoint)'
        )
    if param.choices and value not in param.choices:
        raise unknown_name(who, f"{param.name}={'|'.join(param.choices)}", str(value), param.choices)
    return value


def split_names(text: str) -> list[str]:
    """Split a comma list of names with parameters: a piece with ``=`` and no ``:`` before that belongs to the name
    before it.

    ``window:k=5,bm25,hiagent:summary=last,retrieve=off`` is three names.
    """
    names: list[str] = []
    for piece in (part.strip() for part in text.split(",")):
        if not piece:
            continue
        if names and "=" in piece.partition(":")[0]:
            names[-1] += f",{piece}"
        else:
            names.append(piece)
    return names


def parse_name(text: str, what: str) -> tuple[str, dict[str, str]]:
    """Split ``window:k=5`` into the bare name and its parameters. Raises: UsageError."""
    base, _, rest = text.partition(":")
    params: dict[str, str] = {}
    for piece in filter(None, rest.split(",")):
        name, equals, value = piece.partition("=")
        if not equals or not value:
            raise UsageError(f"{what} {text!r}: expected name:key=value,key=value, got {piece!r}; write key=value")
        params[name.strip()] = value.strip()
    return base.strip(), params
