#!/usr/bin/env bash
# Makes this board again: bash results/boards/offline-learning/make.sh [RUNS]
# Needs $BENCH_DATA; about fifteen minutes on two cores. The files it writes are the same bytes every time.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
runs="${1:-runs/offline-learning}"
rows=no-memory,full-history,react,reflexion,expel,expel:retrieve=off,expel:insights=off,h2r,h2r:high=off,h2r:low=off
rows=$rows,exprag,reasoning-bank,awm,memp
scores=success,success_at_20,success_at_30,steps,experience_shown,context_tokens_mean,tokens_total
gather="--learn-collectors reflexion:actions=0 --learn-attempts 4"
alfworld="alfworld:frame=bare --split valid_unseen --steps 50 --embedder hash"
pddl="pddl:frame=bare --split agentboard --steps 50 --embedder hash"
novice="-m offline/novice"
reader="-m offline/reader"

# ALFWorld: learned on half of the unseen games, or in other houses (train). PDDL: learned on generated problems.
half="--learn-policy grouped-by-spec"
bench run $alfworld $novice -s $rows $half $gather -o "$runs/alfworld-half" > /dev/null
bench run $alfworld $novice -s $rows --learn-split valid_train --learn-tasks 96 $gather -o "$runs/alfworld" > /dev/null
bench run $pddl $novice -s $rows --learn-split generated $gather -o "$runs/pddl" > /dev/null
bench run $alfworld $reader -s $rows $half $gather -o "$runs/alfworld-reader" > /dev/null
bench run $alfworld $reader -s $rows --learn-split valid_train --learn-tasks 96 $gather -o "$runs/alfworld-rooms-reader" > /dev/null
bench run $pddl $reader -s $rows --learn-split generated $gather -o "$runs/pddl-reader" > /dev/null

# Controls of one learner, and the same learner with fewer training tasks.
for kind in placebo shuffled swapped; do
    bench learn --from "$runs/alfworld-half/artifacts/alfworld_frame=bare/expel" --control $kind -o "$runs/controls/$kind" > /dev/null
    bench run $alfworld $novice -s expel $half --artifact "$runs/controls/$kind" -o "$runs/alfworld-half-$kind" > /dev/null
done
for tasks in 6 12 24; do
    bench run $alfworld $novice -s expel $half --learn-tasks $tasks $gather -o "$runs/curve-$tasks" > /dev/null
done

# All learners with fewer training tasks, from one collection.
bench curve $alfworld $novice -s react,expel,h2r,exprag,reasoning-bank,awm,memp $half $gather --tasks 6,12,24,all \
    -y success_at_20 --format csv --figure "$here/alfworld-curves.svg" -o "$runs/alfworld-curves" > "$here/alfworld-curves.csv"

# A small part of all this, which a test makes again.
bench run $alfworld $novice -s $rows $half --learn-tasks 6 $gather --limit 6 -o "$runs/sample" > /dev/null
bench learn --from "$runs/sample/artifacts/alfworld_frame=bare/expel" --control swapped -o "$runs/controls/sample" > /dev/null
bench run $alfworld $novice -s expel $half --limit 6 --artifact "$runs/controls/sample" -o "$runs/sample-swapped" > /dev/null

# Items of the runs into the board, and every table of them; sample-items.csv is what a test makes again.
bench board "$runs"/{alfworld-half,alfworld-half-placebo,alfworld-half-shuffled,alfworld-half-swapped,curve-6,curve-12,curve-24} \
    "$runs"/{alfworld,alfworld-reader,alfworld-rooms-reader,pddl,pddl-reader} -o "$here" > /dev/null
bench export "$runs/sample" "$runs/sample-swapped" --columns $scores -o "$here/sample-items.csv"
python3 "$here/summary.py" > "$here/summary.md"
