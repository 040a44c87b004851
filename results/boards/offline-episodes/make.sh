#!/usr/bin/env bash
# Makes this board again: bash results/boards/offline-episodes/make.sh [RUNS]
# Needs $BENCH_DATA; about three minutes on two cores. The files it writes are the same bytes every time.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
runs="${1:-runs/offline-episodes}"
rows=no-memory,full-history,truncation,window:k=5,embedding,bm25,hiagent,fold,resum,acon-untrained,summary,generic-agent
ablations=full-history,hiagent,hiagent:summary=last,hiagent:retrieve=off,hiagent:summary=last,retrieve=off,hiagent:hide=off

bench run alfworld --split valid_unseen -s $rows -m offline/reader --embedder hash --steps 50 -o "$runs/alfworld" > /dev/null
bench run pddl --split agentboard -s $rows -m offline/reader --embedder hash --steps 40 -o "$runs/pddl" > /dev/null
bench run hiagent-five --split zork -s $ablations -m offline/reader --embedder hash -o "$runs/hiagent-five" > /dev/null
bench board "$runs/alfworld" "$runs/pddl" "$runs/hiagent-five" -o "$here" > /dev/null
