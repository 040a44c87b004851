"""What an endpoint does not take as it is sent: learned from its error, changed for all later calls, and recorded.

A parameter that is refused is not sent again; ``max_tokens`` may have another name; a system message becomes the start
of a user's. A parameter of the endpoint file is never changed: whoever wrote it wants to know.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from bench.models.remote.client import AttemptFailed, Client, EndpointRequest
from bench.models.remote.response import WarnOnce
from bench.types import CallStatus, Message, Reply

__all__ = ["ALTERNATE", "LIMIT", "RESPONSE_FORMAT", "STOP", "SYSTEM", "AdaptingClient", "change_request", "find_change"]

LIMIT, STOP, SYSTEM, ALTERNATE, RESPONSE_FORMAT = "max_tokens", "stop", "system", "alternate", "response_format"
_SAMPLING = ("top_p", "temperature", "seed")
"""``top_p`` first: of two that a provider does not take together, temperature stays."""
_NAMES = {
    "top_p": r"top_?p",
    "temperature": r"temperature",
    "seed": r"(random_)?seed",
    RESPONSE_FORMAT: r"response_?format|json_object|json mode",
    STOP: r"stop(_?sequences?|_words)?",
    LIMIT: r"max_tokens",
}
_REFUSED = re.compile(
    r"unsupported|(not|n't) (support|accept|allow|recogni[sz]e|permit)"
    r"|(not|isn't) (currently )?(supported|accepted|allowed|permitted|available|valid|a valid)"
    r"|unrecognized|unknown|unexpected|extra[ _](inputs|fields|forbidden)|deprecated"
    r"|cannot both|only (the default|\d)|may only be|must (be|have)|has to be|should be|invalid|参数非法|too many",
    re.IGNORECASE,
)
_USE_INSTEAD = re.compile(r"use [`'\"]?(max_\w+_tokens)\b", re.IGNORECASE)
_UNSUPPORTED = re.compile(r"unsupported|not supported|unrecognized|unknown|extra[ _]|deprecated", re.IGNORECASE)
_NO_SYSTEM = re.compile(
    r"system (role|messages?|prompts?) (is |are )?(not|must be at the beginning)|n.t support system (messages?|prompt)"
    r"|developer instruction is not enabled|role'? does not support '?(system|developer)|invalid role:? '?system",
    re.IGNORECASE,
)
_ALTERNATION = re.compile(r"roles must alternate|alternate (between )?user", re.IGNORECASE)
_DESCRIPTIONS = {
    STOP: "stop: not sent, replies are cut here",
    SYSTEM: "system: sent as the start of the user's message",
    ALTERNATE: "messages: neighbours of one role joined",
}
_NOTHING = ""


class AdaptingClient:
    """A client that changes its requests as the endpoint asks; safe to use from threads."""

    def __init__(self, name: str, client: Client, warnings: WarnOnce, omitted: Iterable[str] = ()):
        """``omitted``: parameters known beforehand not to be taken."""
        self._name, self._client, self._warnings = name, client, warnings
        self._changes: dict[str, str] = dict.fromkeys(sorted(omitted), _NOTHING)
        self._lock = threading.Lock()

    @property
    def changes(self) -> tuple[str, ...]:
        """What is changed in every request, one text each, sorted."""
        with self._lock:
            return tuple(sorted(_describe(name, new) for name, new in self._changes.items()))

    def ask(self, request: EndpointRequest, timeout_s: float) -> Reply:
        """Return the reply.

        Raises: AttemptFailed, ``adapted`` if the next attempt is another request; ContextOverflow.
        """
        with self._lock:
            changes = dict(self._changes)
        sent = change_request(request, changes)
        try:
            reply = self._client.ask(sent, timeout_s)
        except AttemptFailed as failed:
            if failed.status is CallStatus.BAD_REQUEST and (change := find_change(failed.message, sent)):
                self._learn(*change, failed)
            raise
        return replace(reply, text=_cut(reply.text, request.stop)) if STOP in changes else reply

    def _learn(self, name: str, new: str, failed: AttemptFailed) -> None:
        with self._lock:
            self._changes[name] = new
        failed.adapted = failed.retryable = True
        self._warnings.warn(
            f"model {self._name}: the endpoint refused a request ({failed.detail[:120]}); from now on "
            f"{_describe(name, new)}"
        )

    def close(self) -> None:
        self._client.close()


def _describe(name: str, new: str) -> str:
    return _DESCRIPTIONS.get(name) or (f"{name}: sent as {new}" if new else f"{name}: not sent")


def find_change(message: str, sent: EndpointRequest) -> tuple[str, str] | None:
    """Return what an endpoint's error asks to change in a request: a name and its new name, empty = not to be sent.

    None if the error is about something else, or about what was not sent.
    """
    roles = [one.role for one in sent.messages]
    if "system" in roles and _NO_SYSTEM.search(message):
        return SYSTEM, _NOTHING
    if _ALTERNATION.search(message):
        if "system" in roles:
            return SYSTEM, _NOTHING
        return (ALTERNATE, _NOTHING) if any(a == b for a, b in pairwise(roles)) else None
    if not _REFUSED.search(message):
        return None
    if sent.max_tokens is not None and (instead := _USE_INSTEAD.search(message)) and sent.limit_name == LIMIT:
        return LIMIT, instead[1]
    for name in _list_present(sent):
        if re.search(rf"(?<![\w-])({_NAMES[name]})(?![\w-])", message, re.IGNORECASE):
            return name, _NOTHING
    limit_refused = sent.limit_name == LIMIT and re.search(r"\bmax_tokens\b", message) and _UNSUPPORTED.search(message)
    return (LIMIT, "max_completion_tokens") if sent.max_tokens is not None and limit_refused else None


def _list_present(sent: EndpointRequest) -> list[str]:
    """Return the parameters of a request that it can do without."""
    present = {**sent.settings, "seed": sent.seed, STOP: sent.stop or None}
    return [name for name in (*_SAMPLING, RESPONSE_FORMAT, STOP) if present.get(name) is not None]


def change_request(request: EndpointRequest, changes: dict[str, str]) -> EndpointRequest:
    """Return the request with changes by name, as ``find_change`` returns them."""
    if not changes:
        return request
    messages = _move_system(request.messages) if SYSTEM in changes else request.messages
    limit = changes.get(LIMIT, LIMIT)
    return replace(
        request,
        messages=_join_neighbours(messages) if {SYSTEM, ALTERNATE} & changes.keys() else messages,
        max_tokens=request.max_tokens if limit else None,
        limit_name=limit or LIMIT,
        stop=() if STOP in changes else request.stop,
        seed=None if "seed" in changes else request.seed,
        settings={name: value for name, value in request.settings.items() if name not in changes},
    )


def _move_system(messages: Sequence[Message]) -> tuple[Message, ...]:
    return tuple(replace(one, role="user") if one.role == "system" else one for one in messages)


def _join_neighbours(messages: Sequence[Message]) -> tuple[Message, ...]:
    joined: list[Message] = []
    for one in messages:
        if joined and joined[-1].role == one.role:
            joined[-1] = replace(one, content=f"{joined[-1].content}\n\n{one.content}")
        else:
            joined.append(one)
    return tuple(joined)


def _cut(text: str, stop: Sequence[str]) -> str:
    """Return a text up to the first of the stop words in it."""
    return text[: min((at for word in stop if (at := text.find(word)) >= 0), default=len(text))]
