"""GenericAgent within a trial: a working-memory anchor over staged compression, and memory files read on demand.

Source: GenericAgent, Technical Report V1.0 (April 2026), sec. 2.3, and its published code (``version=code``: August
2026, 6d2cf09; ``code-april``: 1686312).

Paper step -> function:

* one-line summary of each turn, kept in the anchor -> ``anchor.Anchor.add``, ``select_lines``
* key info by a checkpoint tool, with reminders -> ``checkpoint(TEXT)``: ``memory.GenericMemory.checkpoint``,
  ``needs_reminder``
* compression stage 1 (cut long bodies) and 2 (cut old ones more) -> ``compression.cut_middle``, ``compress``
* stage 3 (drop the oldest) -> ``memory.GenericMemory._compress``
* layers L0 to L4: the index in view, files by tool call -> ``layers.Layers``, ``read(NAME)``: ``_show_file``

Differences from the report:

* The budget is the run's, counted in the model's tokens. The original starts at 3 characters a token of the window.
  Lengths are scaled to the budget (see ``compression``).
* A turn is not shown twice, raw and as a line (see ``anchor``).
* ``checkpoint`` and ``read`` cost no environment step, and each decision allows a few. Key info may stand above the
  action of the same reply.
* The reminder to write key info comes not only every 13th turn but also when the context nears the budget, and never
  right after the key info was written. Its size scales with the budget.
* Files are spoken of where there are some.
* Nothing is written to files within a trial: no reminder to do so (every 31st turn) and no growth of the layers.
* It serves episodes alone; for conversations see ``generic_agent.dialogue``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from baselines.generic_agent.trial.anchor import VERSIONS
from baselines.generic_agent.trial.memory import GenericMemory
from baselines.generic_agent.trial.reply import ParsedReply, read_reply
from baselines.shared.grammar import read_notices
from baselines.shared.summarizer import tell_limit
from bench.agents import ReadingLog, ask, compose, recall
from bench.protocols import Kit, Memory, Param, Strategy
from bench.types import Context, Decision, Event, Query, Shape, Stimulus

__all__ = ["READS", "STRATEGY", "GenericAgent", "build_dialect"]

_HERE = Path(__file__).parent
READS = 2
"""The most files that are shown before one action."""
_CHECKPOINTS = 1
"""The most replies with nothing but key info before one action."""


def _read_text(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8").strip()


def build_dialect(key_info_tokens: int, *, has_files: bool) -> str:
    """Return the dialect of one trial; where there are no files, nothing is said about them."""
    parts = ["dialect.txt", "key_info.txt", "core.txt"] + ["files.txt"] * has_files
    return tell_limit("\n".join(map(_read_text, parts)), key_info_tokens)


@dataclass(slots=True)
class _Turn:
    """One decision in progress: the calls left, the notice for the model, the notes of the decision."""

    number: int
    notice: str = ""
    reads: int = READS
    checkpoints: int = _CHECKPOINTS
    refusals: int = 1
    summary: str = ""
    notes: list[str] = field(default_factory=list)
    log: ReadingLog = field(default_factory=ReadingLog)


@dataclass(frozen=True, slots=True)
class _MemoryWithNotice:
    """The memory with the notice of one call."""

    memory: GenericMemory
    notice: str

    def observe(self, event: Event) -> None:
        self.memory.observe(event)

    def recall(self, query: Query) -> Context:
        return self.memory.build_context(query, self.notice)


class GenericAgent:
    """The agent: asks until it has an action, at most six times."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self._memory = GenericMemory(kit)
        self._notices = read_notices(_HERE / "notices.txt")
        self._has_files = bool(self._memory.layers.index)
        self._dialect = build_dialect(self._memory.key_info_tokens, has_files=self._has_files)

    @property
    def memory(self) -> Memory:
        return self._memory

    def decide(self, stimulus: Stimulus) -> Decision:
        """Return one action; empty if the model gave none when asked again. Notes: key info and files read.

        Raises: StrategyError from the memory, ModelError from the model.
        """
        query = Query(stimulus.text, stimulus.goal, stimulus.step, stimulus.shape, None, stimulus.ref)
        turn = _Turn(stimulus.step, self._notices["nudge"] if self._memory.needs_reminder(query) else "")
        while True:
            context = recall(self._kit, _MemoryWithNotice(self._memory, turn.notice), stimulus)
            messages = compose(self._kit.frame, stimulus, context.text, dialect=self._dialect)
            parsed = ask(self._kit, messages, stimulus.shape, self._read, turn.log)
            turn.summary = parsed.summary or turn.summary
            if parsed.key_info:
                self._keep(parsed.key_info, turn)
            if not self._follow_up(parsed, turn):
                break
        self._memory.set_summary(turn.summary)
        action = parsed.reply.value
        return Decision(action, turn.log.text, context, tuple(turn.notes), turn.log.close(action))

    def _read(self, text: str) -> ParsedReply:
        return read_reply(text, self._kit.frame, may_read=self._has_files)

    def _keep(self, key_info: str, turn: _Turn) -> None:
        kept = self._memory.checkpoint(turn.number, key_info)
        turn.notes += ["trimmed: key info"] * (kept != key_info)
        turn.notes += [f"checkpoint({kept})"] * bool(kept)

    def _follow_up(self, parsed: ParsedReply, turn: _Turn) -> bool:
        """Prepare a further call: show a file, or ask for the action that is missing. False if none is due."""
        if parsed.read is not None and turn.reads:
            turn.reads -= 1
            turn.notice = self._show_file(parsed.read, turn)
            turn.notes.append(f"read({parsed.read})")
            return True
        if parsed.reply.value or not parsed.dialect:
            return False
        if parsed.key_info and turn.checkpoints:
            turn.checkpoints -= 1
            turn.notice = self._notices["kept"]
            return True
        turn.refusals -= 1
        turn.notice = self._notices["enough"]
        return turn.refusals >= 0

    def _show_file(self, name: str, turn: _Turn) -> str:
        """Show the file if there is one; return the notice about it."""
        layers = self._memory.layers
        file = layers.read(name)
        if file is None:
            turn.log.dialect.append("refused")
            layer_names = ", ".join(f"read({one})" for one in layers.layer_names)
            return self._notices["unknown"].replace("{name}", name or "without a name").replace("{known}", layer_names)
        self._memory.show(turn.number, file)
        return self._notices["shown"].replace("{name}", file.name)


STRATEGY = Strategy(
    name="generic-agent-v4",
    build=GenericAgent,
    serves=frozenset({Shape.EPISODE}),
    params=(
        Param("version", "report", "the anchor's sizes: 20 x 100 characters, or the code's", choices=tuple(VERSIONS)),
        Param("budget_tokens", 400, "most context tokens where the run sets none", minimum=1),
        Param("nudge_every", 13, "turns between reminders to write the key info; 0 = none", minimum=0),
        Param("nudge_at", 0.8, "share of the budget from which on it is reminded as well; 0 = never", minimum=0),
    ),
    dialect="\n".join(map(_read_text, ("dialect.txt", "key_info.txt", "core.txt", "files.txt"))),
    inner_calls=3 + READS + _CHECKPOINTS,  # the reply, those, one refusal, one that is asked for again
    source="GenericAgent (Technical Report V1.0, sec. 2.3): anchor and compression within a trial, lengths scaled",
)
"""The strategy."""
