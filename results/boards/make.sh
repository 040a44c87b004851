#!/usr/bin/env bash
# Makes every table and figure of all boards again, from their committed items alone: bash results/boards/make.sh
# Needs no data, no run and no model; a few minutes. The same bytes every time. The make.sh of a board plays its runs.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
bench board --remake "$here"
for board in offline-learning offline-horma; do
    python3 "$here/$board/summary.py" > "$here/$board/summary.md"
done
