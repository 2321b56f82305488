#!/usr/bin/env bash
# kill -9 under load, three times on one collection: each new start closes what
# the last left open, the files stand up to every reader, index and files agree,
# nothing is lost that had ended a second before, and each kill is one gap.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

for round in 1 2 3; do
  start_recorder crash
  disown "$pid" # bash need not report that it was killed
  client load "$address" "$T/ports" 2 "$pid" "$T/safe.$round"
  wait_for 10 has_ended && unset "pids[$pid]"
done
if compgen -G "$archive/*.open" >/dev/null; then
  ok 'the kill has left an open file'
else
  not_ok 'the kill has left an open file: there is none'
fi
start_recorder crash
stop_recorder
told=$("$WARCORDER" gaps --dir "$T/collections" --collection crash --reason crash --json -n 0 \
  | grep -c '"until"' || true)
if [[ $told == 3 ]]; then ok 'each kill is one gap'; else not_ok "three kills are $told gaps"; fi
check_warcs
check records "$archive"/*.warc.gz
export_lines >"$T/crash.cdxj"
try 'export after the kills is sorted' env LC_ALL=C sort -c "$T/crash.cdxj"
check lines "$T/crash.cdxj" "$archive"
client kept "$T/crash.cdxj" "$T"/safe.*
