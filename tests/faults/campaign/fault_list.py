"""The wrong ways of an endpoint to reply, each with what must come of it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.servers.openai_server import Answer, completion, error, usage

__all__ = ["BODY_LIMIT", "FAULTS", "Fault", "Truth"]

BODY_LIMIT = 128 << 20
"""An endless body ends here: whoever has read so much has no limit."""
_PIECE = b" " * (1 << 16)


@dataclass(frozen=True, slots=True)
class Truth:
    """What a sound endpoint would have replied."""

    text: str
    prompt: int
    written: int

    @property
    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(completion(self.text, usage(self.prompt, self.written)).body)
        return found


@dataclass(frozen=True, slots=True)
class Fault:
    """``outcome``: ``right`` (the reply means what it should), ``passing`` (asked again, then right; unscored if it
    stays), ``lasting`` (unscored at once), ``incurable`` (stops the run if it stays), ``either`` (right or unscored),
    ``reply`` (a reply of the model's own, scored as such). Never a score by accident, never a strategy-error."""

    name: str
    outcome: str
    answer: Callable[[Truth], Answer]

    @property
    def many(self) -> bool:
        """The run must stop before it has asked for everything, so it needs many tasks."""
        return self.outcome == "incurable"

    @property
    def slow(self) -> bool:
        return self.name.startswith("slow")


def _says(value: object) -> Callable[[Truth], Answer]:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return lambda _truth: Answer(data)


def _change(**fields: object) -> Callable[[Truth], Answer]:
    return lambda truth: Answer(json.dumps({**truth.body, **fields}).encode())


def _counts(counted: object) -> Callable[[Truth], Answer]:
    """The true text with another usage; a text is put in as it is, for numbers that JSON has not."""

    def answer(truth: Truth) -> Answer:
        data = json.dumps({**truth.body, "usage": "@"})
        return Answer(data.replace('"@"', counted if isinstance(counted, str) else json.dumps(counted)).encode())

    return answer


def _details(**fields: object) -> Callable[[Truth], Answer]:
    """The true counts, and more next to them."""
    return lambda truth: _counts({**usage(truth.prompt, truth.written), **fields})(truth)


def _message(**fields: object) -> Callable[[Truth], Answer]:
    def answer(truth: Truth) -> Answer:
        body = truth.body
        body["choices"][0]["message"].update(fields)
        return Answer(json.dumps(body).encode())

    return answer


def _choice(**fields: object) -> Callable[[Truth], Answer]:
    def answer(truth: Truth) -> Answer:
        body = truth.body
        body["choices"][0].update(fields)
        return Answer(json.dumps(body).encode())

    return answer


def _wrap(change: Callable[[bytes], bytes], **headers: str) -> Callable[[Truth], Answer]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda truth: Answer(change(json.dumps(truth.body).encode()), headers=named)


def _raw(*pieces: bytes) -> Callable[[Truth], Answer]:
    return lambda _truth: Answer(raw=pieces)


def _status(code: int, text: str = "no", **headers: str) -> Callable[[Truth], Answer]:
    return lambda _truth: error(code, text, **headers)


def _true_with_status(code: int) -> Callable[[Truth], Answer]:
    return lambda truth: Answer(json.dumps(truth.body).encode(), code)


def _endless(head: bytes) -> Callable[[Truth], Answer]:
    def pieces() -> Iterator[bytes]:
        yield head
        for _ in range(BODY_LIMIT // len(_PIECE)):
            yield b"%x\r\n" % len(_PIECE) + _PIECE + b"\r\n" if b"chunked" in head else _PIECE

    return lambda _truth: Answer(raw=pieces())


_OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
_HTML = b"<html><body>Bad gateway</body></html>"
_DEEP = b'{"choices": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"

_STATUSES = (
    *(Fault(f"status {code}", "passing", _status(code)) for code in (408, 425, 429, 500, 502, 503, 504, 529, 599)),
    *(Fault(f"status {code}", "lasting", _status(code)) for code in (400, 405, 410, 418, 422, 451)),
    *(Fault(f"status {code}", "incurable", _status(code, "denied")) for code in (401, 402, 403)),
    Fault("status 404, unknown model", "incurable", _status(404, "The model `toy` does not exist")),
    Fault("status 429, no credit", "incurable", lambda _: error(429, "no credit", "insufficient_quota")),
    *(Fault(f"status {code}, a redirect", "lasting", _status(code, Location="http://127.0.0.1:9/v1"))
      for code in (301, 302, 307, 308)),
    *(Fault(f"status {code} with a true body", "either", _true_with_status(code)) for code in (201, 202, 203, 206)),
    Fault("status 204", "either", lambda _: Answer(b"", 204)),
    Fault("status 304", "lasting", lambda _: Answer(b"", 304)),
    Fault("status 502 with a page", "passing", lambda _: Answer(_HTML, 502, {"Content-Type": "text/html"})),
    *(Fault(f"Retry-After: {text}", "passing", _status(429, Retry_After=text))
      for text in ("soon", "-5", "nan", "", "Thu, 01 Jan 1970 00:00:00 GMT", "\u0663".encode().decode("latin-1"))),
    *(Fault(f"Retry-After: {text}", "lasting", _status(429, Retry_After=text)) for text in ("86400", "1" + "0" * 400)),
    *(Fault(f"Retry-After: {text}", "either", _status(429, Retry_After=text)) for text in ("inf", "1e308")),
)  # fmt: skip

_BODIES = (
    *(Fault(f"body {value!r}", "passing", _says(value)) for value in (None, [], {}, 1, "text", True, {"choices": 3})),
    Fault("body empty", "passing", _says(b"")),
    Fault("body cut JSON", "passing", _wrap(lambda data: data[:-20])),
    Fault("body a page with 200", "passing", lambda _: Answer(_HTML, headers={"Content-Type": "text/html"})),
    Fault("body deep JSON", "passing", _says(_DEEP)),
    Fault("body not UTF-8", "passing", _says(b'{"choices": [{"message": {"content": "\xff\xfe"}}]}')),
    Fault("body in UTF-16", "either", _wrap(lambda data: data.decode().encode("utf-16"))),
    Fault("body with a BOM", "either", _wrap(lambda data: b"\xef\xbb\xbf" + data)),
    Fault("body as events", "passing", _wrap(lambda data: b"data: " + data + b"\n\ndata: [DONE]\n\n")),
    Fault("body twice", "passing", _wrap(lambda data: data + b"\n" + data)),
    Fault("body gzip", "either", _wrap(gzip.compress, Content_Encoding="gzip")),
    Fault("body of wrong type", "right", _wrap(bytes, Content_Type="image/png")),
    Fault("body with an integer of 5,000 digits", "either", _counts('{"prompt_tokens": 1' + "0" * 5000 + "}")),
    *(Fault(f"choices {value!r}", "passing", _change(choices=value))
      for value in (None, {}, [], [None], [{}], "ab", [[]], [{"message": None}], [{"message": "Action: look"}])),
    *(Fault(f"an error with 200: {value!r}", "passing", _says({"error": value}))
      for value in ("overloaded", {"code": 500, "message": "no"}, ["no"], {"code": "x"})),
    Fault("an error with 200: code 401", "incurable", _says({"error": {"code": 401, "message": "no key"}})),
)  # fmt: skip

_REPLIES = (
    *(Fault(f"content {value!r}", "passing", _message(content=value)) for value in (None, 5, {}, [], "", " \n ", [1])),
    Fault("content in parts", "right", lambda truth: _message(content=[{"type": "text", "text": truth.text}])(truth)),
    Fault("content only thought", "passing", _message(content=None, reasoning_content="hm")),
    Fault("content only tools", "passing", _message(content=None, tool_calls=[{"function": {"name": "go"}}])),
    *(Fault(f"content {name}", "reply", _message(content=f"Action: look{text}")) for name, text in (
        ("with half a surrogate", "\ud800"), ("with NUL", "\0"), ("with escape sequences", "\x1b]0;x\x07\x1b[2J"),
        ("of 5 MB", " at it" * 900_000), ("with a bidi override", "\u202e"),
    )),
    Fault("a refusal", "reply", _message(content=None, refusal="I will not.")),
    Fault("finish length", "reply", _choice(finish_reason="length")),
    Fault("finish content_filter", "reply", _choice(finish_reason="content_filter")),
    Fault("finish error", "passing", _choice(finish_reason="error")),
    *(Fault(f"finish {value!r}", "right", _choice(finish_reason=value)) for value in (None, 7, {}, ["stop"], "odd")),
)  # fmt: skip

_USAGES = tuple(
    Fault(f"usage {str(value)[:60]}", "right", _counts(value)) for value in (
        None, "{}", [], '"plenty"', usage(-4, 2), usage(0, 0), usage(12, -1),
        {"prompt_tokens": 12.5, "completion_tokens": 3}, {"prompt_tokens": "12", "completion_tokens": "3"},
        {"prompt_tokens": True, "completion_tokens": True}, usage(10**30, 10**30), usage(2**63, 1), usage(2**53, 2**53),
        '{"prompt_tokens": 1e400, "completion_tokens": 3}', '{"prompt_tokens": NaN, "completion_tokens": NaN}',
        '{"prompt_tokens": 1e30, "completion_tokens": 1e30}', '{"prompt_tokens": -Infinity}',
        {"prompt_tokens": {"n": 1}, "completion_tokens": [2]}, {"total_tokens": 10**20},
    )
)  # fmt: skip

_DETAILS = tuple(
    Fault(f"usage with {name}: {value}", "right", _details(**{name: value})) for name, value in (
        ("prompt_tokens_details", {"cached_tokens": 10**25}), ("prompt_tokens_details", [1]), ("total_tokens", 10**20),
        ("completion_tokens_details", {"reasoning_tokens": -(10**25)}), ("completion_tokens_details", "x"),
        ("cost", "free"), ("prompt_cache_hit_tokens", 1e300),
    )
)  # fmt: skip

_CONNECTIONS = (
    Fault("cut before a byte", "passing", lambda _: Answer(cut_after=-1)),
    Fault("cut after the headers", "passing", lambda _: Answer(b"x" * 100, cut_after=0)),
    Fault("cut in the body", "passing", lambda truth: Answer(json.dumps(truth.body).encode(), cut_after=40)),
    Fault("slow body", "passing", lambda truth: Answer(json.dumps(truth.body).encode(), trickle_s=0.2)),
    *(Fault(f"length {text}", "passing", _raw(_OK + b"Content-Length: " + text.encode() + b"\r\n\r\n{}"))
      for text in ("999", "-1", "ten", "1", "9" * 50)),
    Fault("a line that is no HTTP", "passing", _raw(b"SSH-2.0-OpenSSH_9.6\r\n")),
    Fault("status line 99999", "passing", _raw(b"HTTP/1.1 99999 Odd\r\nContent-Length: 0\r\n\r\n")),
    Fault("status line 000", "passing", _raw(b"HTTP/1.1 000 Odd\r\nContent-Length: 0\r\n\r\n")),
    Fault("status line HTTP/9.9", "passing", _raw(b"HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\n{}")),
    Fault("a header of 1 MB", "passing", _raw(_OK, b"X-Long: " + b"x" * (1 << 20) + b"\r\n\r\n{}")),
    Fault("a thousand headers", "passing", _raw(_OK, b"".join(b"X-%d: 1\r\n" % n for n in range(1000)), b"\r\n{}")),
    Fault("bad chunks", "passing", _raw(_OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n")),
    Fault("half a chunk", "passing", _raw(_OK + b"Transfer-Encoding: chunked\r\n\r\nff\r\n{}")),
    Fault("a chunk of 2^60 bytes", "passing", _raw(_OK + b"Transfer-Encoding: chunked\r\n\r\n1000000000000000\r\n{}")),
    Fault("endless body", "passing", _endless(_OK + b"\r\n")),
    Fault("endless chunks", "passing", _endless(_OK + b"Transfer-Encoding: chunked\r\n\r\n")),
    Fault("endless error body", "passing", _endless(b"HTTP/1.1 500 No\r\n\r\n")),
)  # fmt: skip

FAULTS = (*_STATUSES, *_BODIES, *_REPLIES, *_USAGES, *_DETAILS, *_CONNECTIONS)
