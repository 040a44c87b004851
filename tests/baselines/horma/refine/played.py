"""Trials as a learner gets them: episodes and conversations, with the whole past or with notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from baselines.horma.strategy import STRATEGY
from bench.embedders.hash import HashEmbedder
from bench.models.scripted import ScriptedModel
from bench.models.tokenizers import count_tokens
from bench.protocols import Budget, Kit, Params
from bench.types import (
    Artifact,
    Context,
    Decision,
    EndReason,
    Frame,
    Observation,
    Shape,
    Status,
    Step,
    Stimulus,
    Trial,
    TrialKey,
)
from tests.baselines.learners import Script

__all__ = ["PAST", "make_episode", "make_learner_kit", "make_talk"]

PAST = "\n".join(
    (
        "[8 May, 2023] Ann: I went to the fair with Bob yesterday. It rained.",
        "[8 May, 2023] Bob: I never liked the ferry, Ann.",
        "[9 May, 2023] Ann: My new cello cost 900 crowns.",
    )
)
_QUESTIONS = ("When did Ann go to the fair?", "What does Bob not like?", "What did the cello cost?")


def make_episode(
    task: str,
    *,
    won: bool,
    seed: int = 0,
    attempt: int = 1,
    notes: str = "",
    refs: int = 0,
    steps: Sequence[tuple[str, str]] = (("go to shelf 1", "On the shelf 1, you see a mug 1."), ("look", "Nothing.")),
) -> Trial:
    """Return an attempt whose every context is ``notes``, and cites as many events as ``refs`` says."""
    context = Context(notes, tuple(f"o{n}" for n in range(refs)))
    made = tuple(
        Step(i, Stimulus(Shape.EPISODE, "", "", i), Decision(action, context=context), Observation(seen))
        for i, (action, seen) in enumerate(steps, start=1)
    )
    key = TrialKey("", "", task, "", "", seed, attempt)
    end = EndReason.WON if won else EndReason.STEP_CAP
    return Trial(key, Status.DONE, end, steps=made, opening="A room.\n\nYour task is to: put a mug in the desk.")


def make_talk(task: str, answers: Mapping[int, tuple[str, bool]], *, notes: str = "", whole: bool = False) -> Trial:
    """Return a conversation; ``answers``: by the number of a question, the answer and whether it is right."""
    context = Context(PAST, ("D1:1", "D1:2", "D2:1")) if whole else Context(notes)
    made = tuple(
        Step(
            number,
            Stimulus(Shape.CONVERSATION, _QUESTIONS[number - 1], f"{_QUESTIONS[number - 1]} (asked on 10 May)", number),
            Decision(text, context=context, notes=() if whole else ("turn: grep fair", "turn: done", "selected: D1:1")),
            Observation("", done=True, won=right),
        )
        for number, (text, right) in answers.items()
    )
    return Trial(TrialKey("", "", task, "", ""), Status.DONE, EndReason.ANSWERED, steps=made)


def make_learner_kit(
    script: Script, rehearse: Callable[[Artifact], Sequence[Trial]] | None = None, **given: str
) -> Kit:
    return Kit(
        ScriptedModel(script),
        HashEmbedder(),
        Frame("frame", "Act."),
        Budget(None, count_tokens),
        Params(STRATEGY.params, given),
        rehearse=rehearse,
    )
