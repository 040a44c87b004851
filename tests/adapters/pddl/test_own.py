"""A user's own domain and problems: found, worded, played, solved by reading the prompt, refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adapters.pddl import world as worlds
from adapters.pddl.domain import Atom, load_domain, name_own
from adapters.pddl.env import PddlEnvironment
from adapters.pddl.offline.own import OwnRule
from adapters.pddl.own import find_own_tasks, parse_own
from adapters.pddl.problem import Problem
from adapters.pddl.suite import SUITE, PddlSuite
from adapters.pddl.wording import load_wording
from adapters.pddl.world import build_world
from bench.errors import DataError, UsageError
from bench.protocols import Params, SuiteOptions
from bench.registry import resolve_suite
from bench.types import Message
from tests.conftest import RunBench

OWN = Path(__file__).parent / "own"
DEPOTS = (OWN / "depots" / "domain.pddl").read_text(encoding="utf-8")
PROBLEM = (OWN / "depots" / "instances" / "instance-2.pddl").read_text(encoding="utf-8")
PLAN = (
    "lift hoist0 crate0 pallet0 depot0", "load hoist0 crate0 truck0 depot0", "drive truck0 depot0 distributor0",
    "unload hoist1 crate0 truck0 distributor0", "drop hoist1 crate0 pallet1 distributor0",
)  # fmt: skip


def write(folder: Path, domain: str = DEPOTS, problem: str = PROBLEM) -> Path:
    (folder / "domain.pddl").write_text(domain, encoding="utf-8")
    (folder / "p1.pddl").write_text(problem, encoding="utf-8")
    return folder


def environment(folder: Path, name: str) -> PddlEnvironment:
    return PddlEnvironment(parse_own(next(t for t in find_own_tasks(folder) if t.id == name).payload, name))


def suite(path: Path, **params: str) -> PddlSuite:
    return PddlSuite(SuiteOptions("own", Params(SUITE.params, {"path": str(path), **params}), Path("none")))


def test_find_own_tasks_of_several_domains_names_them_by_folder() -> None:
    tasks = find_own_tasks(OWN)
    assert [(task.id, task.domain) for task in tasks] == [
        ("depots/instances/instance-1", "depot"),
        ("depots/instances/instance-2", "depot"),
        ("logistics/prob10", "logistics-strips"),
    ]
    assert tasks[0].family == "depot/13 objects/2 goals"


def test_find_own_tasks_sorts_numbers_as_numbers(tmp_path: Path) -> None:
    write(tmp_path)
    for number in (10, 2):
        (tmp_path / f"p{number}.pddl").write_text(PROBLEM, encoding="utf-8")
    assert [task.id for task in find_own_tasks(tmp_path)] == ["p1", "p2", "p10"]


def test_line_ends_of_windows_change_nothing() -> None:
    text = (OWN / "logistics" / "domain.pddl").read_bytes()
    assert b"\r\n" in text
    assert load_domain(name_own(text.decode())) == load_domain(name_own(text.decode().replace("\r\n", "\n")))
    opening = environment(OWN, "logistics/prob10").reset()
    assert "In-city airport1 city1." in opening.observation
    assert "\r" not in opening.goal + opening.observation + opening.frame.instructions


def test_own_domain_is_played_by_its_names() -> None:
    env = environment(OWN, "depots/instances/instance-2")
    opening = env.reset()
    assert opening.goal.startswith("Things: crate0 (crate); depot0 (depot);")
    assert opening.goal.endswith("Your goal is that all of the following hold at once: On crate0 pallet1.")
    assert (
        "- drop X Y Z P (X hoist, Y crate, Z surface, P place): needs at X P; at Z P; clear Z; lifting X Y. "
        "Makes at Y P; available X; clear Y; on Y Z. Ends clear Z; lifting X Y." in opening.frame.instructions
    )
    assert "crate is a kind of surface" in opening.frame.instructions
    first = env.step("DRIVE truck0 to distributor0")
    assert (first.valid, first.invalid_reason) == (False, "unparsable")
    seen = [env.step(action) for action in PLAN]
    assert seen[0].text.startswith("Clear pallet0. Lifting hoist0 crate0. No longer at crate0 depot0.")
    assert seen[-1].won
    assert seen[-1].progress == 1.0


def test_refusal_says_how_the_action_was_read_and_how_it_is_written() -> None:
    env = environment(OWN, "depots/instances/instance-2")
    env.reset()
    usage = "It is written: load X Y Z P (X hoist, Y crate, Z truck, P place)."
    swapped = env.step("load crate0 into truck0 with hoist0 at depot0")
    assert swapped.invalid_reason == "precondition"
    assert swapped.text.endswith(f"Nothing happens. It was read as: load crate0 truck0 hoist0 depot0. {usage}")
    short = env.step("load hoist0 crate0 truck0")
    assert short.invalid_reason == "unparsable"
    assert short.text.endswith(usage)
    assert "It is written" not in env.step("dance").text


def test_own_wording_replaces_the_plain_one(tmp_path: Path) -> None:
    lines = [
        "# predicate | true | no longer",
        "fact at | {0} is at {1}. | {0} is no longer at {1}.",
        "fact on | {0} stands on {1}. | {0} no longer stands on {1}.",
        "fact in | {0} is in {1}. | {0} is no longer in {1}.",
        "fact lifting | {0} holds {1}. | {0} no longer holds {1}.",
        "fact available | {0} is free. | {0} is no longer free.",
        "fact clear | nothing is on {0}. | something is on {0}.",
        "action drive | drive {0} from {1} to {2} | go",
        *(f"action {name} | {name} {{0}} {{1}} {{2}} {{3}} |" for name in ("lift", "drop", "load", "unload")),
    ]
    write(tmp_path)
    (tmp_path / "wording.txt").write_text("\n".join(lines), encoding="utf-8")
    env = environment(tmp_path, "p1")
    opening = env.reset()
    assert "Crate0 stands on pallet0." in opening.observation
    assert "- drive X from Y to Z (X truck, Y place, Z place): needs x is at Y." in opening.frame.instructions
    assert env.step("go truck0 depot0 distributor0").text == "Truck0 is at distributor0. Truck0 is no longer at depot0."


@pytest.mark.parametrize("line", ["action drive | drive {0} {1} {2} |", "fact at | {0} at {1}."])
def test_own_wording_that_does_not_fit_the_domain_is_refused(tmp_path: Path, line: str) -> None:
    write(tmp_path)
    (tmp_path / "wording.txt").write_text(line, encoding="utf-8")
    with pytest.raises(DataError, match=r"domain\.pddl: expected a PDDL domain.*wording\.txt"):
        find_own_tasks(tmp_path)


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("(at ?x ?y)\n", "(forall (?q - place) (at ?x ?q))\n", ""),
        ("(and (at ?x ?y))", "(forall (?q - place) (at ?x ?q))", "action drive: .* got forallcondition"),
        ("(and (at ?x ?y))", "(or (at ?x ?y) (at ?x ?z))", "action drive: .* got or"),
        ("(and (at ?x ?y))", "(>= (fuel) 3)", "action drive: .* got greaterequalthan"),
        ("(at ?x ?z)))", "(when (at ?x ?y) (at ?x ?z))))", "action drive: .* got when"),
        ("?y - place ?z", "?y - (either place truck) ?z", "either type place or truck, which is not supported"),
        ("(and (at ?x ?y))", "(and (far ?x))", "action drive: unknown fact far with 1 arguments"),
        ("(and (at ?x ?y))", "(and (at ?x ?q))", r"action drive: unknown argument \?q"),
        ("(define (domain Depot)", "(define", "got Unexpected"),
    ],
)  # fmt: skip
def test_domain_with_unsupported_features_is_one_clear_line(
    tmp_path: Path, before: str, after: str, reason: str
) -> None:
    write(tmp_path, DEPOTS.replace(before, after, 1))
    if not reason:
        assert find_own_tasks(tmp_path)
        return
    with pytest.raises(DataError, match=reason) as caught:
        find_own_tasks(tmp_path)
    assert "\n" not in str(caught.value)
    assert "mend it or leave it out" in str(caught.value)


def test_negated_conditions_inequality_and_costs_are_supported() -> None:
    text = DEPOTS.replace("(and (at ?x ?y))", "(and (at ?x ?y) (not (= ?y ?z)) (not (at ?x ?z)))")
    functions = "(:functions (total-cost) - number (far ?a ?b - place) - number)"
    text = text.replace("  (:action Drive", f"  {functions}\n  (:action Drive")
    text = text.replace("?y)) (at ?x ?z)))", "?y)) (at ?x ?z) (increase (total-cost) (far ?y ?z))))")
    drive = load_domain(name_own(text)).operator("drive")
    assert (drive.forbid, drive.distinct) == ((Atom("at", ("?x", "?z")),), (("?y", "?z"),))
    costs = "(:init (= (total-cost) 0) (= (far depot0 distributor0) 7)"
    problem = parse_own_text(
        text, PROBLEM.replace("(:init", costs).replace("pallet1)))", "pallet1)) (:metric minimize (total-cost)))")
    )
    calls = [action.call for action in build_world(problem).actions if action.call.name == "drive"]
    assert calls == [
        Atom("drive", ("truck0", "depot0", "distributor0")), Atom("drive", ("truck0", "distributor0", "depot0")),
    ]  # fmt: skip
    both = problem.init | {Atom("at", ("truck0", "distributor0"))}
    assert not any(action.applies(both) for action in build_world(problem).actions if action.call in calls)


def parse_own_text(domain: str, problem: str) -> Problem:
    return parse_own(json.dumps([name_own(domain), problem]), "p")


def test_broken_problem_costs_its_own_task_only(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "p2.pddl").write_text("(define (problem x) (:domain Depot)", encoding="utf-8")
    of = suite(tmp_path)
    good, broken = of.tasks()
    assert of.open(good).reset().goal
    with pytest.raises(DataError, match=r"pddl p2: expected a planning problem in PDDL, got .*; mend the file"):
        of.open(broken)


@pytest.mark.parametrize(("file", "text"), [("", ""), ("domain.pddl", DEPOTS), ("p1.pddl", PROBLEM)])
def test_folder_without_domain_or_problems_is_one_clear_line(tmp_path: Path, file: str, text: str) -> None:
    if file:
        (tmp_path / file).write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=r"expected (path= a folder with domain\.pddl|problems \(\*\.pddl\))"):
        find_own_tasks(tmp_path)


def test_problem_with_too_many_actions_is_refused_not_endless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "MOST_ACTIONS", 10)
    with pytest.raises(DataError, match="expected at most 10 ground actions, got more"):
        worlds.World(parse_own_text(DEPOTS, PROBLEM))


def test_path_chooses_the_split_and_nothing_else_does() -> None:
    assert resolve_suite(f"pddl:path={OWN}").split == "own"
    with pytest.raises(UsageError, match=r"expected --split own with path= alone, got generated; leave --split out"):
        resolve_suite(f"pddl:path={OWN}", "generated")
    with pytest.raises(UsageError, match=r"got own; write pddl-v1:path="):
        resolve_suite("pddl", "own")
    with pytest.raises(UsageError, match="expected protocol=house with path=, got hiagent"):
        suite(OWN, protocol="hiagent")


def test_files_that_change_change_the_fingerprint(tmp_path: Path) -> None:
    before = suite(write(tmp_path)).fingerprint()
    after = suite(write(tmp_path, DEPOTS.replace("(clear ?y))\n", "(clear ?y) )\n"))).fingerprint()
    assert before != after


@pytest.mark.parametrize("name", ["depots/instances/instance-1", "depots/instances/instance-2", "logistics/prob10"])
def test_offline_rule_solves_what_it_has_never_seen(name: str) -> None:
    env, rule = environment(OWN, name), OwnRule()
    opening = env.reset()
    past, now, seen = [], opening.observation, None
    for step in range(1, 13):
        memory = "\n".join(past)
        user = f"# Task\n{opening.goal}\n\n# Memory\n{memory}\n\n# Now\nObservation: {now}\n\nAction:"
        action = rule.reply([Message("system", opening.frame.instructions), Message("user", user)])
        seen = env.step(action.removeprefix("Action: "))
        past += [f"[{step}] Observation: {now}", f"[{step}] Action: {action.removeprefix('Action: ')}"]
        now = seen.text
        if seen.done:
            break
    assert seen is not None
    assert seen.won, past


def test_offline_rule_asks_where_it_cannot_read_the_actions() -> None:
    messages = [Message("system", OwnRule.header), Message("user", "# Task\nGo.\n\n# Now\nObservation: Hm.")]
    assert OwnRule().reply(messages) == "Action: check valid actions"
    listed = [*messages[:1], Message("user", "# Task\nGo.\n\n# Now\nObservation: Valid actions: b; a.")]
    assert OwnRule().reply(listed) == "Action: a"


def test_plain_sentences_are_read_back() -> None:
    words = load_wording(name_own(DEPOTS))
    for holds in (True, False):
        literal = words.read(words.sentence(Atom("at", ("c1", "p1")), holds))
        assert literal is not None
        assert (literal.atom, literal.holds) == (Atom("at", ("c1", "p1")), holds)


def test_run_of_own_tasks_ends_in_a_table(bench: RunBench) -> None:
    done = bench("run", f"pddl:path={OWN}", "-s", "full-history,window:k=3", "-o", "mine")
    assert done.code == 0
    assert "own · offline/reader" in done.out
    table = bench("table", "mine", "--format", "csv").out
    assert table.count("\n") == 3


def test_run_of_a_missing_folder_names_it_and_no_other_split(bench: RunBench, tmp_path: Path) -> None:
    done = bench("run", f"pddl:path={tmp_path / 'none'}", "-s", "window")
    assert done.code == 2
    assert "expected path= a folder with domain.pddl in it" in done.err
    assert "generated" not in done.err
