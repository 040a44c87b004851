"""Pictures, drawn from numbers that other files of ``bench.report`` found; only this folder knows matplotlib."""
