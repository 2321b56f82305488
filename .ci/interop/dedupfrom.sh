#!/usr/bin/env bash
# What another archive has is not stored again: a collection that was recorded before, read from its
# directory, and pywb as the CDX server of that collection. Shows that the revisits replay in pywb to the
# original's bytes where both collections are loaded, and that warcio reads them.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

site=$T/site-dedupfrom
mkdir -p "$site"
head -c 30000 /dev/urandom | base64 >"$site/page.txt"
head -c 30000 /dev/urandom | base64 >"$site/other.txt"
port=$(free_port)
"$VENV/bin/python" -m http.server --bind 127.0.0.1 --directory "$site" "$port" >"$T/site-dedupfrom.log" 2>&1 &
pids[$!]=$!
listens_now() { listens "$port"; }
wait_for 20 listens_now
get() {
  curl --disable --silent --show-error --noproxy '' --proxy "http://$address" "http://127.0.0.1:$port/$1" | sha1sum
}
sum() { sha1sum <"$site/$1"; }

start_recorder theirs
get page.txt >/dev/null
get other.txt >/dev/null
stop_recorder
"$WARCORDER" export --dir "$T/collections" --collection theirs 2>>"$T/tmine.log"
theirs=$T/collections/theirs

start_recorder mine --dedup-from "$theirs"
equal 'a body that another collection has reaches its client' "$(get page.txt)" "$(sum page.txt)"
stop_recorder
check_warcs
if start_pywb; then
  start_recorder mine --dedup-from "${pywb%/*}/theirs/cdx"
  equal 'a body that pywb has reaches its client' "$(get other.txt)" "$(sum other.txt)"
  stop_recorder
fi
"$WARCORDER" export --dir "$T/collections" --collection mine 2>>"$T/mine.log"
equal 'both are revisits' "$(export_lines | grep -c warc/revisit)" 2
try 'verify finds nothing wrong' "$WARCORDER" verify --dir "$T/collections" --collection mine

both=$T/both
mkdir -p "$both"
cat >"$both/config.yaml" <<Y
collections:
  both:
    index_group:
      mine: $T/collections/mine/indexes/index.cdxj
      theirs: $theirs/indexes/index.cdxj
    archive_paths: [$T/collections/mine/archive/, $theirs/archive/]
Y
collection=both
if start_pywb "$both"; then
  for name in page.txt other.txt; do
    stamp=$(grep "/$name\"" "$T/collections/mine/indexes/index.cdxj" | cut -d ' ' -f 2)
    equal "pywb shows $name from both collections, at the revisit's time" \
      "$(curl --disable --silent --noproxy '*' "$pywb/${stamp}id_/http://127.0.0.1:$port/$name" | sha1sum)" \
      "$(sum "$name")"
  done
fi
