"""What the error of an endpoint means, from its status code and its text.

There are five outcomes, the same for every provider: the prompt does not fit (``ContextOverflow``), the model declined
(a refusal), the account has no money left (quota), a fault that may pass, one that will not. The patterns are checked
against the wordings of each provider in ``tests/models/remote/provider_wordings.jsonl``. Knows no library and no
network.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from bench.errors import ContextOverflow
from bench.models.remote.client import AttemptFailed, shorten
from bench.types import CallStatus, Reply

__all__ = ["interpret_error", "read_code"]


def _compile(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_TOO_LONG = _compile(
    r"context[ _-]?(length|window|size|limit)",  # OpenAI, Azure, vLLM, SGLang, llama.cpp, Ollama, Groq, MiniMax, ...
    r"maximum (context|prompt|sequence|input|model|allowed input) length",  # xAI, vLLM, TensorRT-LLM, Poolside
    r"(maximum|max\.?) input (tokens|characters|length)",
    r"maximum allowed length",  # SGLang
    r"(prompt|input) is too long|(prompt|input)( tokens)? too long",  # Anthropic, Fireworks, Bedrock, Ollama
    r"too many (input )?tokens|exceeds? the (maximum|available) number of tokens",  # Cohere, Bedrock, AI21, Gemini
    r"expected maxLength: \d|prompt: length: ",  # Bedrock
    r"`?inputs`? (tokens|must have less than)",  # TGI, Together
    r"input tokens exceed",  # Azure, OpenAI
    r"reduce the length of the (messages|prompt|input)",  # Groq, Cerebras
    r"range of input length should be",  # DashScope
    r"exceeded model token limit",  # Moonshot
    r"prompt exceeds max(imum)? length|prompt ?超长|输入长度超过|\"?code\"?: ?\"?1261\b",  # Zhipu
    r"too large for model with",  # Mistral
    r"(prompt|input) token count of \d+ exceeds|tokens_limit_reached|request body too large for",  # GitHub
    r"request_too_large|request payload size exceeds",  # Anthropic, Vertex: more bytes than any window has
    r"messages\[\d+\]\.content'?: string too long",  # OpenAI: more characters than any window has
    r"input length \d+ exceeds|number of input tokens \d+ cannot exceed|length limit exceeded",  # Volcengine, watsonx
)
_NOT_TOO_LONG = _compile(
    r"(tokens|requests) per (minute|min|day)|rate[ _-]?limit|throttl|please wait|too many requests",
    r"(unknown|unsupported|unrecognized|unexpected) (request )?(parameter|argument|field|name)",
)
"""Limits on the account, and parameters, whose names hold the same words."""
_DECLINED = _compile(
    r"content[ _-]?(filter|policy|management)|responsible ?ai|safety system|data_?inspection_?failed",
    r"prohibited_content|\"?code\"?: ?\"?1301\b|contentpolicyviolation",
)
_QUOTA = _compile(
    r"insufficient[ _-]?(quota|credits?|funds|(account )?balance)|exceeded_current_quota|exceeded your current quota",
    r"credit (balance|limit)|(no|more|exhausted|out of)[\w ]{0,20} credits?|\bbilling|payment required|arrearage",
    r"(monthly|account) spending limit|balance is not enough|余额不足|欠费",
)
_SHORT_QUOTA = _compile(r"per ?minute|retry in \d|retrydelay")
"""Gemini calls a rate limit a quota and asks to check the billing; its message then names the minute or the wait."""
_LONG_QUOTA = _compile(r"per ?day|per ?month|limit: 0\b")
_THROTTLED = _compile(r"throttlingexception|please wait before trying again")
_OVERFLOW_CODES = (400, 413, 422, 500, 502)
_QUOTA_CODES = (400, 402, 403, 429)
_OVERLOADED = (429, 503, 529)
_STATUSES = {
    401: CallStatus.AUTH,
    402: CallStatus.QUOTA,
    403: CallStatus.AUTH,
    404: CallStatus.NOT_FOUND,
    408: CallStatus.TIMEOUT,
    429: CallStatus.RATE_LIMIT,
}
_PASSING = (408, 409, 425, 429)


def interpret_error(code: int, text: str, wait_s: float | None = None) -> Reply:
    """Return the refusal that an endpoint's error stands for. ``code`` is the HTTP status.

    Raises: ContextOverflow for a prompt that does not fit; AttemptFailed for everything else.
    """
    if code in _OVERFLOW_CODES and _TOO_LONG.search(text) and not _NOT_TOO_LONG.search(text):
        raise ContextOverflow(f"prompt: expected one that fits the model's window, got {shorten(text)}")
    if code in (400, 403, 422) and _DECLINED.search(text):
        return Reply("", finish="refusal")
    if code == 400 and _THROTTLED.search(text):
        code = 429
    status = _classify(code, text)
    retryable = status is not CallStatus.QUOTA and (code in _PASSING or code >= 500)
    failed = AttemptFailed(status, f"{code} {text}", retryable=retryable)
    failed.overloaded = code in _OVERLOADED
    failed.retry_after_s = wait_s
    raise failed


def read_code(error: object) -> int:
    """Return the HTTP status that an error object in a body names; 500 if it names none."""
    code = error.get("code") if isinstance(error, Mapping) else None
    known = isinstance(code, int | str) and str(code).isdecimal() and 400 <= int(code) < 600
    return int(code) if known and code else 500


def _classify(code: int, text: str) -> CallStatus:
    if code in _QUOTA_CODES and _QUOTA.search(text):
        passing = code == 429 and _SHORT_QUOTA.search(text) and not _LONG_QUOTA.search(text)
        return CallStatus.RATE_LIMIT if passing else CallStatus.QUOTA
    return _STATUSES.get(code) or (CallStatus.SERVER_ERROR if code >= 500 else CallStatus.BAD_REQUEST)
