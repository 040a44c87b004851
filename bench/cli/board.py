"""``bench board``: runs in, a folder of their items, tables, figures and provenance out; and all made again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from bench.errors import UsageError
from bench.store.printing import say

__all__ = ["board"]


def board(
    *,
    folders: Annotated[list[Path] | None, Argument(help="Runs or items.", metavar="DIR...", show_default=False)] = None,
    out: Annotated[Path | None, Option("-o", "--out", help="The board, new or to add to.", metavar="BOARD")] = None,
    title: Annotated[str, Option(help="Its title.")] = "",
    prefer: Annotated[
        list[Path] | None, Option(help="A run whose trials are taken where another holds the same.", metavar="DIR")
    ] = None,
    remake: Annotated[
        Path | None, Option(help="Make a board, or all boards in a folder, again from their items.", metavar="BOARD")
    ] = None,
    only: Annotated[str, Option(help="With --remake: names of tables and figures, with commas.")] = "",
) -> int:
    """Make a folder of tables, figures and provenance from runs; a pull request of it is how a row joins a board."""
    from bench.board.create import add_runs  # noqa: PLC0415
    from bench.board.make import find_boards, make_board  # noqa: PLC0415

    runs, first = folders or [], prefer or []
    if (remake is None) is not bool(runs or first):
        raise UsageError("board: expected runs and -o BOARD, or --remake BOARD, got both or neither; give one of them")
    if remake is not None:
        names = [name for name in only.split(",") if name]
        made = [file for one in find_boards(remake) for file in make_board(one, names)]
    elif out is None:
        raise UsageError("board: expected -o BOARD, got none; name the folder to write to")
    else:
        made = add_runs(runs, out, title=title, prefer=first)
    for file in made:
        say(str(file), sys.stdout)
    return 0
