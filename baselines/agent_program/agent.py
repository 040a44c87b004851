"""The agent on this side: what happens goes to the program as JSON lines, its lines are the actions and answers.

``docs/agents.md`` has the protocol with a transcript. Every line to the program that wants a reply has a number,
``id``, and the reply repeats it: a line too many never counts for another turn.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from baselines.agent_program.command import Command, read_command
from baselines.agent_program.gate import Gate, GatedEmbedder, GatedModel
from baselines.agent_program.process import Process
from bench.errors import GaveUp, StrategyError, UsageError
from bench.models.openai_api.proxy import ProxyServer
from bench.protocols import Kit, Memory
from bench.secrets import is_secret_name
from bench.types import Context, Decision, Event, EventKind, Query, Role, Shape, Stimulus

__all__ = ["PROTOCOL", "ProgramAgent"]

PROTOCOL = 1
"""The version of the protocol; a program may refuse another."""
_NO_KEY = "memfrontier-needs-no-key"
_OF_PROVIDERS = ("OPENAI_", "ANTHROPIC_", "LANGSMITH_", "LANGCHAIN_")
"""What else could lead calls past the proxy, or send the trial elsewhere."""
_NO_PROXY = "127.0.0.1,localhost"
_LEAVE_S = 1.0
"""Wall seconds that a program may take to leave by itself."""
_LONGEST_ACTION = 10_000
_SHOWN, _KEPT = 200, 4000


class ProgramAgent:
    """One program for one trial, started at its first line; agent and memory in one."""

    def __init__(self, kit: Kit):
        self._kit, self._number, self._feedback = kit, 0, list[str]()
        self._gate = Gate(kit.params.integer("calls"))
        self._proxy = ProxyServer(GatedModel(kit.model, self._gate), GatedEmbedder(kit.embedder, self._gate))
        self._process: Process | None = None

    @property
    def memory(self) -> Memory:
        return self

    def recall(self, query: Query) -> Context:
        """Return nothing: what the program keeps and shows to its model is its own."""
        return Context()

    def observe(self, event: Event) -> None:
        """Tell the program an event of a conversation; one of an episode is in the line that asks for an action.

        Raises: StrategyError, or what a call of the program did.
        """
        if event.kind is EventKind.FEEDBACK:
            self._feedback.append(event.text)
        if event.kind not in (EventKind.TURN, EventKind.SESSION_END):
            return
        told = {"session": event.step, "kind": event.kind.value, "speaker": event.speaker, "time": event.time}
        self._ask({"type": "event", **told, "text": event.text}, Shape.CONVERSATION, ("ok",))

    def decide(self, stimulus: Stimulus) -> Decision:
        """Return the program's action or answer.

        Raises: StrategyError for a fault of the program; GaveUp; what a call of the program did.
        """
        if stimulus.shape is Shape.CONVERSATION:
            reply = self._ask(
                {"type": "question", "question": stimulus.goal}, stimulus.shape, ("answer",), decides=True
            )
            return _make_decision(reply, reply["answer"].strip())
        seen: dict[str, Any] = {"type": "observation", "observation": stimulus.text}
        if self._process is None:
            seen |= {"goal": stimulus.goal, "feedback": self._feedback}
        reply = self._ask(seen, stimulus.shape, ("action", "give-up"), decides=True)
        if reply["type"] == "give-up":
            raise GaveUp("agent: gave up")
        action = " ".join(reply["action"].split())
        if len(action) > _LONGEST_ACTION:
            raise StrategyError(
                f"agent: expected an action of at most {_LONGEST_ACTION:,} characters, got a longer one"
            )
        return _make_decision(reply, action)

    def _ask(
        self, message: Mapping[str, Any], shape: Shape, kinds: tuple[str, ...], *, decides: bool = False
    ) -> dict[str, Any]:
        """Send a line and return the program's reply; what failed in a call of it is raised in place of its fault."""
        process = self._process or self._start(shape)
        self._number += 1
        with self._proxy.guard(), self._gate.opened(decides=decides):
            process.send({**message, "id": self._number})
            reply = process.receive(self._kit.params.number("timeout_s"), self._look)
            kind = reply.get("type")
            has_text = kind not in ("action", "answer") or isinstance(reply.get(kind), str)
            if reply.get("id") != self._number or kind not in kinds or not has_text:
                wanted = " or ".join(map(repr, kinds))
                raise process.fail(
                    f"expected a line with id {self._number}, type {wanted} and its text", json.dumps(reply)[:_SHOWN]
                )
        return reply

    def _look(self) -> bool:
        """Return True while a call is being made. Raises: Interrupted; StrategyError after one that failed."""
        with self._gate.between_calls() as free:
            if free:
                self._kit.check_stop()
            if self._gate.failed:
                raise StrategyError("agent: expected model calls that succeed, got one that did not")
            return not free

    def _start(self, shape: Shape) -> Process:
        kit, frame = self._kit, self._kit.frame
        try:
            command = read_command(kit.params.text("cmd"))
        except UsageError as gone:
            raise StrategyError(str(gone)) from gone
        self._process = Process(command.words, self._make_environment(command, shape))
        hello = {
            "type": "hello", "protocol": PROTOCOL, "task": shape.value, "instructions": frame.instructions,
            "examples": frame.examples, "answer_format": frame.answer_format,
        }  # fmt: skip
        self._process.tell(hello)
        return self._process

    def _make_environment(self, command: Command, shape: Shape) -> dict[str, str]:
        """Return the user's variables without keys, and what leads the program's calls to the proxy."""
        kit, role = self._kit, Role.ACT if shape is Shape.EPISODE else Role.ANSWER
        given = {
            name: value
            for name, value in os.environ.items()
            if name in command.variables or not (is_secret_name(name) or name.startswith(_OF_PROVIDERS))
        }
        url, tokens = self._proxy.url_for(role), kit.budget.tokens
        no_proxy = ",".join(filter(None, (given.get("NO_PROXY", given.get("no_proxy", "")), _NO_PROXY)))
        return given | {
            "OPENAI_BASE_URL": url, "OPENAI_API_BASE": url, "OPENAI_API_KEY": _NO_KEY,
            "NO_PROXY": no_proxy, "no_proxy": no_proxy, "PYTHONUNBUFFERED": "1", "PYTHONHASHSEED": "0",
            "MEMFRONTIER_PROTOCOL": str(PROTOCOL), "MEMFRONTIER_MODEL": kit.model.name,
            "MEMFRONTIER_ROLE_URL": self._proxy.url_for("{role}"), "MEMFRONTIER_SEED": str(kit.rng.getrandbits(31)),
            "MEMFRONTIER_REPLY_TOKENS": str(kit.frame.max_tokens),
            "MEMFRONTIER_BUDGET_TOKENS": "" if tokens is None else str(tokens),
        }  # fmt: skip

    def close(self) -> None:
        """End the program and its address. Closing twice does nothing."""
        if self._process is not None:
            self._process.close({"type": "end"}, _LEAVE_S)
        self._proxy.close()


def _make_decision(reply: Mapping[str, Any], text: str) -> Decision:
    """Return the decision, with the line but for its number; half of a surrogate pair could not be stored."""
    line = json.dumps({name: value for name, value in reply.items() if name != "id"})
    return Decision(text.encode(errors="replace").decode(), line[:_KEPT])
