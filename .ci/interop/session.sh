#!/usr/bin/env bash
# One recording session: Chromium, curl and a measuring client go through one
# recorder, over HTTP and HTTPS. Shows that they get what the origin sends,
# that the records are the origin's bytes, that the index is there at once and
# equals cdxj-indexer's, and that pywb replays the collection.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

# The origin's certificate is verified here, against the site's own.
SSL_CERT_FILE=$T/site.pem start_recorder session
new_home "$T/home"
HOME=$T/home node "$here/drive.mjs" "$address" "$T/ports" "$T/profile" || not_ok 'Chromium over the site'

fetch_all "$T/client"

client visible "$address" "$T/ports" "$T/ca.pem"

# The index can be had while the recorder runs.
export_lines >"$T/running.cdxj"
try 'export beside a running recorder is sorted' env LC_ALL=C sort -c "$T/running.cdxj"
if "$WARCORDER" record --listen 127.0.0.1:0 --dir "$T/collections" --collection session --log json \
  </dev/null >"$T/second.log" 2>&1; then
  not_ok 'a second recorder of the collection is refused: it started'
elif grep -q "$pid" "$T/second.log" && grep -qF "$address" "$T/second.log"; then
  ok "a second recorder of the collection is refused, with the first one's pid and address"
else
  not_ok "a second recorder of the collection is refused: it said $(head -c 300 "$T/second.log")"
fi
stop_recorder

check_warcs
check records "$archive"/*.warc.gz
check verbatim "$T/log" "$T/client" "$archive"/*.warc.gz

export_lines >"$T/ours.cdxj"
try 'export is sorted' env LC_ALL=C sort -c "$T/ours.cdxj"
try 'export holds every line that it had while the recorder ran' \
  test -z "$(LC_ALL=C comm -23 "$T/running.cdxj" "$T/ours.cdxj")"
"$VENV/bin/cdxj-indexer" --sort "$archive"/*.warc.gz >"$T/theirs.cdxj"
check cdxj "$T/ours.cdxj" "$T/theirs.cdxj"
check lines "$T/ours.cdxj" "$archive"
export_replayed >"$T/replayed.cdxj"
check parts "$T/ours.cdxj" "$T/replayed.cdxj" "$archive"

# pywb takes the folder as it is, with the index that export writes into it.
"$WARCORDER" export --dir "$T/collections" --collection session 2>>"$T/session.log"
try 'export without -o writes the same lines into the collection' \
  cmp "$T/replayed.cdxj" "$T/collections/session/indexes/index.cdxj"
if start_pywb; then check replay "$T/replayed.cdxj" "$archive" "$pywb"; fi
