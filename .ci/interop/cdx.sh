#!/usr/bin/env bash
# The index as a CDX server, held against pywb's own over the same lines: what a recorder answers while it
# records, and `warcorder serve` for collections at rest, pywb's sample archives among them. A pywb that has
# nothing but the recorder's /cdx and /warc/ or /web/ replays what is being recorded. cdx_toolkit pages
# through the lines; other recorders, internetarchive/gowarc and warcprox, find what they need not keep.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

tools=$here/cdx
work=$T/cdx
mkdir -p "$work"/{files,pywb}
run_py() { "$VENV/bin/python" "$tools/$1.py" "${@:2}" || not_ok "$1.py $2 broke off"; }
get() { curl --disable --silent --show-error --max-time 30 --noproxy '*' "$@"; }

(cd "$tools/gowarc" && go build -o "$work/gowarc" .) &
builder=$!
"$VENV/bin/python" "$tools/origin.py" "$work/ports" </dev/null >>"$T/cdx-origin.log" 2>&1 &
pids[$!]=$!
wait_for 20 test -e "$work/ports"
http=$(field "$work/ports" http)

# Years of a crawl, and what is recorded now.
"$VENV/bin/python" "$tools/make.py" "$work/files/years.warc.gz"
try 'warcorder index takes the crawl' \
  "$WARCORDER" index --dir "$T/collections" --collection years "$work/files/years.warc.gz"
start_recorder years --resolver "127.0.0.1:$(field "$work/ports" dns)"
recorder=$address
before=$(export_lines | wc -l)
run_py clients record "$recorder" "$work/ports" "$work/recorded"
all_are_in() { (($(export_lines | wc -l) == before + $(<"$work/recorded"))); }
wait_for 20 all_are_in || not_ok 'all that was recorded is in the index'
export_replayed >"$work/cdx.cdxj"

samples=("$VENV"/sample_archive/warcs/{*.warc.gz,example-extra.warc})
try "warcorder index takes ${#samples[@]} of pywb's sample archives" \
  "$WARCORDER" index --dir "$T/collections" --collection samples "${samples[@]}"
(collection=samples; export_replayed) >"$work/samples.cdxj"

# pywb's CDX server on these lines, and a pywb that has the recorder alone.
cat >"$work/pywb/config.yaml" <<EOF
enable_auto_colls: false
collections:
  pywb: {index_paths: $work/cdx.cdxj, archive_paths: $work/}
  samples: {index_paths: $work/samples.cdxj, archive_paths: $work/}
  live:
    index: {type: cdx, api_url: 'http://$recorder/cdx?url={url}&closest={closest}&sort=closest', replay_url: ''}
    archive_paths: http://$recorder/warc/
  short: {index_paths: 'cdx+http://$recorder/cdx', archive_paths: 'http://$recorder/warc/'}
  web: {index_paths: 'cdx+http://$recorder/cdx /web'}
EOF
declare -A port
for name in warcserver wayback; do
  port[$name]=$(free_port)
  (cd "$work/pywb" && exec "$VENV/bin/$name" --bind 127.0.0.1 --port "${port[$name]}" </dev/null >"$T/$name.log" 2>&1) &
  pids[$!]=$!
done
pywb=http://127.0.0.1:${port[warcserver]}
for name in warcserver wayback; do wait_for 60 listens "${port[$name]}" || not_ok "$name of pywb starts"; done

compare() { run_py table compare "$1" "$2" "$pywb/pywb/index" "$work/ports" "$work/pywb.json"; }
compare 'a recorder' "http://$recorder/cdx"
run_py table posts "http://$recorder/cdx" "$pywb/pywb/index"
for path in cdx cdx/search/cdx; do
  "$CDXTOOLS/bin/python" "$tools/toolkit.py" "http://$recorder/$path" "$work/cdx.cdxj" "http://$recorder/web" \
    || not_ok "toolkit.py at /$path broke off"
done

# Replay beside load.
run_py clients load "$recorder" "http://load.example:$http" "$work/stop" &
load=$!
wayback=http://127.0.0.1:${port[wayback]}
run_py clients replay "$recorder" "http://live.example:$http" \
  "get:http://$recorder/web" "get:$wayback/web" "$wayback/live" "get:$wayback/short"
touch "$work/stop"
wait "$load"

# The files, as far as they are written.
name=$(basename "$(compgen -G "$archive/*.open" | head -n 1)" .open)
get --output "$work/open" "http://$recorder/warc/$name"
get --output "$work/part" --range 100-4099 "http://$recorder/warc/$name"
equal '/warc/ has a part of a file that is still open' \
  "$(sha256sum <"$work/part")" "$(head -c 4100 "$work/open" | tail -c 4000 | sha256sum)"
try '/warc/ has whole records of it' gzip -t "$work/open"

# Other recorders, for which ours knows what there is already.
second=http://127.0.0.2:$(field "$work/ports" second)
address=$recorder
stop_other() { kill "$1"; wait "$1" || true; unset "pids[$1]"; }
listed() { get --data-urlencode "url=$2" --get "http://$1/cdx/search/cdx" | grep -q .; }
# deduplicate NAME RECORDER URL...: both fetch past it what it has.
deduplicate() {
  local prox bound path url
  for path in own/1 own/2 chunked/1; do
    get --noproxy '' --proxy "http://$2" --output /dev/null "$second/$path" || not_ok "curl $second/$path"
    wait_for 20 listed "$2" "$second/$path" || not_ok "$second/$path is in the index"
  done
  mkdir -p "$work/$1"/{gowarc,warcprox}
  "$work/gowarc" "http://$2" "$work/$1/gowarc" "$second"/{own/1,own/2,chunked/1} >>"$T/$1-gowarc.log" 2>&1 \
    || not_ok "gowarc with $1: $(tail -n 1 "$T/$1-gowarc.log")"
  run_py clients revisits "internetarchive/gowarc finds what is there, payload-digest: $1" "$work/$1/gowarc" "${@:3}"
  bound=$(free_port)
  (cd "$work/$1" && exec "$CDXTOOLS/bin/warcprox" --address 127.0.0.1 --port "$bound" --dir warcprox --gzip --base32 \
    --stats-db-file /dev/null --cdxserver-dedup "http://$2/cdx/search/cdx" </dev/null >>"$T/$1-warcprox.log" 2>&1) &
  prox=$!
  pids[prox]=$prox
  wait_for 30 listens "$bound" || not_ok 'warcprox starts'
  for url in "$second"/{own/1,own/2,chunked/1}; do
    get --noproxy '' --proxy "http://127.0.0.1:$bound" --output /dev/null "$url" || not_ok "warcprox: curl $url"
  done
  stop_other "$prox"
  run_py clients revisits "warcprox finds what is there, payload-digest: $1" "$work/$1/warcprox" "${@:3}"
}
wait "$builder" || not_ok "internetarchive/gowarc is built"
deduplicate wire "$recorder" "$second"/{own/1,own/2} "-$second/chunked/1"
stop_recorder
try '/warc/ had what the file begins with' cmp -n "$(stat -c %s "$work/open")" "$work/open" "$archive/$name"
start_recorder cdx-entity --payload-digest entity
deduplicate entity "$address" "$second"/{own/1,own/2,chunked/1}
stop_recorder

# Collections at rest.
port[serve]=$(free_port)
"$WARCORDER" serve --listen "127.0.0.1:${port[serve]}" --dir "$T/collections" --collection years --collection samples \
  </dev/null >>"$T/serve.log" 2>&1 &
pids[$!]=$!
wait_for 20 listens "${port[serve]}" || not_ok "warcorder serve starts: $(tail -n 2 "$T/serve.log")"
compare 'a collection at rest' "http://127.0.0.1:${port[serve]}/years/cdx"
run_py table samples "http://127.0.0.1:${port[serve]}/samples/index" "$pywb/samples/index" "$work/samples.cdxj"
