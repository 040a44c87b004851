"""The style table: each strategy on each suite, while the offline player writes in each style.

``python -m tests.conformance.style_table`` writes ``results/conformance/styles.md`` and ``.csv`` and ends with 1 if
there is a fault. It needs about ten minutes on 2 cores; ``--styles 40`` takes 40 of the styles and a third of the time,
``--suites toy,pddl`` a part of the suites, ``--out DIR`` another folder.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path

from tests.conformance.style_play import SUITES, Cell, Player, Suite, choose_styles, playable_strategies
from tests.replies.styles import Style

__all__ = ["fill_table", "write_report"]

FOLDER = Path(__file__).parents[2] / "results" / "conformance"
SLOW_STYLES = 24
"""The most styles of a suite, or with a strategy, that takes seconds a style."""
SLOW = frozenset({"locomo", "mem0-package"})
Job = tuple[Suite, str, int]


def choose_part(styles: Sequence[Style], most: int) -> tuple[Style, ...]:
    """Return at most ``most`` styles, evenly from all; 0 = all."""
    if not most or most >= len(styles):
        return tuple(styles)
    return tuple(styles[at * len(styles) // most] for at in range(most))


def play_job(job: Job) -> list[Cell]:
    """Play one strategy on one suite in every style, with and without a command in it."""
    suite, strategy, most = job
    if SLOW & {suite.name, strategy}:
        most = min(most or SLOW_STYLES, SLOW_STYLES)
    player = Player(suite, strategy)
    styles = [one for command in (True, False) for one in choose_part(choose_styles(suite.shape, command), most)]
    return [player.check(style) for style in styles]


def fill_table(pairs: Sequence[tuple[Suite, str]], most_styles: int = 0, workers: int = 1) -> list[Cell]:
    """Return the cells of suites and strategies, in that order. ``most_styles``: 0 = all."""
    # The slow ones first, so that no core is idle at the end.
    jobs = sorted(
        ((suite, strategy, most_styles) for suite, strategy in pairs),
        key=lambda job: -len(SLOW & {job[0].name, job[1]}),
    )
    found: list[Cell] = []
    for number, cells in enumerate(_play_all(jobs, workers), start=1):
        found += cells
        faults = sum(bool(cell.fault) for cell in cells)
        head = f"[{number}/{len(jobs)}] {cells[0].suite} {cells[0].strategy}"
        print(f"{head}: {len(cells)} styles, {faults} with a fault", file=sys.stderr, flush=True)
    order = [(suite.name, strategy) for suite, strategy in pairs]
    return sorted(found, key=lambda cell: order.index((cell.suite, cell.strategy)))


def _play_all(jobs: Sequence[Job], workers: int) -> Iterator[list[Cell]]:
    if workers < 2:
        yield from map(play_job, jobs)
        return
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        yield from pool.imap_unordered(play_job, jobs)


def write_report(cells: Sequence[Cell], folder: Path) -> None:
    """Write ``styles.csv``, one line a cell, and ``styles.md``."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "styles.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Cell)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(cell) for cell in cells)
    (folder / "styles.md").write_text("\n".join(_iterate_lines(cells)) + "\n", encoding="utf-8")


def _iterate_lines(cells: Sequence[Cell]) -> Iterator[str]:
    faults = [cell for cell in cells if cell.fault]
    with_command = {cell.style for cell in cells if cell.command}
    yield "# Styles of replies"
    yield ""
    yield (
        f"The offline player's replies, re-worded in {len(with_command)} styles that carry the action or answer and "
        f"{len({cell.style for cell in cells} - with_command)} that carry none. A cell counts the styles in which all "
        "is as it should be: the same scores as in the plain style, or, without a command, nothing followed and every "
        "decision counted as unreadable (or the trial unscored, where a reply is empty or its thinking never ends)."
    )
    yield ""
    yield (
        f"Made by `python -m tests.conformance.style_table`; every cell stands in "
        f"`styles.csv`. Played {len(cells)} cells, {len(faults)} with a fault."
    )
    for command, title in ((True, "With a command"), (False, "Without a command")):
        yield from ("", f"## {title}", "")
        yield from _iterate_matrix([cell for cell in cells if cell.command is command])
    if faults:
        yield from ("", "## Faults", "", "| suite | strategy | styles | first style | what |", "|---|---|---:|---|---|")
        for suite, strategy in dict.fromkeys((cell.suite, cell.strategy) for cell in faults):
            ours = [cell for cell in faults if (cell.suite, cell.strategy) == (suite, strategy)]
            what = " ".join(ours[0].fault.split()).replace("|", "\\|")
            yield f"| {suite} | {strategy} | {len(ours)} | {ours[0].style} | {what} |"


def _iterate_matrix(cells: Sequence[Cell]) -> Iterator[str]:
    suites = list(dict.fromkeys(cell.suite for cell in cells))
    yield f"| strategy | {' | '.join(suites)} |"
    yield "|---" * (len(suites) + 1) + "|"
    for strategy in sorted({cell.strategy for cell in cells}):
        texts = []
        for suite in suites:
            ours = [cell for cell in cells if (cell.suite, cell.strategy) == (suite, strategy)]
            good = sum(not cell.fault for cell in ours)
            texts.append("–" if not ours else f"{good}" if good == len(ours) else f"**{good}** of {len(ours)}")
        yield f"| {strategy} | {' | '.join(texts)} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--styles", type=int, default=0, help="0 = all")
    parser.add_argument("--suites", default=",".join(suite.name for suite in SUITES))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=FOLDER)
    given = parser.parse_args()
    wanted = [suite for suite in SUITES if suite.name in given.suites.split(",")]
    for suite in wanted:
        if not suite.is_there:
            print(f"{suite.name}: left out; it needs its data under $BENCH_DATA and its package", file=sys.stderr)
    pairs = [(suite, name) for suite in wanted if suite.is_there for name in playable_strategies(suite.shape)]
    cells = fill_table(pairs, given.styles, given.workers)
    write_report(cells, given.out)
    faults = sum(bool(cell.fault) for cell in cells)
    print(f"{len(cells)} cells, {faults} with a fault; see {given.out / 'styles.md'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
