"""Plays the official ALFWorld engine and ours side by side and writes what differs: nothing, if all is well.

    python -m tests.parity.alfworld_engine --set unseen-move [--limit 5]     one set, after the rows already written
    python -m tests.parity.alfworld_engine --recheck                         ours alone against the digests in the rows
    python -m tests.parity.alfworld_engine --report                          the table from the rows

Each game is played twice: its stored walkthrough, then a seeded random walk of 60 commands, valid ones, plausible ones
that do not apply, and garbage. After every command the feedback, the admissible commands in order, won, done, score
and all facts are compared. A row also keeps a digest of our transcript, so that later versions can be held against it
without the official engine. Games come from $BENCH_DATA. One process by default; rerun to go on where it stopped.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import multiprocessing
import os
import random
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Protocol

from adapters.alfworld.engine import Fact, Game
from adapters.alfworld.grammar import Grammar
from adapters.alfworld.procedural import GeneratedGames

RESULTS = Path(__file__).parents[2] / "results" / "parity"
ROWS = RESULTS / "alfworld_engine.csv"
WALK_STEPS = 60
SETS = ("unseen-move", "unseen-put", "valid-train-move", "valid-train-put", "train-move", "procedural")
SAMPLE = {"valid-train-move": 30, "valid-train-put": 30, "train-move": 100, "procedural": 40}
TREES = {"move": "json_2.1.1", "put": "json_2.1.1_put"}
GARBAGE = (
    "",
    "   ",
    "go",
    "go to",
    "go to nowhere 1",
    "take the mug",
    "put mug 1 on desk 1",
    "open door 1",
    "Look",
    "INVENTORY",
    "xyzzy",
    "go to loc 3",
    "use ünïcode 1",
    "look\ninventory",
    "examine {o}",
    "move  mug 1 to desk 1",
    "think: where is it?",
    "help me",
)


@dataclass(frozen=True)
class Case:
    """A game to play."""

    set: str
    task: str
    data: bytes
    walkthrough: tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """What one game showed."""

    set: str
    task: str
    steps: int
    valid: int
    won: int
    """1 when the walkthrough won the game."""
    walk_won: int
    """1 when the random walk passed through a won state."""
    differences: int
    first: str
    """What differed first, empty if nothing did."""
    digest: str
    """Of our transcript."""


@dataclass(frozen=True)
class Moment:
    """What an engine shows after a command."""

    feedback: str
    admissible: tuple[str, ...]
    won: bool
    done: bool
    score: int
    facts: tuple[Fact, ...]
    named: tuple[Fact, ...]


class Engine(Protocol):
    def reset(self) -> Moment: ...

    def step(self, command: str) -> Moment: ...


class Fast:
    """Our engine."""

    def __init__(self, case: Case, strict: bool = True):
        self._game = Game.load(case.data, name=case.task, strict=strict)
        self._session = self._game.start()

    def reset(self) -> Moment:
        self._session = self._game.start()
        return self._moment()

    def step(self, command: str) -> Moment:
        self._session.step(command)
        return self._moment()

    def _moment(self) -> Moment:
        s = self._session
        return Moment(s.feedback, s.admissible, s.won, s.done, s.score, s.facts, tuple(sorted(s.list_named_facts())))


class Official:
    """The official engine, played as alfworld plays it."""

    def __init__(self, case: Case):
        import textworld  # noqa: PLC0415 - a heavy extra
        from alfworld.agents.environment.alfred_tw_env import AlfredDemangler  # noqa: PLC0415

        infos = textworld.EnvInfos(feedback=True, won=True, admissible_commands=True, facts=True)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "game.tw-pddl")
            path.write_bytes(case.data)
            self._env = textworld.start(str(path), request_infos=infos, wrappers=[AlfredDemangler()])

    def reset(self) -> Moment:
        return self._moment(self._env.reset())

    def step(self, command: str) -> Moment:
        state, score, done = self._env.step(command)
        assert (score, done) == (state["score"], state["done"])
        return self._moment(state)

    def _moment(self, state: Any) -> Moment:
        return Moment(
            feedback=state.feedback,
            admissible=tuple(state["admissible_commands"]),
            won=state["won"],
            done=bool(state.get("done")),
            score=int(state.get("score") or 0),
            facts=_facts(state["_facts"]),
            named=_facts(state["facts"]),
        )


def _facts(propositions: Any) -> tuple[Fact, ...]:
    return tuple(sorted(Fact(p.name, tuple(a.name for a in p.arguments)) for p in propositions))


def play(case: Case, engines: Sequence[Engine], *, walk_steps: int = WALK_STEPS) -> Row:
    """Play one game on all engines at once; the first one's transcript is digested, the others are held against it."""
    digest = hashlib.sha256()
    steps = valid = differences = 0
    won: list[bool] = []
    first = ""
    for scenario in ("walkthrough", "walk"):
        rng = random.Random(f"{case.set}/{case.task}")
        plan = iter(case.walkthrough)
        seen: set[str] = set()
        command: str | None = None
        victory = False
        count = 0
        while True:
            moments = [engine.reset() if command is None else engine.step(command) for engine in engines]
            digest.update(_line(command, moments[0]))
            found = [text for other in moments[1:] for text in _differences(moments[0], other)]
            differences += len(found)
            first = first or (f"{scenario} step {count}, after {command!r}: {found[0]}" if found else "")
            victory = victory or moments[0].won
            seen.update(moments[0].admissible)
            if scenario == "walkthrough":
                command = next(plan, None)
            else:
                command = choose(rng, moments[0].admissible, sorted(seen)) if count < walk_steps else None
            if command is None:
                break
            valid += command.strip() in moments[0].admissible
            steps += 1
            count += 1
        won.append(victory)
    return Row(case.set, case.task, steps, valid, int(won[0]), int(won[1]), differences, first, digest.hexdigest()[:16])


def choose(rng: random.Random, admissible: Sequence[str], seen: Sequence[str]) -> str:
    """Pick a command: mostly one that applies, each verb alike, else one from elsewhere or garbage."""
    kind = rng.random()
    if kind < 0.08:
        return rng.choice(GARBAGE)
    if kind < 0.16:
        return rng.choice(seen)
    verbs = sorted({command.split()[0] for command in admissible})
    verb = rng.choices(verbs, [3 if verb in ("go", "take", "move", "put", "open") else 1 for verb in verbs])[0]
    command = rng.choice([command for command in admissible if command.split()[0] == verb])
    return f" {command}\t" if kind > 0.96 else command


def _line(command: str | None, moment: Moment) -> bytes:
    facts = [[fact.name, *fact.arguments] for fact in moment.facts]
    parts = [command, moment.feedback, moment.admissible, moment.won, moment.done, moment.score, facts]
    return json.dumps(parts, separators=(",", ":")).encode() + b"\n"


def _differences(ours: Moment, other: Moment) -> Iterator[str]:
    """Yield a line for every part of the moment that differs."""
    for field in fields(Moment):
        mine, theirs = getattr(ours, field.name), getattr(other, field.name)
        if mine == theirs:
            continue
        if isinstance(mine, tuple):
            extra, missing = sorted(set(mine) - set(theirs)), sorted(set(theirs) - set(mine))
            yield f"{field.name}: {len(extra)} too many {extra[:2]}, {len(missing)} missing {missing[:2]}"
        else:
            yield f"{field.name}: {mine!r} for {theirs!r}"


def cases(name: str, data: Path) -> Iterator[Case]:
    """Yield the games of a set in sorted order; of the large ones an even sample."""
    if name == "procedural":
        yield from _procedural()
        return
    tree = TREES[name.rsplit("-", 1)[1]]
    if name.startswith("unseen"):
        root = data / "alfworld" / tree / "valid_unseen"
        files = {f"{p.parts[-3]}/{p.parts[-2]}": p.read_bytes() for p in root.glob("*/*/game.tw-pddl")}
        twins = data / "alfworld" / TREES["move"] / "valid_unseen"
        plans = {task: (twins / task / "game.tw-pddl").read_bytes() for task in files}
    else:
        split = "valid_train" if name.startswith("valid-train") else "train"
        archive = "valid_train_games.tar.xz" if split == "valid_train" else "json_2.1.1_train_games.tar.xz"
        files, plans = _sample(data / "alfworld" / "archives" / archive, tree, split, SAMPLE[name])
    for task in sorted(files):
        yield Case(name, task, files[task], walkthrough_of(plans[task], files[task]))


def walkthrough_of(plan: bytes, game: bytes) -> tuple[str, ...]:
    """Return the commands stored in one file in the wording of another."""
    commands = json.loads(plan).get("walkthrough") or []
    if "put {o} in/on {r}" not in json.loads(game)["grammar"]:
        return tuple(commands)
    renamed = []
    for command in commands:
        if command.startswith("move "):
            thing, place = command.removeprefix("move ").split(" to ")
            command = f"put {thing} in/on {place}"
        renamed.append(command)
    return tuple(renamed)


def _sample(archive: Path, tree: str, split: str, count: int) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the files of an even sample of an archive's games, and their twins in the newer wording."""
    with tarfile.open(archive) as tar:
        names = sorted(name for name in tar.getnames() if name.endswith("/game.tw-pddl"))
        tasks = sorted({"/".join(n.split("/")[2:4]) for n in names if n.startswith(f"{tree}/{split}/")})
        chosen = {tasks[at * len(tasks) // count] for at in range(min(count, len(tasks)))}
        files: dict[str, bytes] = {}
        plans: dict[str, bytes] = {}
        for member in tar:
            top, _, folder, trial, name = (*member.name.split("/"), "", "", "", "")[:5]
            task = f"{folder}/{trial}"
            if task in chosen and name == "game.tw-pddl":
                handle = tar.extractfile(member)
                assert handle is not None
                content = handle.read()
                if top == tree:
                    files[task] = content
                if top == TREES["move"]:
                    plans[task] = content
    return files, plans


def _procedural() -> Iterator[Case]:
    """Yield generated games, every other one in the older wording."""
    games = [GeneratedGames(wording) for wording in (Grammar.MOVE, Grammar.PUT)]
    count = SAMPLE["procedural"]
    tasks = games[0].tasks()
    for place in range(count):
        wording = games[place % 2]
        task = wording.tasks()[place * len(tasks) // count]
        data = wording.read(task)
        yield Case("procedural", task.id, data, tuple(json.loads(data)["walkthrough"]))


def judge(case: Case) -> Row:
    """Play one game on both engines."""
    return play(case, [Fast(case), Official(case)])


def written() -> list[Row]:
    """Return the rows of earlier runs."""
    if not ROWS.exists():
        return []
    rows = []
    with ROWS.open(newline="") as file:
        for line in csv.DictReader(file):
            steps, valid, won, walk_won, differences = (int(line[f.name]) for f in fields(Row)[2:7])
            head = (line["set"], line["task"])
            rows.append(Row(*head, steps, valid, won, walk_won, differences, line["first"], line["digest"]))
    return rows


def _write(rows: Sequence[Row]) -> None:
    ordered = sorted(rows, key=lambda row: (SETS.index(row.set), row.task))
    RESULTS.mkdir(parents=True, exist_ok=True)
    with ROWS.open("w", newline="") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in ordered)


def report(rows: Sequence[Row]) -> str:
    """Return the table of a full run."""
    lines = [
        "# ALFWorld: our engine against the official one",
        "",
        "Official: alfworld 0.4.2, textworld 1.7.0, fast_downward_textworld 20.6.4. Each game: the stored walkthrough",
        f"and a seeded random walk of {WALK_STEPS} commands; after each command feedback, admissible commands (in",
        "order), won, done, score and facts are compared. Made by `python -m tests.parity.alfworld_engine`; rows in",
        "`alfworld_engine.csv`.",
        "",
        "| set | games | commands | of these valid | won by the walkthrough | games that differ | differences |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name in SETS:
        of = [row for row in rows if row.set == name]
        if of:
            lines.append(
                f"| {name} | {len(of)} | {sum(r.steps for r in of)} | {sum(r.valid for r in of)} "
                f"| {sum(r.won for r in of)} | {sum(r.differences > 0 for r in of)} "
                f"| {sum(r.differences for r in of)} |"
            )
    return "\n".join([*lines, ""])


def recheck(rows: Sequence[Row], names: Sequence[str], data: Path) -> list[str]:
    """Return the games that our engine no longer plays as it did when it was compared."""
    known = {(row.set, row.task): row.digest for row in rows}
    return [
        f"{name} {case.task}"
        for name in names
        for case in cases(name, data)
        if (name, case.task) in known and play(case, [Fast(case)]).digest != known[name, case.task]
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="Hold our ALFWorld engine against the official one.")
    parser.add_argument("--set", choices=SETS, action="append", default=[])
    parser.add_argument("--limit", type=int, default=10_000, help="games at most in this run, per set")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--report", action="store_true", help="only write the table")
    parser.add_argument("--recheck", action="store_true", help="play the games in the rows on our engine alone")
    asked = parser.parse_args()
    rows = written()
    data = Path(os.environ.get("BENCH_DATA", ".")).resolve()
    if asked.recheck:
        changed = recheck(rows, asked.set or SETS, data)
        print(f"{len(rows)} rows, {len(changed)} played otherwise than when they were compared", *changed, sep="\n")
        raise SystemExit(bool(changed))
    if not asked.report:
        for name in asked.set or SETS:
            done = {row.task for row in rows if row.set == name}
            left = [case for case in cases(name, data) if case.task not in done][: asked.limit]
            # The official engine keeps about 7 MB an episode: a fresh process every few games.
            with multiprocessing.get_context("spawn").Pool(asked.jobs, maxtasksperchild=8) as pool:
                for row in pool.imap_unordered(judge, left):
                    rows.append(row)
                    _write(rows)
                    print(row.set, row.task, row.steps, row.won, row.first or "same", flush=True)
    (RESULTS / "alfworld_engine.md").write_text(report(rows))
    print(report(rows))


if __name__ == "__main__":
    main()
