"""Tests of what imports torch: skipped with a reason where the extra is not installed, an error in CI."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

MISSING = [name for name in ("torch", "transformers", "peft") if find_spec(name) is None]
REASON = f"needs the extra [train]: no package {', '.join(MISSING)}"


class _WithoutTorch(pytest.Module):
    """A file of tests that cannot be imported."""

    def collect(self) -> list[pytest.Item]:
        if os.environ.get("CI"):
            raise self.CollectError(f"{REASON}; in CI it must be there")
        pytest.skip(REASON, allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    return _WithoutTorch.from_parent(parent, path=module_path) if MISSING else None


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    """A tiny model is faster so, and its sums are the same on every machine."""
    import torch  # noqa: PLC0415

    torch.set_num_threads(1)
