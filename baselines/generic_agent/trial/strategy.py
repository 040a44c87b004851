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
* The reminder to write key info comes not only every 13th turn but also when the context nears the budget.
* Nothing is written to files within a trial: no reminder to do so (every 31st turn) and no growth of the layers.
* It serves episodes alone; for conversations see ``generic_agent.dialogue``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from baselines.generic_agent.trial.anchor import VERSIONS
from baselines.generic_agent.trial.memory import KEY_INFO_TOKENS, GenericMemory
from baselines.generic_agent.trial.reply import ParsedReply, read_reply
from bench.agents import compose, recall
from bench.protocols import Kit, Memory, Param, Strategy
from bench.types import Context, Decision, Event, Query, Shape, Stimulus

__all__ = ["READS", "STRATEGY", "GenericAgent"]

_HERE = Path(__file__).parent
READS = 2
"""The most files that are shown before one action."""
_CHECKPOINTS = 1
"""The most replies with nothing but key info before one action."""
_REPAIRS = 1
_EXTRA_TOKENS = KEY_INFO_TOKENS + 60
"""What a reply may be longer than the frame's, for the summary and the key info."""


def _read_text(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8").strip()


def _read_notices() -> dict[str, str]:
    pairs = (line.partition("=") for line in _read_text("notices.txt").splitlines())
    return {name.strip(): text.strip() for name, _, text in pairs}


_DIALECT = "\n".join(map(_read_text, ("dialect.txt", "core.txt")))


@dataclass(slots=True)
class _Turn:
    """One decision in progress: the calls left, the notice for the model, the notes of the decision."""

    number: int
    notice: str = ""
    reads: int = READS
    checkpoints: int = _CHECKPOINTS
    repairs: int = _REPAIRS
    summary: str = ""
    notes: list[str] = field(default_factory=list)


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
    """The agent: asks until it has an action, at most five times."""

    def __init__(self, kit: Kit):
        self._kit = kit
        self._memory = GenericMemory(kit)
        self._notices = _read_notices()

    @property
    def memory(self) -> Memory:
        return self._memory

    def decide(self, stimulus: Stimulus) -> Decision:
        """Return one action; empty if the model gave none when asked again. Notes: key info and files read.

        Raises: StrategyError from the memory, ModelError from the model.
        """
        frame = self._kit.frame
        query = Query(stimulus.text, stimulus.goal, stimulus.step, stimulus.shape, None, stimulus.ref)
        turn = _Turn(stimulus.step, self._notices["nudge"] if self._memory.needs_reminder(query) else "")
        while True:
            context = recall(self._kit, _MemoryWithNotice(self._memory, turn.notice), stimulus)
            messages = compose(frame, stimulus, context.text, dialect=_DIALECT)
            longest = frame.max_tokens + _EXTRA_TOKENS
            reply = self._kit.model.chat(messages, role="act", max_tokens=longest, stop=frame.stop).text
            parsed = read_reply(reply, frame.label)
            turn.summary = parsed.summary or turn.summary
            has_checkpoint = bool(parsed.key_info) and self._memory.checkpoint(turn.number, parsed.key_info or "")
            if has_checkpoint:
                turn.notes.append(f"checkpoint({parsed.key_info})")
            if parsed.action or not self._retry(parsed, has_checkpoint, turn):
                break
        self._memory.set_summary(turn.summary)
        return Decision(parsed.action, reply, context, tuple(turn.notes))

    def _retry(self, parsed: ParsedReply, has_checkpoint: bool, turn: _Turn) -> bool:
        """Prepare a further call: show a file, or ask for an action. False if no call is left."""
        if parsed.read is not None and turn.reads:
            turn.reads -= 1
            turn.notice = self._show_file(parsed.read, turn.number)
            turn.notes.append(f"read({parsed.read})")
            return True
        if has_checkpoint and turn.checkpoints:
            turn.checkpoints -= 1
            turn.notice = self._notices["kept"]
            return True
        if not turn.repairs:
            return False
        turn.repairs -= 1
        turn.notice = self._notices["act" if parsed.read is None else "enough"]
        turn.notes.append("asked again for an action")
        return True

    def _show_file(self, name: str, turn: int) -> str:
        """Show the file if there is one; return the notice about it."""
        layers = self._memory.layers
        file = layers.read(name)
        if file is None:
            layer_names = ", ".join(f"read({one})" for one in layers.layer_names)
            return self._notices["unknown"].replace("{name}", name or "without a name").replace("{known}", layer_names)
        self._memory.show(turn, file)
        return self._notices["shown"].replace("{name}", file.name)


STRATEGY = Strategy(
    name="generic-agent-v1",
    build=GenericAgent,
    serves=frozenset({Shape.EPISODE}),
    params=(
        Param("version", "report", "the anchor's sizes: 20 x 100 characters, or the code's", choices=tuple(VERSIONS)),
        Param("budget_tokens", 400, "most context tokens where the run sets none", minimum=1),
        Param("nudge_every", 13, "turns between reminders to write the key info; 0 = none", minimum=0),
        Param("nudge_at", 0.8, "share of the budget from which on it is reminded as well; 0 = never", minimum=0),
    ),
    dialect=_DIALECT,
    inner_calls=1 + READS + _CHECKPOINTS + _REPAIRS,
    source="GenericAgent (Technical Report V1.0, sec. 2.3): anchor and compression within a trial, lengths scaled",
)
"""The strategy."""
