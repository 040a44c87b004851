"""ReasoningBank: advice from each training attempt, solved or not, recalled by the likeness of the tasks.

Source: ReasoningBank (ICLR 2026, arXiv 2509.25140), the memory without its test-time scaling. Knows no suite; needs a
learning stage.

Paper step -> function:

* at most three items {title, description, content} from each attempt, solved or not -> ``update``; ``learn`` for all
* recall the items of the k most similar tasks -> ``NearestTexts.find``
* act with them in the prompt -> ``baselines.shared.experience.ExperienceMemory``

Differences from the paper:

* Learned from a training side and frozen, not a stream of test tasks.
* Whether an attempt solved its task is what the world said; in the paper a model judges it.
* The prompt is our own, one for both outcomes, and asks for JSON. What is no JSON after two tries is kept as one item.
* Of attempts at one task the solved ones come first where they are equally near, as they always are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from baselines.reasoning_bank.bank import Entry, Item, read_bank, read_items, write_entry
from baselines.shared.artifacts import join_artifacts
from baselines.shared.experience import ExperienceMemory
from baselines.shared.json_calls import ask_json, read_plain
from baselines.shared.nearest import NearestTexts, write_vectors
from baselines.shared.trajectory import is_won, render_case
from bench.agents import default_agent
from bench.protocols import Kit, Param, Strategy
from bench.types import Artifact, Role, Shape, Trial

__all__ = ["STRATEGY"]

_PROMPT = Path(__file__).with_name("distill.txt").read_text(encoding="utf-8").strip()
_LOG = "distill.jsonl"


def learn(trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Return one file for each attempt that taught something, its vector, and a log (one call of role distill each)."""
    order = sorted(trials, key=lambda one: (one.key.task, not is_won(one), one.key.seed, one.key.attempt))
    return _add(order, kit)


def update(trial: Trial, kit: Kit) -> Artifact:
    """Return the bank so far with what one more attempt taught, which stands last."""
    return join_artifacts([kit.artifact, _add([trial], kit)])  # the log goes on


def _add(trials: Sequence[Trial], kit: Kit) -> Artifact:
    """Return what attempts teach that come after those of ``kit.artifact``, and the log of all."""
    files: dict[str, str] = {}
    openings: dict[str, str] = {}
    sources: dict[str, tuple[str, ...]] = {}
    log = kit.artifact.files.get(_LOG, "").splitlines(keepends=True)
    for trial in trials:
        if not trial.steps or (kit.params.text("learn_from") == "won" and not is_won(trial)):
            continue
        items, rejected = _distill(trial, kit)
        entry = {"task": trial.key.task, "won": is_won(trial), "items": len(items), "rejected": rejected}
        log.append(json.dumps(entry, sort_keys=True) + "\n")
        if items:
            name, text = write_entry(len(log), trial.opening, items)
            files[name], openings[name], sources[name] = text, trial.opening, (trial.key.task,)
    vectors = write_vectors(kit.embedder, openings, sources)
    return join_artifacts([Artifact(files, sources), vectors, Artifact({_LOG: "".join(log)})])


def _distill(trial: Trial, kit: Kit) -> tuple[tuple[Item, ...], Counter[str]]:
    """Return what an attempt teaches, and what of the reply was not used. Without JSON the model is asked once more."""
    rejected: Counter[str] = Counter()
    answer = ask_json(kit, Role.DISTILL, _PROMPT, render_case(trial), partial(read_items, rejected=rejected))
    if answer.value is not None:
        return answer.value, rejected
    plain = read_plain(kit, answer.reply)
    return (Item("", "", plain),) if plain else (), Counter({"no JSON": 1})


def _build_memory(kit: Kit) -> ExperienceMemory:
    bank, k = read_bank(kit.artifact), kit.params.integer("k")
    nearest = NearestTexts(kit, {name: entry.opening for name, entry in bank.items()})

    def choose(opening: str) -> Sequence[Entry]:
        return [bank[name] for name in nearest.find(opening, k)]

    return ExperienceMemory(kit, choose)


STRATEGY = Strategy(
    name="reasoning-bank-v2",
    build=default_agent(_build_memory),
    keeps_budget=False,
    learn=learn,
    update=update,
    serves=frozenset({Shape.EPISODE}),
    params=(
        Param("k", 1, "the items of how many attempts are shown", minimum=1),
        Param("learn_from", "all", "which attempts are learned from", choices=("all", "won")),
    ),
    source="ReasoningBank (arXiv 2509.25140), without test-time scaling; learned on a training side; own prompt",
)
"""The strategy."""
