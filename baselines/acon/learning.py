"""How ACON's guidelines are learned: what compressed memories lacked in failed attempts, then what they held in vain.

Calls of role guideline. First step: one for each failure that is compared with a success of its task, and one for each
guideline that a batch of them has something to say on. Second step (``shorten``): the same for successes with a
compressed memory. A reply without JSON is asked for once more; a second one is taken as said of the history. Both are
counted in ``log/learning.txt``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from baselines.acon.attempts import KINDS, Contrast, Success, find_contrasts, find_successes
from baselines.acon.memory import read_guideline
from baselines.shared.artifacts import join_artifacts
from baselines.shared.json_calls import JsonCalls, read_plain
from baselines.shared.summarizer import Summarizer, tell_limit
from bench.protocols import Kit
from bench.replies import JsonNode, strip_label
from bench.types import Artifact, Message, Trial

__all__ = ["learn"]

_PROMPTS = {
    name: Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8").strip()
    for name in ("analyse", "rewrite", "unneeded", "shorten")
}
_WHAT = {"history": "the history of a task", "observation": "one long text that a world answered"}
_ROLE, _LOG = "guideline", "log/analyses.txt"
_GUIDELINE_TOKENS = 200
_Analysis = Mapping[str, str]
"""What an attempt says on each kind of compression; empty where it says nothing."""


def learn(trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Return both guidelines with the analyses that they were written from; nothing without a contrast."""
    contrasts = find_contrasts(trials)
    if not contrasts:
        return Artifact()
    writer = _Writer(kit)
    writer.take("analyse", "rewrite", contrasts)
    successes = find_successes(trials) if kit.params.flag("shorten") else []
    writer.take("unneeded", "shorten", successes)
    tasks = tuple(sorted({one.task for one in contrasts} | {one.task for one in successes}))
    files = {f"{kind}_guideline.txt": f"{text}\n" for kind, text in writer.guidelines.items()}
    files[_LOG] = "".join(f"{line}\n" for line in writer.said)
    return join_artifacts([Artifact(files, dict.fromkeys(files, tasks)), writer.calls.write_log()])


class _Writer:
    """The guidelines as they change, and what was said about the attempts."""

    def __init__(self, kit: Kit):
        self._kit, self._batch = kit, kit.params.integer("batch")
        self._summarizer = Summarizer(kit, _ROLE, _GUIDELINE_TOKENS)
        self.calls = JsonCalls(kit)
        self.guidelines = {kind: read_guideline(kind, {}) for kind in KINDS}
        self.said: list[str] = []

    def take(self, analyse: str, write: str, attempts: Sequence[Contrast | Success]) -> None:
        """Analyse attempts, and write the guidelines again after every batch of them. The names are of prompts."""
        for start in range(0, len(attempts), self._batch):
            found = [self._analyse(analyse, one) for one in attempts[start : start + self._batch]]
            for kind in KINDS:
                if said := [one[kind] for one in found if one.get(kind)]:
                    self._write(write, kind, said)

    def _analyse(self, prompt: str, attempt: Contrast | Success) -> _Analysis:
        answer = self.calls.ask_answer(_ROLE, _PROMPTS[prompt], attempt.render(), _read_analysis)
        found = {"history": read_plain(self._kit, answer.reply)} if answer.value is None else answer.value
        self.said += [f"{kind}: {text}" for kind, text in found.items() if text]
        return found

    def _write(self, prompt: str, kind: str, said: Sequence[str]) -> None:
        """Write a guideline again; where the reply is empty it stays."""
        system = tell_limit(_PROMPTS[prompt].replace("{what}", _WHAT[kind]), _GUIDELINE_TOKENS)
        listed = "\n".join(f"- {text}" for text in said)
        request = f"# Guideline so far\n{self.guidelines[kind]}\n\n# What was found\n{listed}"
        text = self._summarizer.ask((Message("system", system), Message("user", request))).strip()
        self.guidelines[kind] = text or self.guidelines[kind]


def _read_analysis(reply: JsonNode) -> _Analysis:
    """Return what a reply says on each compression. Raises: ReplyError where it names neither."""
    found = {kind: strip_label(reply[kind].text(), kind) for kind in KINDS if kind in reply}
    if not found:
        raise reply.error(" and ".join(f'"{kind}"' for kind in KINDS))
    return found
