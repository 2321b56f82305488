#!/usr/bin/env bash
# What was removed, live and at rest: answers of every kind and bodies that came again are recorded, and
# some of them removed, among them what others refer to. No byte of that is in any file, inflated or not;
# every other capture has the body that it had, by warcio and by pywb; gzip, warcio and the referee take
# the files, and cdxj-indexer finds the same lines. The recorder goes on.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

SSL_CERT_FILE=$T/site.pem start_recorder removal
"$WARCORDER" ca >"$T/ca.pem"
fetch_same "$T/client-same"
fetch_all "$T/client-all"
site=http://localhost:$(field "$T/ports" http)
remove() { "$WARCORDER" remove --dir "$T/collections" --collection removal "$@" 2>>"$T/remove.log"; }
bodies() { "$VENV/bin/python" "$here/remove.py" "$archive"; }
has_recorded_all # the whole of what was asked for in part comes by itself
"$WARCORDER" rotate --dir "$T/collections" --collection removal >/dev/null
bodies >"$T/before"

# gone NAME TEXT: no file of the collection has it, as it is or inflated.
gone() {
  local n
  n=$( (zcat -f "$archive"/*; cat "$T/collections/removal/index.bolt"; cat "$archive"/* \
    "$T/collections/removal/indexes"/* 2>/dev/null) | grep -a -c -F -- "$2" || true)
  equal "$1 is in no file" "$n" 0
}
# stays NAME URL...: all but these captures have the bodies that they had.
stays() {
  local name=$1 url pattern=()
  shift
  for url in "$@"; do pattern+=(-e " $url "); done
  grep -v -F "${pattern[@]}" "$T/before" >"$T/want"
  bodies >"$T/after"
  equal "$name: every other capture has its body" "$(diff "$T/want" "$T/after" | head -n 3)" ''
}

removed=("$site/same/1/plain" "$site/tagged" "$site/form" "$site/gzip.json")
try 'a dry run changes nothing' remove --url "${removed[0]}" --dry-run
stays 'a dry run' 'no such URL'
for url in "${removed[@]}"; do
  try "remove --url $url, beside the recorder" remove --url "$url" --forget --yes --reason 'an interop run'
done
stays 'beside the recorder' "${removed[@]}"
for url in "${removed[@]}"; do gone "$url" "$url"$'\r'; done
fetch_same "$T/client-again"
fetch_all "$T/client-all-again"
stop_recorder
check_warcs
try 'verify has nothing against it' "$WARCORDER" verify --dir "$T/collections" --collection removal
check records "$archive"/*.warc.gz
export_lines >"$T/remove.cdxj"
check lines "$T/remove.cdxj" "$archive"
"$VENV/bin/cdxj-indexer" --sort "$archive"/*.warc.gz >"$T/remove-theirs.cdxj"
check cdxj "$T/remove.cdxj" "$T/remove-theirs.cdxj"

bodies >"$T/before"
try 'remove at rest, all that begins so' remove --url "$site/same/" --match prefix --yes
grep -v -F " $site/same/" "$T/before" >"$T/want" || true
bodies >"$T/after"
equal 'at rest: every other capture has its body' "$(diff "$T/want" "$T/after" | head -n 3)" ''
try 'verify has nothing against it, again' "$WARCORDER" verify --dir "$T/collections" --collection removal
try 'rebuild' "$WARCORDER" rebuild --dir "$T/collections" --collection removal
export_lines >"$T/remove.cdxj"
"$VENV/bin/cdxj-indexer" --sort "$archive"/*.warc.gz >"$T/remove-theirs.cdxj"
check cdxj "$T/remove.cdxj" "$T/remove-theirs.cdxj"
export_replayed >"$T/remove-replayed.cdxj"
"$WARCORDER" export --dir "$T/collections" --collection removal 2>>"$T/remove.log"
if start_pywb; then check replay "$T/remove-replayed.cdxj" "$archive" "$pywb"; fi
