"""Every strategy scores the same however a chat model words its replies, and a reply without a command is counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.config import RunConfig
from bench.runner.batch import run
from bench.store.read import read_trials
from tests.conformance.style_play import SUITES, Player, Suite, choose_styles, playable_strategies
from tests.conformance.style_table import fill_table, write_report
from tests.replies.styles import COMMANDLESS, STYLES, Style
from tests.servers.styling import restyle
from tests.servers.styling_server import StylingServer

TOY, TALK = SUITES[:2]
FEW = (
    "bold label", "bold line", "double quotes", "next line", "labelled fence", "full stop", "bold thought line",
    "prose above, bold label", "think block", "played on", "JSON in a fence",
)  # fmt: skip
MANY_FOR = ("full-history", "window", "hiagent", "fold", "generic-agent", "h2r", "react")
UNCONVERTED: frozenset[str] = frozenset()
"""Strategies that still read replies by readers of their own."""


def strategies_of(suite: Suite, names: Iterable[str] = ()) -> list[Any]:
    marks = [pytest.mark.xfail(reason="has a reader of its own", strict=False)]
    ours = names or playable_strategies(suite.shape)
    return [pytest.param(suite, name, id=f"{suite.name}-{name}", marks=marks * (name in UNCONVERTED)) for name in ours]


def faults_of(suite: Suite, strategy: str, styles: Iterable[Style]) -> Mapping[str, str]:
    player = Player(suite, strategy)
    cells = [player.check(style) for style in styles]
    assert all(cell.decisions for cell in cells if cell.command)
    return {cell.style: cell.fault for cell in cells if cell.fault}


BOTH_TOYS = [*strategies_of(TOY), *strategies_of(TALK)]


@pytest.mark.parametrize(("suite", "strategy"), BOTH_TOYS)
def test_strategy_scores_the_same_in_common_styles(suite: Suite, strategy: str) -> None:
    styles = [style for style in choose_styles(suite.shape, command=True) if style.name in FEW]
    assert len(styles) == len(FEW)
    assert faults_of(suite, strategy, styles) == {}


@pytest.mark.parametrize(("suite", "strategy"), strategies_of(TOY, MANY_FOR))
def test_strategy_scores_the_same_in_every_style(suite: Suite, strategy: str) -> None:
    styles = choose_styles(suite.shape, command=True)
    assert len(styles) > 80
    assert faults_of(suite, strategy, styles) == {}


@pytest.mark.parametrize(("suite", "strategy"), BOTH_TOYS)
def test_reply_without_a_command_is_counted_and_never_followed(suite: Suite, strategy: str) -> None:
    assert faults_of(suite, strategy, choose_styles(suite.shape, command=False)) == {}


def test_learner_is_played_with_what_it_learned_in_that_style() -> None:
    player = Player(TOY, "exprag")
    (shown, *_) = [step.decision.context.text for step in player.play(by_name("bold label"))[0].steps]
    assert "Experience" in shown


def test_plain_replies_need_no_repair_and_no_second_call() -> None:
    for suite in (TOY, TALK):
        for strategy in playable_strategies(suite.shape):
            cell = Player(suite, strategy).check(STYLES[0])
            assert (cell.asked_again, cell.repaired, cell.unreadable, cell.fault) == (0, 0, 0, ""), strategy


def by_name(name: str) -> Style:
    return next(style for style in (*STYLES, *COMMANDLESS) if style.name == name)


@pytest.mark.parametrize(("line", "forms"), [("Subgoal: find it", 8), ("branch(find it)", 12)])
def test_restyle_dresses_the_lines_of_a_dialect_too(line: str, forms: int) -> None:
    written = {restyle(style, "act", f"{line}\nAction: look").partition("look")[0] for style in STYLES}
    above = {text.rpartition("find it")[0].rpartition("\n")[2] for text in written if "find it" in text}
    assert len(above) >= forms


def test_restyle_keeps_a_thought_first_and_drops_lines_where_there_is_no_command() -> None:
    text = restyle(by_name("reasoning block"), "act", "Subgoal: a\nAction: x")
    thought, _, below = text.partition("</reasoning>\n")
    assert thought.startswith("<reasoning>")
    assert "ubgoal" in below
    assert below.endswith("\nAction: x")
    assert restyle(by_name("label alone"), "act", "Subgoal: a\nAction: look") == "Action:"
    styled = restyle(by_name("sentence of comment"), "act", "Subgoal: a\nAction: look")
    assert styled == "Subgoal: a. Action: look. This makes progress."


@pytest.mark.parametrize(
    ("role", "plain"), [("extract", '{"facts": []}'), ("navigate", "grep ferry"), ("summarize", "Ann lives in Oslo.")]
)
def test_restyle_dresses_inner_replies_by_their_kind(role: str, plain: str) -> None:
    texts = {restyle(style, role, plain) for style in STYLES}
    assert plain in texts
    assert len(texts) >= 8
    assert all(plain in text for text in texts)
    assert {restyle(style, role, plain) for style in COMMANDLESS} == {plain}


def test_styling_server_gives_the_score_of_the_process(tmp_path: Path) -> None:
    with StylingServer(by_name("bold label")) as server:
        done = run(
            RunConfig(suites=("toy",), strategies=("window",), limit=1, model="openai/styled", base_url=server.url),
            tmp_path / "run",
        )
    (trial,) = read_trials(done.folder)
    assert {call.reply[:12] for call in trial.calls} == {"**Action:** "}
    assert {score.name: score.value for score in trial.items[0].scores}["success"] == 1.0


def test_report_names_each_fault(tmp_path: Path) -> None:
    cells = fill_table([(TOY, "window")], most_styles=3)
    assert {cell.command for cell in cells} == {True, False}
    write_report(cells, tmp_path)
    lines = (tmp_path / "styles.csv").read_text().splitlines()
    assert len(lines) == len(cells) + 1
    assert "| window |" in (tmp_path / "styles.md").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("suite", [suite for suite in SUITES if suite.is_there], ids=lambda suite: suite.name)
def test_full_table_has_no_fault(suite: Suite) -> None:
    pairs = [(suite, name) for name in playable_strategies(suite.shape)]
    assert [cell for cell in fill_table(pairs, most_styles=40) if cell.fault] == []
