"""``bench board``: runs in, a folder of their items, tables, figures and provenance out; and all made again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from bench.errors import UsageError, writing
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
    check: Annotated[
        Path | None, Option(help="Play a submission, or all of a board, again and compare.", metavar="DIR")
    ] = None,
    only: Annotated[str, Option(help="With --remake: names of tables and figures, with commas.")] = "",
) -> int:
    """Make a folder of tables, figures and provenance from runs; a pull request of it is how a row joins a board."""
    from bench.board.create import add_runs  # noqa: PLC0415
    from bench.board.make import find_boards, make_board  # noqa: PLC0415

    if check is not None:
        return _check(check)
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


def _check(folder: Path) -> int:
    """Print the status of each submission; of a whole board, write its page too. Returns 1 if one is not reproduced."""
    from bench.board.check import NOT_REPRODUCED, check_submission  # noqa: PLC0415
    from bench.board.make import find_boards  # noqa: PLC0415
    from bench.board.record import read_board  # noqa: PLC0415
    from bench.board.submission import SUBMISSION_FILE, find_submissions, read_corrections  # noqa: PLC0415
    from bench.board.submissions_page import PAGE, write_submissions  # noqa: PLC0415

    alone = (folder / SUBMISSION_FILE).is_file()
    found = [folder] if alone else find_submissions(find_boards(folder)[0])
    if not found:
        raise UsageError(f"board: expected a submission in {folder}, got none; see docs/submit.md")
    checked = [check_submission(one) for one in found]
    for one in checked:
        say(f"{one.folder.name}: {one.status}: {one.why}", sys.stdout)
    if not alone:
        page = write_submissions(folder, read_board(folder).title, checked, read_corrections(folder))
        with writing("board", folder / PAGE):
            (folder / PAGE).write_text(page, encoding="utf-8", newline="\n")
        say(str(folder / PAGE), sys.stdout)
    return int(any(one.status == NOT_REPRODUCED for one in checked))
