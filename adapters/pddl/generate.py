"""Seeded problems for the four domains: the split ``generated``, which needs no download.

A problem is a pure function of (domain, number): its seed is a hash of both. Every problem is solvable by construction:
its goal is part of a reachable state. The plan lengths in ``generated.csv`` are proved shortest by ``planner``; where
the column ``proved`` says no, they are the best known. Knows no AgentBoard file.
"""

from __future__ import annotations

import csv
import hashlib
import itertools
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from adapters.pddl.domain import DOMAINS, load_domain

__all__ = ["PER_DOMAIN", "GeneratedTask", "generate_tasks", "problem_text"]

PER_DOMAIN = 10


@dataclass(frozen=True, slots=True)
class GeneratedTask:
    """One task of the split ``generated``."""

    task: str
    domain: str
    text: str
    optimal_steps: int | None
    proved: bool

    @property
    def difficulty(self) -> str:
        """The smaller half of a domain's problems is easy."""
        return "easy" if int(self.task.rpartition("/g")[2]) <= PER_DOMAIN // 2 else "hard"


@cache
def generate_tasks() -> tuple[GeneratedTask, ...]:
    """Return the tasks of the split, sorted by id."""
    with (Path(__file__).parent / "generated.csv").open(encoding="utf-8", newline="") as table:
        rows = {row["task"]: row for row in csv.DictReader(table)}
    tasks = []
    for name in DOMAINS:
        for number in range(1, PER_DOMAIN + 1):
            task = f"{name}/g{number:02d}"
            row = rows[task]
            text = problem_text(name, number)
            tasks.append(GeneratedTask(task, name, text, int(row["optimal_steps"]), row["proved"] == "yes"))
    return tuple(tasks)


def problem_text(domain_name: str, number: int) -> str:
    """Return problem ``number`` (from 1) of a domain as PDDL; a higher number is a larger problem."""
    digest = hashlib.sha256(f"pddl-v1/generated/{domain_name}/{number}".encode()).digest()
    parts = _GENERATORS[domain_name](random.Random(int.from_bytes(digest[:8], "big")), number)
    return (
        f"(define (problem {domain_name}-g{number:02d})\n"
        f"  (:domain {load_domain(domain_name).pddl_name})\n"
        f"  (:objects {' '.join(parts.objects)})\n"
        f"  (:init\n{_format_facts(parts.init)})\n"
        f"  (:goal (and\n{_format_facts(parts.goal)})))\n"
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    objects: tuple[str, ...]
    init: tuple[str, ...]
    goal: tuple[str, ...]


def _format_facts(facts: Iterable[str]) -> str:
    return "\n".join(f"    ({fact})" for fact in facts)


def _number_names(stem: str, count: int) -> list[str]:
    return [f"{stem}{i}" for i in range(1, count + 1)]


def _build_towers(rng: random.Random, blocks: list[str]) -> list[list[str]]:
    """Return the blocks in random towers, each from bottom to top."""
    towers: list[list[str]] = []
    for block in rng.sample(blocks, len(blocks)):
        if towers and rng.random() < 0.6:
            rng.choice(towers).append(block)
        else:
            towers.append([block])
    return towers


def _list_pairs(towers: list[list[str]]) -> list[str]:
    return sorted(f"on {above} {below}" for tower in towers for below, above in itertools.pairwise(tower))


def _generate_blockworld(rng: random.Random, number: int) -> _Parts:
    blocks = _number_names("b", 4 + (number + 1) // 3)
    start = _build_towers(rng, blocks)
    goal: list[str] = []
    while not set(goal) - set(_list_pairs(start)):
        goal = _list_pairs(_build_towers(rng, blocks))
    init = ["arm-empty", *_list_pairs(start)]
    init += [f"on-table {tower[0]}" for tower in start] + [f"clear {tower[-1]}" for tower in start]
    return _Parts(tuple(blocks), tuple(init), tuple(goal))


def _generate_gripper(rng: random.Random, number: int) -> _Parts:
    rooms = ["rooma", "roomb"] if number <= 6 else ["rooma", "roomb", "roomc"]
    balls = _number_names("ball", 2 + number if number <= 6 else 1 + number // 2)
    start = {ball: rng.choice(rooms) for ball in balls}
    goal_rooms = {ball: rng.choice([r for r in rooms if r != start[ball]] * 3 + [start[ball]]) for ball in balls}
    goal_rooms[balls[0]] = next(room for room in rooms if room != start[balls[0]])
    init = [f"room {room}" for room in rooms] + [f"ball {ball}" for ball in balls]
    init += ["gripper left", "gripper right", "free left", "free right", f"at-robby {rng.choice(rooms)}"]
    init += [f"at {ball} {room}" for ball, room in start.items()]
    return _Parts((*rooms, *balls, "left", "right"), tuple(init), tuple(f"at {b} {r}" for b, r in goal_rooms.items()))


def _generate_barman(rng: random.Random, number: int) -> _Parts:
    shots = _number_names("shot", 3 + number // 3)
    ingredients, dispensers = _number_names("ingredient", 3), _number_names("dispenser", 3)
    cocktails = _number_names("cocktail", 2 + number // 4)
    init = ["handempty left", "handempty right", "next l0 l1", "next l1 l2"]
    init += ["shaker-level shaker1 l0", "shaker-empty-level shaker1 l0"]
    for container in ["shaker1", *shots]:
        init += [f"ontable {container}", f"clean {container}", f"empty {container}"]
    init += [f"dispenses {d} {i}" for d, i in zip(dispensers, rng.sample(ingredients, 3), strict=True)]
    for cocktail in cocktails:
        first, second = rng.sample(ingredients, 2)
        init += [f"cocktail-part1 {cocktail} {first}", f"cocktail-part2 {cocktail} {second}"]
    mixed = (0, 1, 1, 1, 1, 1, 2, 1, 2, 2)[(number - 1) % PER_DOMAIN]
    plain = (2, 0, 1, 0, 1, 2, 0, 2, 0, 1)[(number - 1) % PER_DOMAIN]
    drinks = rng.sample(cocktails, mixed) + rng.sample(ingredients, plain)
    glasses = rng.sample(shots, len(drinks))
    objects = (
        "shaker1 - shaker left right - hand l0 l1 l2 - level",
        f"{' '.join(shots)} - shot {' '.join(ingredients)} - ingredient",
        f"{' '.join(cocktails)} - cocktail {' '.join(dispensers)} - dispenser",
    )
    return _Parts(objects, tuple(init), tuple(f"contains {s} {b}" for s, b in zip(glasses, drinks, strict=True)))


def _generate_tyreworld(rng: random.Random, number: int) -> _Parts:
    count = 1 + (number + 2) // 4
    hubs, nuts, old, new = (
        _number_names("the-hub", count),
        _number_names("nuts", count),
        _number_names("w", count),
        _number_names("r", count),
    )
    init = ["unlocked boot", rng.choice(["closed boot", "closed boot", "isopen boot"])]
    init += [f"in {tool} boot" for tool in ("wrench", "jack", "pump")]
    for wheel in new:
        init += [
            f"in {wheel} boot",
            f"intact {wheel}",
            f"{rng.choice(['not-inflated', 'not-inflated', 'inflated'])} {wheel}",
        ]
    for hub, nut, wheel in zip(hubs, nuts, old, strict=True):
        init += [f"on {wheel} {hub}", f"on-ground {hub}", f"fastened {hub}"]
        init.append(f"{rng.choice(['tight', 'tight', 'loose'])} {nut} {hub}")
    goal: list[str] = []
    for index in sorted(rng.sample(range(count), rng.randint(1, count))):
        goal += [f"on {new[index]} {hubs[index]}", f"in {old[index]} boot"]
        goal += [f"inflated {new[index]}"] if rng.random() < 0.7 else []
        goal += [f"tight {nuts[index]} {hubs[index]}"] if number % 3 == 0 else []
    objects = (
        "wrench jack pump - tool boot - container",
        f"{' '.join(hubs)} - hub {' '.join(nuts)} - nut {' '.join(old + new)} - wheel",
    )
    return _Parts(objects, tuple(init), tuple(goal))


_GENERATORS: dict[str, Callable[[random.Random, int], _Parts]] = {
    "barman": _generate_barman,
    "blockworld": _generate_blockworld,
    "gripper": _generate_gripper,
    "tyreworld": _generate_tyreworld,
}
