"""Prints how much faster our ALFWorld engine is than the official one, and whether its memory stays flat.

    BENCH_DATA=... python -m tests.perf.bench_alfworld_engine [--games 134] [--official-games 12] [--episodes 10000]

Ratios are taken in one run: for every n-th game the same commands go through both engines, and the time of loading
with the reset and of the steps is summed up on each side; a step includes the admissible commands, won, and the
feedback. The other games are played on ours alone. Times are CPU times of this process, so that a busy machine does
not decide.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adapters.alfworld.engine import Game
from tests.parity.alfworld_engine import Case, Official, cases, choose

STEPS = 60
PAGE_KIB = os.sysconf("SC_PAGE_SIZE") // 1024


@dataclass
class Clock:
    """Summed CPU seconds."""

    load_s: float = 0.0
    steps_s: float = 0.0
    games: int = 0
    steps: int = 0

    def load(self, build: Callable[[], Any]) -> Any:
        start = time.process_time()
        built = build()
        self.load_s += time.process_time() - start
        self.games += 1
        return built

    def run(self, step: Callable[[str], object], plan: Sequence[str]) -> None:
        start = time.process_time()
        for command in plan:
            step(command)
        self.steps_s += time.process_time() - start
        self.steps += len(plan)

    @property
    def load_ms(self) -> float:
        return 1000 * self.load_s / self.games

    @property
    def rate(self) -> float:
        return self.steps / self.steps_s


def plan_for(case: Case) -> list[str]:
    """Return the commands of a game: its walkthrough, then a seeded walk."""
    session = Game.load(case.data).start()
    rng = random.Random(case.task)
    plan = list(case.walkthrough)
    for command in plan:
        session.step(command)
    while len(plan) < STEPS:
        plan.append(choose(rng, session.admissible, session.admissible))
        session.step(plan[-1])
    return plan


def ours(case: Case, plan: Sequence[str], clock: Clock) -> None:
    session = clock.load(lambda: Game.load(case.data).start())

    def step(command: str) -> object:
        return session.step(command), session.admissible, session.won

    clock.run(step, plan)


def official(case: Case, plan: Sequence[str], clock: Clock) -> None:
    def build() -> Any:
        env = Official(case)._env
        env.reset()
        return env

    env = clock.load(build)
    clock.run(env.step, plan)


def resident_kib() -> int:
    """Return this process's resident memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_KIB


def memory(games: Sequence[Case], episodes: int) -> None:
    """Load and play that many episodes and print the resident memory on the way."""
    plans = [plan_for(case)[:20] for case in games]
    tenth = max(episodes // 10, 1)
    for number in range(episodes + 1):
        if number % tenth == 0:
            gc.collect()
            print(f"  after {number:>6} episodes: {resident_kib() / 1024:8.1f} MiB", flush=True)
        case, plan = games[number % len(games)], plans[number % len(games)]
        ours(case, plan, Clock())


def main() -> None:
    parser = argparse.ArgumentParser(description="Our ALFWorld engine against the official one: speed and memory.")
    parser.add_argument("--games", type=int, default=134, help="valid_unseen games for ours")
    parser.add_argument("--official-games", type=int, default=12, help="of these, games for both")
    parser.add_argument("--episodes", type=int, default=10_000, help="episodes for the memory curve")
    options = parser.parse_args()
    games = list(cases("unseen-move", Path(os.environ["BENCH_DATA"])))[: options.games]
    shared = {at * len(games) // options.official_games for at in range(options.official_games)}
    fast, fast_all, slow = Clock(), Clock(), Clock()
    if shared:
        official(games[0], [], Clock())  # imports are not counted
    for at, case in enumerate(games):
        plan = plan_for(case)
        ours(case, plan, fast_all)
        if at in shared:
            ours(case, plan, fast)
            official(case, plan, slow)
    print(
        f"ours alone, {fast_all.games} games: load + reset {fast_all.load_ms:.2f} ms, {fast_all.rate:.0f} steps per s"
    )
    if shared:
        load, rate = slow.load_ms / fast.load_ms, fast.rate / slow.rate
        print(f"{slow.games} games on both, {slow.steps} commands, CPU time")
        print(f"  load + reset: official {slow.load_ms:8.1f} ms    ours {fast.load_ms:6.2f} ms    {load:6.0f}x")
        print(f"  steps per s:  official {slow.rate:8.1f}       ours {fast.rate:6.0f}       {rate:6.0f}x")
    if options.episodes:
        memory(games, options.episodes)


if __name__ == "__main__":
    main()
