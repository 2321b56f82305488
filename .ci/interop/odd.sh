#!/usr/bin/env bash
# Answers with framing and heads that are seldom seen (odd/cases.py), looked at by a page in a real Chromium:
# at the origin through the recorder, then replayed by pywb and by replayweb.page; warcio reads them too. Shows
# that they are recorded byte for byte, and that the tables of doc/replay.md say what others make of them.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

odd() { "$VENV/bin/python" "$here/odd/$1.py" "${@:2}" || not_ok "$1.py ${2-} broke off"; }
look() {
  timeout 120 node "$here/odd/look.mjs" "$1" "$2" "$page" "$T/odd-cases.json" "$T/odd-$1.json" "$T/profile-odd-$1" \
    || not_ok "Chromium over $1"
}

"$VENV/bin/python" "$here/odd/origin.py" serve "$T/odd.port" &
origin=$!
pids[origin]=$origin
is_there() { [[ -e $T/odd.port ]]; }
wait_for 20 is_there
page=http://127.0.0.1:$(<"$T/odd.port")/page
odd origin cases >"$T/odd-cases.json"

start_recorder odd --complete never # each answer once, and as it came
look live "$address"
odd origin ask "$address" "$(<"$T/odd.port")"
stop_recorder
kill "$origin" # what is replayed now comes from the archive
"$WARCORDER" export --dir "$T/collections" --collection odd 2>>"$T/odd.log"
if start_pywb; then look pywb "$pywb"; fi
look replayweb "$(ls "$archive"/*.warc.gz)"
odd judge "$here/../../doc/replay.md" "$archive" "$T"/odd-{live,pywb,replayweb}.json
