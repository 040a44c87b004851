"""Tables, frontiers, comparisons of conversations: whole talks are resampled, judges named, upper bounds set apart."""

from __future__ import annotations

import json
import math
import random
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bench.errors import UsageError
from bench.report.columns import BLANK
from bench.report.compare import compare, render_comparison
from bench.report.frontier import Frontier, Spot, find_frontiers
from bench.report.frontier_text import render_frontier
from bench.report.row import ALL
from bench.report.table import Selection, Table, build_table, render_table
from bench.stats.bootstrap import cluster_interval
from bench.stats.difference import difference_interval
from bench.stats.holm import holm
from bench.stats.interval import seed_of
from bench.stats.signflip import sign_flip
from bench.stats.wilson import wilson

PROBED = "far/judge (rubrics 0123456789abcdef) accepted of the probes: right answers, verbatim 10/10"
JUDGED = {"env.judge": "far/judge", "env.rubrics": "0123456789abcdef", "row.judge_probes": PROBED}
ROWS = {"oracle": 0.95, "full-history": 0.75, "bm25": 0.6, "no-memory": 0.15}
TOKENS = {"oracle": 300.0, "full-history": 5000.0, "bm25": 900.0, "no-memory": 120.0}
QUESTIONS = 9


def item(conversation: int, number: int, strategy: str, seed: int) -> dict[str, Any]:
    """One question; talks differ in how hard they are, so that the questions of one are not independent."""
    rng = random.Random(f"{conversation}|{number}|{strategy}|{seed}")
    chance = min(1.0, max(0.0, ROWS[strategy] + (conversation % 5 - 2) * 0.1))
    right = float(rng.random() < chance)
    doubtful, left_out = number == 3, number == 5
    judged = math.nan if left_out else right
    fields = {"env.data": "d1", **JUDGED, **({"row.privileged": "yes"} if strategy == "oracle" else {})}
    wrote = 4000.0 if strategy == "bm25" else 0.0
    return {
        "run": "demo", "suite": "talks-v1", "split": "all", "task": f"talk-{conversation:02}", "strategy": strategy,
        "model": "far/agent", "offline": False, "seed": seed, "attempt": 1, "status": "done", "scored": True,
        "end": "answered", "error": "", "item": f"q{number}", "group": ("fact", "time", "trap")[number % 3],
        "cluster": f"talk-{conversation:02}", "optimal_steps": None, "fingerprint": json.dumps(fields),
        "success": right * rng.choice([1.0, 0.5]), "f1": right * rng.choice([1.0, 0.5]),
        "success_sound": math.nan if doubtful else right, "judge_sound": math.nan if doubtful else judged,
        "judge_accuracy": judged, "adversarial": right if number % 3 == 2 else math.nan,
        "evidence_recall": math.nan if left_out else right, "evidence_precision": math.nan if left_out else right / 2,
        "answer_tokens": 3.0 + right, "tokens_total": TOKENS[strategy] + number, "tokens_act": TOKENS[strategy],
        "tokens_write": wrote / QUESTIONS, "tokens_judge": 200.0, "judge_cost_usd": 0.25, "cost_usd": 0.5,
        "ingest_tokens": wrote, "query_tokens": TOKENS[strategy], "context_tokens_mean": TOKENS[strategy] / 2,
        "calls": 1.0, "estimated_calls": 0.0, "wall_s": 0.5, "wall_model_s": 0.1, "wall_env_s": 0.0,
        "wall_memory_s": 0.0, "wall_harness_s": 0.0,
    }  # fmt: skip


def made(conversations: int = 6, seeds: tuple[int, ...] = (0,), rows: tuple[str, ...] = tuple(ROWS)) -> pd.DataFrame:
    return pd.DataFrame.from_records(
        [
            item(conversation, number, strategy, seed)
            for strategy in rows
            for seed in seeds
            for conversation in range(conversations)
            for number in range(QUESTIONS)
        ]
    )


@pytest.fixture
def conversations() -> pd.DataFrame:
    return made()


def row_of(found: Table, strategy: str, group: str = ALL) -> dict[str, Any]:
    (row,) = [row for row in found.records if (row["strategy"], row["group"]) == (strategy, group)]
    return row


def said(found: Table) -> str:
    return "\n".join(found.notes)


def shown(found: Table) -> set[str]:
    return {column.metric.record_key for column in found.columns if column.metric}


@pytest.mark.parametrize("seeds", [(0,), (0, 1, 2)])
@pytest.mark.parametrize(
    ("metric", "low", "high"),
    [("success", "success_low", "success_high"), ("judge_accuracy", "judge_low", "judge_high")],
)
def test_intervals_resample_whole_conversations(seeds: tuple[int, ...], metric: str, low: str, high: str) -> None:
    frame = made(seeds=seeds)
    row = row_of(build_table(frame), "bm25")
    mine = frame[frame["strategy"] == "bm25"].groupby(["task", "item"], as_index=False)[metric].mean().dropna()
    seed = seed_of("talks-v1", "all", ALL, "far/agent", "1", metric)
    interval = cluster_interval(mine[metric].tolist(), mine["task"].tolist(), seed=seed)
    assert (row["clusters"], interval.units) == (6, 6)
    assert (row[low], row[high]) == (interval.low, interval.high)
    assert interval.low < mine[metric].mean() < interval.high


def test_note_names_resampled_units_and_warns_of_few(conversations: pd.DataFrame) -> None:
    text = said(build_table(conversations))
    assert (
        "[95 % BCa bootstrap interval], whole conversations resampled (6; Wilson over conversations where all are 0 or "
        "all are 1); so few are likely to make it too narrow" in text
    )
    assert "scored/planned questions" in text
    assert "Wilson interval] over tasks" not in text
    assert "questions of one conversation are not, so it takes more than that" in text
    many = said(build_table(made(conversations=12)))
    assert "whole conversations resampled (12; " in many
    assert "all are 1)." in many


def test_one_conversation_gives_no_interval() -> None:
    found = build_table(made(conversations=1))
    for row in found.records:
        assert row["clusters"] == 1
        assert [row[f"{name}_{end}"] for name in ("success", "judge") for end in ("low", "high")] == [None] * 4
        assert row["success_rate"] is not None
    assert "one conversation says nothing about others, so no interval is given" in said(found)
    cells = [line for line in render_table(found, "md").splitlines() if line.startswith("|")]
    assert len(cells) == 2 + len(ROWS)
    assert not [line for line in cells if "[" in line]


def test_privileged_row_is_printed_and_not_ranked(conversations: pd.DataFrame) -> None:
    found = build_table(conversations)
    oracle = row_of(found, "oracle")
    assert (oracle["privileged"], oracle["rank"], oracle["ranked"]) == (True, None, True)
    assert oracle["success_rate"] == max(row["success_rate"] or 0.0 for row in found.records)
    others = [row for row in found.records if row["strategy"] != "oracle"]
    assert [row["rank"] for row in others] == [1, 2, 3]
    assert [row["strategy"] for row in others] == ["full-history", "bm25", "no-memory"]
    assert not any(row["privileged"] for row in others)
    assert "oracle: sees the evidence of each question; an upper bound, not ranked." in found.notes
    without = build_table(conversations[conversations["strategy"] != "oracle"])
    ranks = [[(row["strategy"], row["rank"]) for row in rows] for rows in (without.records, others)]
    assert ranks[0] == ranks[1]
    assert "sees the evidence" not in said(without)


def spots(found: Frontier) -> dict[str, Spot]:
    return {spot.strategy: spot for spot in found.spots}


@pytest.mark.parametrize("y", ["success", "judge_accuracy"])
def test_privileged_row_is_drawn_and_never_dominates(conversations: pd.DataFrame, y: str) -> None:
    (found,) = find_frontiers(conversations, y=y)
    oracle = spots(found)["oracle"]
    assert (oracle.privileged, oracle.on_frontier, oracle.on_hull, oracle.membership) == (True, False, False, None)
    assert oracle.cost is not None
    assert oracle.value is not None
    assert not oracle.solid
    assert "sees the evidence" in render_frontier((found,), "md")
    (without,) = find_frontiers(conversations[conversations["strategy"] != "oracle"], y=y)
    # It dominates both others: were it a competitor, they would be off.
    assert spots(without)["full-history"].on_frontier
    assert spots(without)["bm25"].on_frontier
    assert [spot for spot in found.spots if spot.strategy != "oracle"] == list(without.spots)
    assert found.n_shared == without.n_shared


def test_score_missing_in_every_row_does_not_exclude_a_row(conversations: pd.DataFrame) -> None:
    (found,) = find_frontiers(conversations, y="judge_accuracy")
    assert all(spot.value is not None for spot in found.spots)
    assert found.n_shared == 6 * (QUESTIONS - 1)
    lost = conversations.copy()
    gone = (lost["strategy"] == "bm25") & (lost["task"] == "talk-02") & (lost["item"] == "q1")
    lost.loc[gone, "judge_accuracy"] = np.nan
    (partly,) = find_frontiers(lost, y="judge_accuracy")
    assert (spots(partly)["bm25"].value, spots(partly)["bm25"].on_frontier) == (None, False)  # others have that one
    assert spots(partly)["full-history"].value == spots(found)["full-history"].value
    lost.loc[(lost["task"] == "talk-02") & (lost["item"] == "q1"), "judge_accuracy"] = np.nan
    (fewer,) = find_frontiers(lost, y="judge_accuracy")
    assert fewer.n_shared == found.n_shared - 1
    assert spots(fewer)["bm25"].value is not None


def test_the_judge_has_columns_and_is_named_with_its_rubrics_and_probes(conversations: pd.DataFrame) -> None:
    found = build_table(conversations)
    row = row_of(found, "bm25")
    mine = conversations[conversations["strategy"] == "bm25"]
    assert row["judge_accuracy"] == pytest.approx(mine["judge_accuracy"].mean())
    assert (row["judge"], row["rubrics"], row["judge_probes"]) == ("far/judge", "0123456789abcdef", PROBED)
    assert (row["tokens_judge"], row["judge_cost_usd"]) == (200.0, 0.25)
    assert row["tokens_total"] == pytest.approx(mine["tokens_total"].mean())
    assert {"judge_accuracy", "judge_sound"} <= shown(found)
    assert (
        "judge: share of answers that the judge (far/judge under rubrics 0123456789abcdef) graded CORRECT; its tokens "
        "have a column of their own."
    ) in found.notes
    assert f"{PROBED}." in found.notes
    text = render_table(found, "md")
    assert f"{100 * (row['judge_accuracy'] or 0):.1f} [{100 * (row['judge_low'] or 0):.1f}, " in text


def test_unprobed_judge_is_noted(conversations: pd.DataFrame) -> None:
    bare = conversations.assign(fingerprint=json.dumps({k: v for k, v in JUDGED.items() if k != "row.judge_probes"}))
    assert "The judge was not probed in this run." in build_table(bare).notes
    assert row_of(build_table(bare), "bm25")["judge_probes"] is None


@pytest.mark.parametrize("field", ["env.judge", "env.rubrics"])
def test_rows_judged_by_different_judges_or_rubrics_never_share_a_table(
    conversations: pd.DataFrame, field: str
) -> None:
    other = conversations["strategy"] == "bm25"
    conversations.loc[other, "fingerprint"] = json.dumps({"env.data": "d1", **JUDGED, field: "another"})
    with pytest.raises(UsageError, match=f"expected one environment for talks-v1 all, got {re.escape(field)} = "):
        build_table(conversations)
    conversations.loc[other, "fingerprint"] = json.dumps({"env.data": "d1", **JUDGED, "row.judge_probes": "another"})
    assert len(build_table(conversations).records) == len(ROWS)


def test_table_without_judge_does_not_mention_one(conversations: pd.DataFrame) -> None:
    bare = conversations.drop(columns=["judge_accuracy", "judge_sound"]).assign(fingerprint='{"env.data": "d1"}')
    found = build_table(bare)
    assert not {"judge_accuracy", "judge_sound"} & shown(found)
    assert "judge (" not in said(found)
    assert "probed" not in said(found)
    assert row_of(found, "bm25")["judge"] is None


def test_sound_columns_leave_out_known_issues_only(conversations: pd.DataFrame) -> None:
    found = build_table(conversations)
    row, mine = (
        row_of(found, "bm25"),
        conversations[(conversations["strategy"] == "bm25") & (conversations["item"] != "q3")],
    )
    assert row["success_sound"] == pytest.approx(mine["success_sound"].mean())
    assert row["judge_sound"] == pytest.approx(mine["judge_accuracy"].mean())
    assert {"success_sound", "judge_sound"} <= shown(found)
    assert "sound: the same without the questions whose reference answer is known to be wrong." in found.notes
    bare = build_table(conversations.drop(columns=["success_sound", "judge_sound"]))
    assert not {"success_sound", "judge_sound"} & shown(bare)
    assert "sound:" not in said(bare)


def test_a_memory_pays_off_after_the_questions_whose_savings_equal_its_ingest(conversations: pd.DataFrame) -> None:
    found = build_table(conversations, reference="full-history")
    saved = TOKENS["full-history"] - TOKENS["bm25"]
    assert row_of(found, "bm25")["pays_off_after"] == pytest.approx(4000 / saved)
    assert "pays_off_after" in shown(found)
    assert all(row_of(found, name)["pays_off_after"] is None for name in ROWS if name != "bm25")  # wrote nothing down
    dear = conversations.copy()
    dear.loc[dear["strategy"] == "bm25", "query_tokens"] = float(TOKENS["full-history"])
    assert row_of(build_table(dear, reference="full-history"), "bm25")["pays_off_after"] is None  # never


def test_evidence_refusals_and_ingest_have_columns(conversations: pd.DataFrame) -> None:
    found = build_table(conversations)
    row = row_of(found, "bm25")
    mine = conversations[conversations["strategy"] == "bm25"]
    assert row["evidence_recall"] == pytest.approx(mine["evidence_recall"].mean())  # those without evidence left out
    assert (row["ingest_tokens"], row["query_tokens"]) == (4000.0, 900.0)
    assert {"evidence_recall", "evidence_precision", "adversarial", "ingest_tokens", "query_tokens", "f1"} <= shown(
        found
    )
    for start in ("evidence recall, prec.: ", "adversarial, abstention: ", "ingest: ", "answer: "):
        assert any(note.startswith(start) for note in found.notes), start
    read = build_table(conversations[conversations["strategy"] != "bm25"])
    assert not {"ingest_tokens", "query_tokens", "pays_off_after"} & shown(read)  # nobody wrote anything down
    untold = conversations.copy()
    untold.loc[(untold["strategy"] == "bm25") & (untold["item"] == "q1"), "query_tokens"] = np.nan
    assert row_of(build_table(untold), "bm25")["query_tokens"] is None  # never a mean over those that were told


def test_a_main_score_that_is_f1_is_shown_once(conversations: pd.DataFrame) -> None:
    found = build_table(conversations.assign(success=conversations["f1"]))
    assert "f1" not in shown(found)
    assert "the main score of a question (F1)" in said(found)


def test_rows_are_tested_by_flipping_whole_conversations(conversations: pd.DataFrame) -> None:
    found = build_table(conversations, reference="full-history")
    wide = conversations.pivot_table(index=["task", "item"], columns="strategy", values="success").dropna()
    for name in ("bm25", "no-memory", "oracle"):
        row = row_of(found, name)
        gains = (wide[name] - wide["full-history"]).tolist()
        expected = sign_flip(gains, [task for task, _ in wide.index], seed=0)
        assert (row["test_metric"], row["test_method"]) == ("success", "clusters, exact")
        assert row["p_value"] == expected.p
        assert (row["n_pairs"], row["clusters"]) == (6 * QUESTIONS, 6)
    rivals = [row for row in found.records if row["p_value"] is not None and not row["privileged"]]
    assert tuple(row["p_adjusted"] for row in rivals) == holm([row["p_value"] for row in rivals])
    assert row_of(found, "oracle")["p_adjusted"] is None  # it makes nobody else's test harder
    assert row_of(found, "no-memory")["p_value"] == 2 / 2**6
    (note,) = [note for note in found.notes if note.startswith("p: ")]
    assert "two-sided sign-flip test (exact) on success against full-history" in note
    assert "(n = 54 questions in 6 conversations); no p can be below 0.0312." in note
    assert "Wilcoxon" not in said(found)


def test_a_comparison_gives_the_interval_and_the_test_of_whole_conversations(conversations: pd.DataFrame) -> None:
    (found,) = compare(conversations, "bm25", "no-memory", "judge_accuracy")
    wide = conversations.pivot_table(index=["task", "item"], columns="strategy", values="judge_accuracy").dropna()
    gaps, tasks = (wide["bm25"] - wide["no-memory"]).tolist(), [task for task, _ in wide.index]
    assert found.by_cluster == difference_interval(gaps, tasks)
    seed = seed_of("talks-v1", "all", "far/agent", "1", "judge_accuracy", "compare")
    flip = sign_flip(gaps, tasks, seed=seed)
    assert found.sign_flip == flip
    assert flip.method == "exact"
    text = " ".join(render_comparison((found,), "md").split())
    assert f"sign-flip test over clusters, exact | p = {flip.p:.3f} (6 clusters)" in text
    (record,) = json.loads(render_comparison((found,), "json"))
    assert record["sign_flip"] == {"clusters": 6, "p": flip.p, "method": "exact"}
    # Questions of one conversation are no independent sample: what takes each by itself has no p and no interval.
    assert (found.independent, record["interval"]) == (False, None)
    assert {record[name][p] for name, p in (("wilcoxon", "p"), ("mcnemar", "p"), ("mcnemar", "p_mid"))} == {None}
    assert "no p (W+ = " in text
    assert "no p (b = " in text
    (turned,) = compare(conversations, "no-memory", "bm25", "judge_accuracy")
    assert turned.sign_flip == flip


def test_one_conversation_has_no_cluster_test() -> None:
    (found,) = compare(made(conversations=1), "bm25", "no-memory")
    assert (found.by_cluster, found.sign_flip) == (None, None)
    text = render_comparison((found,), "md")
    assert "sign-flip" not in text
    assert "p = " not in text.replace("no p", "")


def test_groups_have_intervals_and_tests_of_their_own(conversations: pd.DataFrame) -> None:
    found = build_table(conversations, reference="full-history", selection=Selection(by_group=True))
    row = row_of(found, "bm25", "fact")
    mine = conversations[(conversations["strategy"] == "bm25") & (conversations["group"] == "fact")].sort_values(
        ["task", "item"]
    )
    seed = seed_of("talks-v1", "all", "fact", "far/agent", "1", "success")
    interval = cluster_interval(mine["success"].tolist(), mine["task"].tolist(), seed=seed)
    assert (row["success_low"], row["success_high"], row["clusters"]) == (interval.low, interval.high, 6)
    assert row["test_method"] == "clusters, exact"


def test_episodes_are_resampled_and_tested_one_by_one_as_before(items: pd.DataFrame) -> None:
    found = build_table(items, reference="full-history")
    assert {row["clusters"] for row in found.records} == {None}
    assert {row["privileged"] for row in found.records} == {False}
    assert {row["test_method"] for row in found.records if row["p_value"] is not None} <= {"exact", "normal"}
    text = said(found)
    assert "Wilson interval] over tasks" in text
    assert "Wilcoxon signed-rank" in text
    for word in ("conversation", "question", "sign-flip", "judge:", "evidence", "sound:", "ingest"):
        assert word not in text, word
    foreign = {
        "judge_accuracy",
        "judge_sound",
        "success_sound",
        "f1",
        "evidence_recall",
        "query_tokens",
        "answer_tokens",
    }
    assert not foreign & shown(found)
    assert BLANK not in {column.header for column in found.columns}


def test_the_order_of_the_items_changes_no_byte(conversations: pd.DataFrame) -> None:
    shuffled = conversations.sample(frac=1, random_state=4)
    for style in ("md", "csv", "json"):
        one, other = (
            render_table(build_table(frame, reference="full-history"), style) for frame in (conversations, shuffled)
        )
        assert one == other
    assert render_frontier(find_frontiers(conversations), "json") == render_frontier(find_frontiers(shuffled), "json")


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_conversations_that_do_not_differ_still_have_a_width(conversations: pd.DataFrame, value: float) -> None:
    row = row_of(build_table(conversations.assign(success=value)), "bm25")
    assert (row["success_low"], row["success_high"]) == (wilson(6 * value, 6).low, wilson(6 * value, 6).high)
    half = row_of(build_table(conversations.assign(success=0.5)), "bm25")
    assert (half["success_rate"], half["success_low"]) == (0.5, None)
