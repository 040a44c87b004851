"""An attack on the whole product that anybody can run again: what is tried, and what is survived.

    python -m tests.faults.campaign [--kills 200] [--faults 60] [--lines 2000] [--files 500] [--hostile 100]
                                    [--seed 0] [--workers 2] [--only KIND] [--number N] [-o FOLDER]

Kinds: ``kills`` (a run ended in the midst of its work by every kind of death, and given again until it is done),
``faults`` (an endpoint that replies in every wrong way), ``lines`` (command lines made from the real options),
``files`` (damaged databases, archives, settings and data), ``hostile`` (names and replies that attack whoever shows
them). Every try is drawn from its kind, seed and number; ``--number`` plays one alone. Needs neither key nor network.
Exits with 1 if something was not survived. Outside the default run; its result is committed under ``results/parity/``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.campaign.pool import play_tries
from tests.faults.campaign.tally import render_csv, render_markdown, render_totals
from tests.faults.campaign.tries import Found, Try

KINDS = {"kills": 200, "faults": 60, "lines": 2000, "files": 500, "hostile": 100}


def main() -> int:
    """Play the campaign, print its table, write it with ``-o``."""
    given = _read_options()
    kinds = [given.only] if given.only else list(KINDS)
    ended: list[tuple[Try, Found]] = []
    with tempfile.TemporaryDirectory(prefix="campaign-", ignore_cleanup_errors=True) as folder:
        shared = Path(folder).resolve() / "shared"
        shared.mkdir()
        for kind in kinds:
            numbers = range(getattr(given, kind)) if given.number is None else [given.number]
            began = time.monotonic()
            for one, found in play_tries([Try(kind, given.seed, number) for number in numbers], given.workers, shared):
                ended.append((one, found))
                _report(one, found)
            print(f"{kind}: {len(numbers)} tries in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
            _write(ended, given)  # after each kind: a campaign that is broken off keeps what it has
    print(render_totals(ended))
    return int(any(found.got for _, found in ended))


def _write(ended: list[tuple[Try, Found]], given: argparse.Namespace) -> None:
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        sizes = " ".join(f"--{kind} {getattr(given, kind)}" for kind in dict.fromkeys(one.kind for one, _ in ended))
        page = render_markdown(ended, f"{sizes} --seed {given.seed}")
        (given.out / "campaign.md").write_text(page, encoding="utf-8")
        (given.out / "campaign.csv").write_text(render_csv(ended), encoding="utf-8")


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.faults.campaign", description=(__doc__ or "").split("\n\n")[0])
    for kind, count in KINDS.items():
        parser.add_argument(f"--{kind}", type=int, default=count, help=f"tries of this kind (default: {count})")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2, help="tries at once")
    parser.add_argument("--only", choices=KINDS, help="this kind alone")
    parser.add_argument("--number", type=int, help="this try of the kind alone")
    parser.add_argument("-o", "--out", type=Path, help="write campaign.md and campaign.csv here")
    return parser.parse_args()


def _report(one: Try, found: Found) -> None:
    if found.got:
        lines = (f"{one.kind} {one.number}: {found.variety}", found.reproduction, found.expected, found.got)
        shown = [text.encode("unicode_escape").decode()[:2000] for text in lines]
        print("{}\n  tried    {}\n  expected {}\n  got      {}".format(*shown), file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
