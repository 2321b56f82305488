#!/usr/bin/env bash
# How much less is recorded at full load while the index is read: an export after another, and 50
# queries a second. At most a tenth, by the median of rounds in turn. It takes some minutes in which
# nothing else should run: CI runs it with CI_LONG=1 alone.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

cd "$here/../.."
CGO_ENABLED=0 go build -o "$T/speed" ./proxy/testdata/speed
said=0
"$T/speed" -warcorder "$WARCORDER" -relay=false -scenarios read-https-10k -rounds "${ROUNDS:-15}" -loss 10 \
  >"$T/reading.log" 2>&1 || said=$?
sed 's/^/# /' "$T/reading.log"
equal 'reading: recording at full load loses at most a tenth to an export and 50 queries a second' "$said" 0
