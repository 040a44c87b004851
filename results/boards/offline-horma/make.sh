#!/usr/bin/env bash
# Makes this board again: bash results/boards/offline-horma/make.sh [RUNS]
# Needs $BENCH_DATA; about an hour on two cores. The files it writes are the same bytes every time.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
runs="${1:-runs/offline-horma}"
offline="-m offline/reader --embedder hash"
judged="$offline --judge offline/reader"
untrained=horma-untrained,horma-untrained:navigator=grep,horma-untrained:navigator=random
acting=$untrained,truncation:tokens=0,window,embedding,bm25,hiagent,fold,resum,acon-untrained,a-mem,mem0
search=embedding:k=7,embedding:k=10,embedding:k=100,bm25:k=7,bm25:k=10,bm25:k=100
asking=$untrained,truncation:tokens=0,window:k=20,$search,resum,acon-untrained,summary,a-mem,mem0,oracle-evidence
alfworld="--split valid_unseen --steps 50 $offline"

# Skills, from training tasks alone: ALFWorld's other houses; LoCoMo's first seven conversations; LongMemEval's oracle.
houses="--learn-split valid_train --learn-tasks 96"
bench learn alfworld $alfworld -s horma $houses -o "$runs/learn-houses" > /dev/null
bench learn locomo --split test $judged -s horma --learn-split train -o "$runs/learn-seven" > /dev/null
bench learn longmemeval --split s $judged -s horma --learn-split oracle --learn-tasks 100 -o "$runs/learn-long" > /dev/null
houses="--artifact $runs/learn-houses/artifacts/alfworld/horma"
seven="--artifact $runs/learn-seven/artifacts/locomo/horma"
from_long="--artifact $runs/learn-long/artifacts/longmemeval/horma --allow-foreign"

# Every task at the paper's budgets, and full history without one. Games never fill those; they fill 300 tokens.
for tokens in 2200 1950 300; do
    acts="-s horma,$acting --budget-tokens $tokens $houses"
    bench run alfworld:evidence=on $alfworld $acts -o "$runs/alfworld-$tokens" > /dev/null
done
bench run alfworld:evidence=on $alfworld -s full-history -o "$runs/alfworld-full" > /dev/null
bench run locomo --split questions519 $judged -s horma,$asking --budget-tokens 10000 $seven -o "$runs/locomo" > /dev/null
bench run locomo --split questions519 $judged -s full-history -o "$runs/locomo-full" > /dev/null
bench run locomo --split all $judged -s horma,$asking --budget-tokens 10000 $from_long -o "$runs/locomo-all" > /dev/null
bench run locomo --split all $judged -s full-history -o "$runs/locomo-all-full" > /dev/null
long="longmemeval $judged"
seven="$seven --allow-foreign"
bench run $long --split oracle367 -s horma,$asking --budget-tokens 50000 $seven -o "$runs/longmemeval-oracle" > /dev/null
bench run $long --split oracle367 -s full-history -o "$runs/longmemeval-oracle-full" > /dev/null
bench run $long --split s --limit 100 -s horma,$asking --budget-tokens 50000 $seven -o "$runs/longmemeval-s" > /dev/null
bench run $long --split s --limit 100 -s full-history -o "$runs/longmemeval-s-full" > /dev/null

# A small part of all this, which a test makes again.
sample="--learn-tasks 6 --limit 6 -s full-history,horma,$untrained"
bench run alfworld:evidence=on $alfworld --learn-policy grouped-by-spec $sample -o "$runs/sample-alfworld" > /dev/null
bench run locomo --split generated $judged --learn-policy half-random $sample -o "$runs/sample-locomo" > /dev/null

# Tables, causes of failure and frontiers, with full history as the reference; paired tests of the skills (board.toml).
# An artifact's place differs from machine to machine, and is no part of a result.
bench board "$runs"/{alfworld-2200,alfworld-1950,alfworld-300,alfworld-full,locomo,locomo-full,locomo-all,locomo-all-full} \
    "$runs"/{longmemeval-oracle,longmemeval-oracle-full,longmemeval-s,longmemeval-s-full,sample-alfworld,sample-locomo} \
    -o "$here" > /dev/null
sed -i "s#\"[^\"]*/\(learn-[a-z]*/artifacts\)#\"runs/offline-horma/\1#" "$here"/items/*.toml
python3 "$here/summary.py" > "$here/summary.md"
