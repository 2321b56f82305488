#!/usr/bin/env bash
# A hostile site, recorded, in every view of the live page in Chromium: nothing of it runs, and nothing of
# it is fetched. And pages of other sites against the recorder: they read nothing and change nothing.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"
work=$T/livehostile
mkdir -p "$work"

# A list of pages that somebody else has made comes first.
collection=livehostile
"$VENV/bin/python" "$here/live/hostile/pack.py" "$work/hostile.wacz"
try 'a hostile WACZ file is imported' \
  "$WARCORDER" import --dir "$T/collections" --collection "$collection" "$work/hostile.wacz"

start_recorder "$collection" --complete never --index-interval 100ms
token=$(<"$T/collections/$collection/recorder.token")
timeout --kill-after=10 600 node "$here/live/hostile.mjs" "$address" "$token" "$work" \
  || not_ok 'hostile.mjs broke off'
stop_recorder
