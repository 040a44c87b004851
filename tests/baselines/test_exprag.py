"""ExpRAG and ExpRecent: what is stored, which of it is found, and how it stands in the prompt."""

from __future__ import annotations

from typing import Any

import pytest

from baselines.exprag import STRATEGY as EXPRAG
from baselines.exprecent import STRATEGY as EXPRECENT
from baselines.shared.experience import choose_trials, read_pool, write_pool
from bench.agents import EXPERIENCE_HEADING, EXPERIENCE_NOTE, PRESENT_HEADING
from bench.embedders.hash import HashEmbedder
from bench.models.scripted import ScriptedModel
from bench.protocols import Budget, Kit, Params, Strategy, count_words
from bench.types import (
    Artifact,
    Decision,
    EndReason,
    Event,
    EventKind,
    Frame,
    Observation,
    Query,
    Shape,
    Status,
    Step,
    Stimulus,
    Trial,
    TrialKey,
)

OPENINGS = {"t1": "Bring the map\nto the hall.", "t2": "Cool a tomato.", "t3": "Bring the red map to the attic."}


def trial(task: str, steps: int = 2, end: EndReason = EndReason.WON, seed: int = 0) -> Trial:
    made = tuple(
        Step(i, Stimulus(Shape.EPISODE, "", OPENINGS[task], i), Decision(f"go {i}"), Observation(f"{task} saw {i}."))
        for i in range(1, steps + 1)
    )
    return Trial(TrialKey("", "", task, "", "", seed), Status.DONE, end, steps=made, opening=OPENINGS[task])


POOL = (trial("t3"), trial("t1", 3), trial("t1", 2, seed=1), trial("t1", 2, seed=2), trial("t2", 4, EndReason.STEP_CAP))


def make_kit(strategy: Strategy, artifact: Artifact | None = None, budget: int | None = None, **given: str) -> Kit:
    params = Params(strategy.params, given)
    model = ScriptedModel(lambda _messages, _role: "Action: look")
    budgeted = Budget(budget, count_words)
    return Kit(model, HashEmbedder(), Frame("f", "Act."), budgeted, params, artifact=artifact or Artifact())


def learn(strategy: Strategy, **given: str) -> Artifact:
    assert strategy.learn is not None
    return strategy.learn(POOL, make_kit(strategy, **given))


def recall(strategy: Strategy, goal: str, budget: int | None = None, **given: str) -> Any:
    memory = strategy.build(make_kit(strategy, learn(strategy, **given), budget, **given)).memory
    memory.observe(Event("goal", EventKind.GOAL, goal))
    memory.observe(Event("a1", EventKind.ACTION, "look", 1))
    memory.observe(Event("o1", EventKind.OBSERVATION, "A door.", 1))
    return memory.recall(Query("A door.", goal, 2, Shape.EPISODE, budget, "o1"))


def test_shortest_won_trial_of_each_task_is_kept() -> None:
    kept = choose_trials(POOL, failures=False)
    assert [(one.key.task, one.key.seed, len(one.steps)) for one in kept] == [("t1", 1, 2), ("t3", 0, 2)]
    assert [one.key.task for one in choose_trials(POOL, failures=True)] == ["t1", "t1", "t1", "t2", "t3"]


def test_pool_is_read_as_it_was_written_and_names_its_sources() -> None:
    made = write_pool(POOL[:2])
    assert made.sources == {"experience/0001.txt": ("t3",), "experience/0002.txt": ("t1",)}
    assert list(read_pool(made)) == ["0001.txt", "0002.txt"]
    first, second = read_pool(made).values()
    assert (first.opening, first.outcome) == (OPENINGS["t3"], "solved")
    assert second.steps.endswith("[3] Action: go 3\n[3] Observation: t1 saw 3.")
    assert read_pool(Artifact({**made.files, "notes.txt": "x"})) == read_pool(made)


def test_nearest_experience_stands_last_above_the_history() -> None:
    context = recall(EXPRAG, "Bring the red map to the cellar.")
    assert context.text == (
        f"{EXPERIENCE_HEADING}\n{EXPERIENCE_NOTE}\n\n"
        "Task (solved): Bring the map to the hall.\n"
        "[1] Action: go 1\n[1] Observation: t1 saw 1.\n[2] Action: go 2\n[2] Observation: t1 saw 2.\n\n"
        "Task (solved): Bring the red map to the attic.\n"
        "[1] Action: go 1\n[1] Observation: t3 saw 1.\n[2] Action: go 2\n[2] Observation: t3 saw 2.\n\n"
        f"{PRESENT_HEADING}\n[1] Action: look"
    )
    assert (context.refs, context.truncated) == (("a1",), False)


def test_failures_are_shown_as_such_where_they_are_kept() -> None:
    context = recall(EXPRAG, "Cool some tomato.", k="1", keep="all")
    assert "Task (not solved): Cool a tomato." in context.text


def test_last_experience_is_shown_whatever_the_task() -> None:
    text = recall(EXPRECENT, "Cool some tomato.", k="1").text
    assert "Bring the red map" in text
    assert "t1 saw" not in text


@pytest.mark.parametrize(("budget", "shown"), [(200, 2), (60, 1), (10, 0)])
def test_experience_gives_way_to_the_history_where_room_is_short(budget: int, shown: int) -> None:
    context = recall(EXPRAG, "Bring the red map to the cellar.", budget)
    assert context.text.count("Task (solved)") == shown
    assert context.truncated == (shown < 2)
    assert count_words(context.text) <= budget
    assert "[1] Action: look" in context.text
    assert shown == 0 or "t3 saw" in context.text  # the nearest stays longest


def test_empty_artifact_is_full_history() -> None:
    memory = EXPRAG.build(make_kit(EXPRAG)).memory
    memory.observe(Event("goal", EventKind.GOAL, "Find it."))
    memory.observe(Event("a1", EventKind.ACTION, "look", 1))
    assert memory.recall(Query("", "Find it.")).text == "[1] Action: look"


class Counting(HashEmbedder):
    """Counts what it embeds."""

    def __init__(self, name: str):
        super().__init__()
        self.texts: list[str] = []
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    def embed(self, texts: Any) -> Any:
        self.texts += texts
        return super().embed(texts)


@pytest.mark.parametrize(("name", "embedded"), [("hash", 1), ("another", 3)])
def test_vectors_of_the_pool_are_made_again_for_another_embedder_only(name: str, embedded: int) -> None:
    kit, embedder = make_kit(EXPRAG, learn(EXPRAG)), Counting(name)
    memory = EXPRAG.build(Kit(kit.model, embedder, kit.frame, kit.budget, kit.params, artifact=kit.artifact)).memory
    memory.observe(Event("goal", EventKind.GOAL, "Bring the red map to the cellar."))
    assert len(embedder.texts) == embedded
    text = memory.recall(Query("", "Bring the red map to the cellar.")).text
    assert text.index("t1 saw") < text.index("t3 saw")
