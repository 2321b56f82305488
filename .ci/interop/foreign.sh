#!/usr/bin/env bash
# WARC files that others made: by wget, warcio and pywb in this run, and in
# bytes. `warcorder index` takes them as they are, its lines equal
# cdxj-indexer's, and pywb replays them with our index. Then 0.9 files with
# every record of that document's appendix B: imported, and exported again.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

made=$T/foreign
# replayed LINES: what our own replay shows of the collection; it says why it misses something.
replayed() {
  local port
  port=$(free_port)
  "$WARCORDER" replay --explain --listen "127.0.0.1:$port" --dir "$T/collections" --collection "$collection" \
    </dev/null >>"$T/$collection.log" 2>&1 &
  pids[$!]=$!
  if wait_for 20 listens "$port"; then foreign through "$1" "$archive" "127.0.0.1:$port"; fi
  end_all
}

mkdir "$made" "$made/bytes" "$made/warcio" "$made/wget"
http=http://localhost:$(field "$T/ports" http)
foreign() { "$VENV/bin/python" "$here/foreign.py" "$@" || not_ok "foreign.py $1 broke off"; }
others() { "$VENV/bin/python" "$here/others.py" "$@" || not_ok "others.py $1 broke off"; }

# wget: pages, a redirect, 404, an image, POST; gzip, plain, and a second time with what has not changed left out.
by_wget() {
  local name=$1
  (cd "$made/wget" && wget --quiet --no-config --no-proxy --tries 1 --timeout 20 --no-http-keep-alive \
    --directory-prefix "$T/wget-$name" --warc-cdx --warc-file "$name" "${@:2}") || true # 8: the 404
}
pages=("$http/" "$http/logo.png" "$http/redirect" "$http/missing" "$http/chunked" "$http/gzip.json"
  "$http/search?b=%7e&a=A" "$http/same/1/plain" "$http/same/2/plain")
by_wget wget "${pages[@]}"
by_wget wget-plain --no-warc-compression "${pages[@]}"
by_wget wget-again --warc-dedup wget.cdx "${pages[@]}"
by_wget wget-post --post-data 'a=1&b=2' "$http/echo"
if (($(compgen -G "$made/wget/*.warc*" | wc -l) == 4)); then
  ok 'wget wrote 4 files'
else
  not_ok "wget wrote 4 files: $(ls "$made/wget")"
fi

others capture "$http" "$made/warcio"
others write "$made/warcio"
others heritrix "$made/bytes"

# pywb as a recorder: GET, a redirect, 404, a repeated body and POST.
mkdir "$made/pywb"
(cd "$made/pywb" && "$VENV/bin/wb-manager" init taken >"$T/pywb-init.log" 2>&1)
collection=taken
if start_pywb "$made/pywb" --live --record; then
  recorder=$!
  for page in "${pages[@]}"; do
    curl --disable --silent --max-time 30 --noproxy '*' --output /dev/null "$pywb/record/id_/$page" \
      || not_ok "pywb records $page"
  done
  curl --disable --silent --max-time 30 --noproxy '*' --output /dev/null \
    --data 'a=1&b=%7e' "$pywb/record/id_/$http/echo" \
    || not_ok 'pywb records a POST'
  kill "$recorder"
  wait "$recorder" || true
  unset "pids[$recorder]"
fi
taken=("$made"/pywb/collections/taken/archive/*.warc.gz)
try "pywb wrote ${#taken[@]} files" test -s "${taken[0]}"

collection=foreign
archive=$T/collections/foreign/archive
files=("$made"/{wget,warcio,bytes}/*.warc* "${taken[@]}")
try "warcorder index takes ${#files[@]} files" \
  "$WARCORDER" index --dir "$T/collections" --collection foreign "${files[@]}"
"$WARCORDER" verify --dir "$T/collections" --collection foreign >"$T/verify.out" 2>&1 || true
foreign faults "$T/verify.out"
export_lines >"$T/foreign.cdxj"
try 'export is sorted' env LC_ALL=C sort -c "$T/foreign.cdxj"
"$VENV/bin/cdxj-indexer" --sort "$archive"/*.warc* >"$T/foreign-theirs.cdxj"
"$VENV/bin/cdxj-indexer" -p --sort "$archive"/*.warc* >"$T/foreign-bodies.cdxj"
foreign compare "$T/foreign.cdxj" "$T/foreign-theirs.cdxj" "$T/foreign-bodies.cdxj"
"$WARCORDER" export --all --dir "$T/collections" --collection foreign 2>>"$T/foreign.log"
if start_pywb; then foreign replay "$T/foreign.cdxj" "$archive" "$pywb"; fi
replayed "$T/foreign.cdxj"

# Bodies without what their heads say, which pywb is not asked for: it has no answer from HTTP/2.
mkdir "$made/decoded"
others decoded "$made/decoded"
collection=decoded
archive=$T/collections/decoded/archive
try 'warcorder index takes bodies that are not what their heads say' \
  "$WARCORDER" index --dir "$T/collections" --collection decoded "$made"/decoded/*
export_lines >"$T/decoded.cdxj"
replayed "$T/decoded.cdxj"

# WARC 0.9: every record of the document's appendix B, a record in two files, and one gzip member for each record.
old=$here/../../store/warc/v09/testdata
with() { "$WARCORDER" "$1" --dir "$T/collections" --collection "$2" "${@:3}"; }
import_old() { # COLLECTION TYPES FILE...
  try "warcorder import into $1" with import "$1" --from-format 0.9 "${@:3}"
  foreign old "$T/collections/$1/archive" "$2" "${@:3}"
}
import_old old warcinfo,request,response,resource,metadata,revisit,conversion "$old/appendix-b.warc"
import_old old-segments response,continuation "$old"/segment-{1,2}.warc
collection=old
archive=$T/collections/old/archive
check_warcs
try 'warcorder verify of what was imported' with verify old
export_lines >"$T/old.cdxj"
"$VENV/bin/cdxj-indexer" --sort "$archive"/*.warc.gz >"$T/old-theirs.cdxj"
foreign compare "$T/old.cdxj" "$T/old-theirs.cdxj" "$T/old-theirs.cdxj"
foreign old_gzip "$old/appendix-b.warc" "$T/appendix-b.warc.gz"
try 'warcorder import of a gzip member for each record' with import old-gzip --from-format 0.9 "$T/appendix-b.warc.gz"
foreign old_again "$archive" "$T/collections/old-gzip/archive" 'from gzip'
try 'warcorder export to 0.9' with export old --format warc-0.9 -o "$T/as-0.9"
try 'warcorder import of that' with import old-again --from-format 0.9 "$T"/as-0.9/*
foreign old_again "$archive" "$T/collections/old-again/archive" 'after an export to 0.9 and an import'
try 'warcorder export to 0.9 in segments' with export old --format warc-0.9 --file-size 600B -o "$T/cut-0.9"
try 'warcorder import of the segments' with import old-cut --from-format 0.9 "$T"/cut-0.9/*
foreign old_again "$archive" "$T/collections/old-cut/archive" \
  "after an export to $(find "$T/cut-0.9" -type f | wc -l) files of 0.9 and an import"
