"""``bench report``: runs in, one HTML file out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from bench.cli.report_extras import ExtrasReader
from bench.errors import UsageError, writing
from bench.report.page.document import write_document
from bench.report.page.packing import pack, pack_text
from bench.report.page.report import Report
from bench.store.printing import say

__all__ = ["report_command", "write_report"]


def report_command(folders: Sequence[Path], out: Path, reference: str | None, workspaces: int) -> None:
    """Write the report of runs and say how large it is. Raises: UsageError, StoreError."""
    if out.is_dir():
        raise UsageError(f"report: expected a file to write, got the folder {out}; give -o {out / 'report.html'}")
    with closing(ExtrasReader(folders, workspaces)) as reader:
        write_report(Report(folders, reference, reader.extras), out)
    say(f"report: {out}, {out.stat().st_size / 1e6:.1f} MB")


def write_report(report: Report, out: Path) -> None:
    """Write a report; a file that is there is replaced when the new one is complete. Raises: StoreError."""
    partial = out.with_name(f"{out.name}.partial")
    with writing("report", out):
        try:
            with partial.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(write_document(report.title, _pack_blocks(report)))
            partial.replace(out)
        finally:
            partial.unlink(missing_ok=True)


def _pack_blocks(report: Report) -> Iterator[tuple[str, str]]:
    yield "overview", pack(report.read_overview())
    for name, part in report.read_parts():
        yield name, pack(part)
    places: dict[str, int] = {}
    for number, (ids, text) in enumerate(report.read_pieces()):
        places |= dict.fromkeys(ids, number)
        yield f"trials-{number}", pack_text(text)
    yield "places", pack(places)
