"""A model as judge of answers: one strict rubric for each kind of question, a verdict that is one word, or none.

The word may be decorated (``**CORRECT**``, ``Verdict: CORRECT.``); ``read_verdict`` lists the forms. Any other reply is
asked for again, with what was wrong about it, and is never searched for something that looks like a verdict; after the
last try it is a JudgeError and the answer stays unscored. The rubrics are text files under ``bench/scoring/rubrics``;
their digest stands in the row of every judged run. Knows no suite.

Source: the criteria of LongMemEval (arXiv 2410.10813, sec. 3.3) by type of question, in our own words and stricter: the
reply must be a verdict as a whole where the original searches it for "yes", and a vague answer is wrong (an audit of
LoCoMo's usual judge found that it accepts 63 % of vague wrong answers). ``judge_probes`` measures a judge.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench.errors import ContextOverflow, JudgeError, NoVerdict, UsageError, reading
from bench.protocols import Model
from bench.replies.visible import clean, hide_thoughts
from bench.types import JudgeCase, Message, Role

__all__ = [
    "CORRECT",
    "RUBRICS",
    "TRIES",
    "WRONG",
    "Judge",
    "Rubrics",
    "Verdict",
    "is_verdict",
    "read_rubrics",
    "read_verdict",
    "rubrics_digest",
]

CORRECT, WRONG = "CORRECT", "WRONG"
RUBRICS = ("answer", "date", "temporal", "update", "preference", "abstention")
Rubrics = Mapping[str, str]
"""The texts that are sent to a judge, by name: ``common``, each of ``RUBRICS``, and ``verdict``."""
_FOLDER = Path(__file__).parent / "rubrics"
TRIES = 3
"""How often a judge is asked for one verdict."""
_MAX_TOKENS = 1024
"""A judge that thinks in its reply's budget needs room; one that does not stops after a word."""
_MARKS = r"[\s*_`\"'“”‘’]{0,12}"
"""Bold, quotes and backticks; no strike-through, which takes the word back."""
_VERDICT = re.compile(
    rf"(?:```(?:text|txt|plaintext|markdown|md)?[ \t]*\n)?"
    rf"(?:{_MARKS}verdict{_MARKS}:)?{_MARKS}(?P<word>{CORRECT}|{WRONG}){_MARKS}\.?{_MARKS}",
    re.IGNORECASE | re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge decided, and how many replies it took."""

    correct: bool
    tries: int


@cache
def _read_rubrics() -> Rubrics:
    return {path.stem: path.read_text(encoding="utf-8").strip() for path in sorted(_FOLDER.glob("*.txt"))}


def read_rubrics(folder: Path | None = None) -> Rubrics:
    """Return this project's rubrics, those with a file in ``folder`` (``answer.txt``) taken from there.

    Raises: UsageError for a folder without a rubric, or with a file that is none.
    """
    if folder is None:
        return _read_rubrics()
    with reading("rubrics", "text files", "name a folder with files such as answer.txt"):
        given = {path.stem: path.read_text(encoding="utf-8").strip() for path in sorted(folder.glob("*.txt"))}
    unknown = sorted(set(given) - set(_read_rubrics()))
    if unknown or not given:
        names = ", ".join(f"{name}.txt" for name in _read_rubrics())
        what = f"{unknown[0]}.txt" if unknown else "none"
        raise UsageError(f"rubrics: expected files named {names} in {folder}, got {what}; see bench/scoring/rubrics")
    return {**_read_rubrics(), **given}


def rubrics_digest(rubrics: Rubrics | None = None) -> str:
    """Return the digest of everything that is sent to a judge besides the case."""
    text = "\n".join(f"{name}\n{text}" for name, text in sorted((rubrics or _read_rubrics()).items()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read_verdict(reply: str) -> str:
    """Return CORRECT or WRONG if a reply is that one word and nothing else; empty if it is anything else.

    Upper and lower case are the same. Around the word there may be bold, quotes, backticks, a fence, one full stop,
    ``Verdict:`` before it, and closed think blocks before all that.
    """
    text = clean(reply).strip()
    visible = hide_thoughts(text)
    if visible.cut or not text.endswith(visible.text):  # the reply goes on to think after its verdict
        return ""
    found = _VERDICT.fullmatch(visible.text)
    return found["word"].upper() if found else ""


def is_verdict(reply: str) -> bool:
    """True if a reply is a verdict as a whole."""
    return bool(read_verdict(reply))


class Judge:
    """Grades answers with one model.

    The model may refuse a reply that is no verdict by raising ``NoVerdict`` (a metered one does, so that the reply is
    booked as spend and asked for again on resume); a bare one need not know of it.
    """

    def __init__(self, model: Model, rubrics: Rubrics | None = None):
        """``rubrics``: None = this project's own."""
        self._model, self._rubrics = model, rubrics or _read_rubrics()

    @property
    def name(self) -> str:
        return self._model.name

    def verdict(self, judge_case: JudgeCase, answer: str) -> Verdict:
        """Return the verdict on one answer.

        Raises: JudgeError if none of three replies is one, or the rubric is unknown; ModelError from the model.
        """
        messages = _build_messages(judge_case, answer, self._rubrics)
        for tries in range(1, TRIES + 1):
            try:
                reply = self._model.chat(messages, role=Role.JUDGE, max_tokens=_MAX_TOKENS).text
                word = read_verdict(reply)
                if not word:
                    raise NoVerdict(reply)
            except ContextOverflow as full:
                raise JudgeError(
                    f"judge {self.name}: expected the case to fit its window, got {full}; take one with a longer window"
                ) from full
            except NoVerdict as failed:
                reply = failed.reply
                messages = (*messages, Message("assistant", reply), Message("user", self._ask_again(reply)))
                continue
            return Verdict(word == CORRECT, tries)
        raise JudgeError(
            f"judge {self.name}: expected {CORRECT} or {WRONG} and nothing else, got {reply[:80]!r} at the "
            f"{TRIES}. try; resume to ask again, or take another judge"
        )

    def _ask_again(self, reply: str) -> str:
        return f"That was {len(reply.split())} words, or not one of the two. {self._rubrics['verdict']}"


def _build_messages(judge_case: JudgeCase, answer: str, texts: Rubrics) -> tuple[Message, ...]:
    if judge_case.rubric not in RUBRICS:
        raise JudgeError(f"judge: expected a rubric ({', '.join(RUBRICS)}), got {judge_case.rubric!r}; fix the suite")
    system = "\n\n".join(texts[name] for name in ("common", judge_case.rubric, "verdict"))
    # The marks are the judge's own: an answer that holds them cannot step out of its place.
    escaped = re.sub(r"<(/?)(answer)>", r"<\1\2 >", answer, flags=re.IGNORECASE)
    question = f"Question: {judge_case.question}\nRight answer: {judge_case.reference_answer}"
    case = f"{question}\n<answer>\n{escaped}\n</answer>\nVerdict:"
    return (Message("system", system), Message("user", case))
