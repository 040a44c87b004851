"""Writes table.md and curve.png from the CSV files beside it, or into the folder that is named."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bench.stats.bootstrap import mean_interval
from bench.stats.wilson import wilson

HERE = Path(__file__).parent
SEEDS = (0, 1, 2)
COLORS = ("#0b6e8a", "#c2571a", "#6b5b95")
NAMES = {
    "trained": "trained: imitation, then GRPO",
    "grep": "`navigator=grep`",
    "imitated": "imitation alone, by the likeliest token",
    "walk": "the walk that is imitated",
    "random": "`navigator=random`",
}


def read(name: str) -> pd.DataFrame:
    return pd.concat([pd.read_csv(HERE / f"{name}-{seed}.csv").assign(seed=seed) for seed in SEEDS])


def format_interval(values: list[float]) -> str:
    """Return a mean with its 95 % interval over tasks; of tasks that all have 1, Wilson's."""
    if min(values) == max(values) == 1:
        low, high = wilson(len(values), len(values)).low, 1.0
    else:
        found = mean_interval(values, seed=0)
        low, high = found.low, found.high
    return f"{100 * sum(values) / len(values):.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def write_table() -> str:
    tests = read("test")
    by_task = tests.pivot_table(index="task", columns="navigator", values="jaccard")  # seeds are averaged first
    lines = [
        f"{len(by_task)} held-out tasks, {len(SEEDS)} seeds; seeds are averaged, intervals (95 %) are over tasks.",
        "",
        "| navigator | Jaccard % | by seed | replies | refused | trained is better by |",
        "|---|---|---|---|---|---|",
    ]
    for name, title in NAMES.items():
        rows = tests[tests.navigator == name]
        seeds = ", ".join(f"{100 * rows[rows.seed == seed].jaccard.mean():.1f}" for seed in SEEDS)
        gain = "–" if name == "trained" else format_interval(list(by_task["trained"] - by_task[name]))
        lines.append(
            f"| {title} | {format_interval(list(by_task[name]))} | {seeds} | {rows.replies.mean():.1f} | "
            f"{rows.refused.mean():.1f} | {gain} |"
        )
    kinds = tests.pivot_table(index="navigator", columns="group", values="jaccard")
    counts = tests[(tests.navigator == "grep") & (tests.seed == 0)].groupby("group").size()
    lines += ["", f"| Jaccard % by kind | {' | '.join(f'{kind} ({n})' for kind, n in counts.items())} |"]
    lines.append("|---|" + "---|" * len(counts))
    for name, title in NAMES.items():
        lines.append(f"| {title} | {' | '.join(f'{100 * kinds.loc[name, kind]:.1f}' for kind in counts.index)} |")
    return "\n".join([*lines, ""])


def draw_curve(path: Path) -> None:
    curves, tests = read("curve"), read("test")
    with mpl.rc_context({"font.family": "DejaVu Sans", "font.size": 9.5}):
        figure = Figure(figsize=(7, 3.8), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        for seed in SEEDS:
            curve = curves[curves.seed == seed].sort_values("update")
            axes.plot(curve["update"], curve.reward, color=COLORS[seed], alpha=0.3, linewidth=0.8)
            smooth = curve.reward.rolling(5, min_periods=1).mean()
            axes.plot(curve["update"], smooth, color=COLORS[seed], label=f"seed {seed}")
        for name, style in (("grep", "--"), ("walk", "-."), ("random", ":")):
            level = tests[tests.navigator == name].jaccard.mean()
            axes.axhline(level, color="#5b6672", linestyle=style, linewidth=1, label=f"{name} (held-out tasks)")
        axes.set_xlabel("update (8 questions, 8 searches each)")
        axes.set_ylabel("reward: Jaccard overlap with the evidence")
        axes.set_ylim(0, 1.02)
        axes.set_xlim(1, curves["update"].max())
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, loc="center right", bbox_to_anchor=(1, 0.58), fontsize=8.5)
        axes.set_title("Training searches, each seed and its mean over five updates", loc="left", fontsize=9.5)
        figure.savefig(path, dpi=150, metadata={"Software": None}, facecolor="white")


def main(out: Path) -> None:
    (out / "table.md").write_text(write_table(), encoding="utf-8")
    draw_curve(out / "curve.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
