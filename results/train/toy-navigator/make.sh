#!/usr/bin/env bash
# Makes these results again: bash results/train/toy-navigator/make.sh [FOLDER]
# Needs the extra [train], no data and no network; a few minutes on one CPU core. The same numbers every time on one machine;
# another processor or another torch may round otherwise.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
out="${1:-runs/toy-navigator}"
python="${PYTHON:-python}"
for seed in 0 1 2; do
    "$python" -m baselines.horma.train -o "$out" --seed "$seed"
    cp "$out/curve-$seed.csv" "$out/test-$seed.csv" "$here/"
done
"$python" "$here/summary.py"
