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

# Tables, causes of failure and frontiers, with full history as the reference; paired tests of the skills.
for name in alfworld-2200 alfworld-1950 alfworld-300 locomo locomo-all longmemeval-oracle longmemeval-s; do
    both="$runs/$name $runs/${name%-[0-9]*}-full"
    for format in md csv json; do
        bench table $both --reference full-history --format $format > "$here/$name.$format"
    done
    horma=$([[ $name = l*-* ]] && echo "horma (foreign)" || echo horma)
    bench compare "$runs/$name" "$horma" horma-untrained > "$here/$name-skills.txt"
done
for name in alfworld-300 locomo longmemeval-oracle longmemeval-s; do
    both="$runs/$name $runs/${name%-[0-9]*}-full"
    bench errors $both -o "$here/$name-errors.svg" > "$here/$name-errors.txt"
    # What a step or question takes; and that with what it took to write the memory down.
    query=$([[ $name = alfworld* ]] && echo context_tokens_mean || echo query_tokens)
    bench frontier $both -x $query -o "$here/$name-query.svg" > "$here/$name-query.txt"
    bench frontier $both -x tokens -o "$here/$name-tokens.svg" > "$here/$name-tokens.txt"
done
scores=success,steps,evidence_recall,evidence_jaccard,context_tokens_mean,tokens_write,tokens_read,tokens_total
bench export "$runs/sample-alfworld" "$runs/sample-locomo" --columns $scores -o "$here/sample-items.csv"
python3 "$here/summary.py" > "$here/summary.md"
