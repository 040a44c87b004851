"""Suite ``sop-bench-v1``: products classified as dangerous goods with tools, by a procedure that a memory may hold."""
