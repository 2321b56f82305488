#!/usr/bin/env bash
# The live page while 10,000 exchanges a minute are recorded, for a minute (30 with CI_LONG=1, or as
# many seconds as LIVESOAK says): what it keeps and what it costs is flat, and no row is lost.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"
if [[ ${CI_LONG-} == 1 ]]; then LIVESOAK=${LIVESOAK:-1800}; fi
(cd "$here/live/load" && CGO_ENABLED=0 go build -o "$T/load" .)
start_recorder livesoak --complete never --warc-max-size 200MB
node "$here/live/soak.mjs" "$address" "$pid" "$(cat "$T/collections/livesoak/recorder.token")" "$T/load" \
  "${LIVESOAK:-60}" || not_ok 'livesoak: soak.mjs broke off'
stop_recorder
rm -rf "$T/collections/livesoak"
