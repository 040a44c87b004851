"""The question of a run folder: recorded in a new one, compared with in one that is gone on with."""

from __future__ import annotations

from pathlib import Path

from bench.config import RUN_FILE, RunConfig, difference, read_config, write_config
from bench.errors import StoreError
from bench.runner.resolve import ResolvedRun, resolve_run
from bench.store.database import Store

__all__ = ["check_question"]

_QUESTION = "question"


def check_question(store: Store, question: ResolvedRun, folder: Path) -> None:
    """Record the question of a new folder. Raises: StoreError if the folder was made for another one."""
    recorded = store.meta(_QUESTION)
    config, path = question.config, folder / RUN_FILE
    if recorded is None:
        write_config(config, path)
        store.set_meta(_QUESTION, config.model_dump_json())
        return
    # A record may hold names in another spelling (k=05 for k=5): the same question all the same.
    before = resolve_run(RunConfig.model_validate_json(recorded), question.root).config
    written = resolve_run(read_config(path), question.root).config if path.exists() else before
    changed = difference(before, config) or difference(before, written)
    if changed:
        raise StoreError(
            f"run folder {folder}: expected the question it was made for, got another ({'; '.join(changed)}); "
            f"undo that in {RUN_FILE} or choose another folder with -o"
        )
