"""A contrast as the feedback prompt shows it. Knows no suite.

An episode: both courses of actions, and what the notes gave before each step where that changed. A conversation: of
each question both answers, what the notes gave, what was searched, and the lines of the whole past that are nearest to
the question and its right answer. Long texts are shown in part, and say so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from baselines.horma.refine.changes import Origin
from baselines.horma.refine.contrast import Contrast, is_conversation, pick_evenly
from baselines.shared.extractive import SMALL_WORDS, strip_ending
from baselines.shared.trajectory import describe_end, is_won, render_trajectory
from bench.types import Step, Trial

__all__ = ["GAVE", "PAST", "find_nearest", "list_roots", "show_contrast"]

GAVE = "What the notes gave:"
PAST = "The past, where it is nearest to the question and its right answer:"
_MOST_QUESTIONS = 8
_MOST_STEPS = 25
"""Of an episode with notes: what went wrong shows early."""
_OFTEN = 2
"""How often the same step is shown."""
_MOST_CHARS, _LINE_CHARS = 1200, 400
_NEAREST = 2
"""Lines of the past beside the nearest one and its neighbours."""
_WORD = re.compile(r"[^\W_]+")
_SEARCH = "turn: "
_NOTHING = "(nothing)"


def show_contrast(contrast: Contrast) -> str:
    """Return the request of a feedback call."""
    if is_conversation(contrast.whole):
        return "\n\n".join(_show_questions(contrast))
    return "\n\n".join(
        f"# {heading}\n{text}"
        for heading, text in (
            ("Task", contrast.whole.opening.strip()),
            (f"With the whole past: {_tell_end(contrast.whole)}", _show_course(contrast.whole)),
            (f"With notes: {_tell_end(contrast.noted)}", _show_noted_course(contrast.noted)),
        )
    )


def find_nearest(past: str, wanted: str) -> list[str]:
    """Return the lines of a past that share most with a text, in order: the nearest with those around it, and two more.

    A word counts the more, the fewer lines hold it; of equal lines the later is nearer.
    """
    lines = [line for line in past.splitlines() if line.strip()]
    held = [frozenset(list_roots(line)) for line in lines]
    roots = list_roots(wanted)
    weights = {root: 1 / count for root in roots if (count := sum(root in line for line in held))}
    points = [round(sum(weight for root, weight in weights.items() if root in line), 6) for line in held]
    ranked = sorted((at for at in range(len(lines)) if points[at]), key=lambda at: (-points[at], -at))
    around = [at for best in ranked[:1] for at in (best - 1, best, best + 1) if 0 <= at < len(lines)]
    return [lines[at] for at in sorted({*around, *ranked[1 : 1 + _NEAREST]})]


def list_roots(text: str) -> list[str]:
    """Return the content words of a text without their endings, each once."""
    words = (word for word in _WORD.findall(text) if word.lower() not in SMALL_WORDS)
    return list(dict.fromkeys(strip_ending(word) for word in words))


def _tell_end(trial: Trial) -> str:
    return "done" if is_won(trial) else "not done"


def _show_course(trial: Trial) -> str:
    lines = [_cut(line, _LINE_CHARS) for line in render_trajectory(trial).splitlines()]
    shown = lines[: 2 * _MOST_STEPS + 1]
    return "\n".join([*shown, *_describe_rest(trial, len(trial.steps) - _MOST_STEPS)])


def _show_noted_course(trial: Trial) -> str:
    """Return actions and observations with what the notes gave before each step, where that changed.

    What is done a third time and seen again is left out: a course that fails often goes round in circles.
    """
    given, last, lines = "", 0, list[str]()
    for step in _leave_out_repeats(trial.steps)[:_MOST_STEPS]:
        if hidden := step.index - last - 1:
            lines.append(f"({hidden} more of the same steps)")
        if (gave := _describe_given(step)) != given:
            given = gave
            lines.append(f"[{step.index}] Notes: {gave}")
        lines.append(f"[{step.index}] Action: {step.decision.text}")
        lines.append(f"[{step.index}] Observation: {_cut(' '.join(step.observation.text.split()), _LINE_CHARS)}")
        last = step.index
    return "\n".join([*lines, *_describe_rest(trial, len(trial.steps) - last)])


def _leave_out_repeats(steps: Sequence[Step]) -> list[Step]:
    done, kept = Counter[tuple[str, str]](), list[Step]()
    for step in steps:
        key = step.decision.text, step.observation.text
        done[key] += 1
        kept += [step] if done[key] <= _OFTEN else []
    return kept


def _describe_given(step: Step) -> str:
    given = _cut(" | ".join(step.decision.context.text.splitlines()), _LINE_CHARS) or _NOTHING
    searched = _describe_search(step)
    return given if searched == _NOTHING else f"{given} (searched: {searched})"


def _describe_rest(trial: Trial, hidden: int) -> Iterator[str]:
    if hidden > 0:
        yield f"({hidden} more steps)"
    if not is_won(trial):
        yield describe_end(trial)


def _show_questions(contrast: Contrast) -> Iterator[str]:
    shown = pick_evenly(contrast.questions, _MOST_QUESTIONS)
    for number, (whole, noted) in enumerate(shown, start=1):
        right = whole if contrast.origin is Origin.EXO else noted
        past = find_nearest(whole.decision.context.text, f"{whole.stimulus.text} {right.decision.text}")
        yield "\n".join(
            (
                f"# Question {number}",
                " ".join(whole.stimulus.goal.split()),
                f"With the whole past: {_tell_answer(whole)}",
                f"With notes: {_tell_answer(noted)}",
                f"Searched: {_describe_search(noted)}",
                GAVE,
                _cut(noted.decision.context.text, _MOST_CHARS) or _NOTHING,
                PAST,
                "\n".join(_cut(line, _LINE_CHARS) for line in past) or _NOTHING,
            )
        )
    if hidden := len(contrast.questions) - len(shown):
        yield f"({hidden} more questions)"


def _tell_answer(step: Step) -> str:
    mark = "right" if step.observation.won else "wrong"
    return f"{mark}, {_cut(' '.join(step.decision.text.split()), _LINE_CHARS) or '(no answer)'}"


def _describe_search(step: Step) -> str:
    replies = [note.removeprefix(_SEARCH) for note in step.decision.notes if note.startswith(_SEARCH)]
    return _cut("; ".join(replies), _LINE_CHARS) or _NOTHING


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} ..."
