#!/usr/bin/env bash
# Makes this board again: bash results/boards/offline-conversations/make.sh [RUNS]
# Needs $BENCH_DATA and the extra [mem0]; about seven minutes on two cores. The files it writes are the same bytes every time.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
runs="${1:-runs/offline-conversations}"
sanity=full-history,no-memory,always-refuse,oracle-evidence
cuts=truncation:keep=head,tokens=2000,truncation:keep=tail,tokens=2000,window:k=20
search=bm25:k=10,bm25:k=3,unit=chunk,embedding:k=10,embedding:k=3,unit=chunk,embedding:k=1,unit=session,hybrid:k=10
free=$sanity,$cuts,$search
written=files-grep,mem0,mem0:variant=add-only,a-mem,generic-agent-dialogue,summary,resum,acon-untrained
offline="-m offline/reader --judge offline/reader --embedder hash"

bench run locomo --split all -s $free,$written,mem0-package $offline -o "$runs/locomo" > /dev/null
bench run locomo --split generated -s $free,$written,mem0-package $offline -o "$runs/generated" > /dev/null
bench run longmemeval --split oracle -s $free,$written $offline -o "$runs/longmemeval-oracle" > /dev/null
bench run longmemeval --split s --limit 100 -s $free $offline -o "$runs/longmemeval-s" > /dev/null
bench board "$runs"/{locomo,generated,longmemeval-oracle,longmemeval-s} -o "$here" > /dev/null
