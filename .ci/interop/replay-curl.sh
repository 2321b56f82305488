#!/usr/bin/env bash
# The archive seen again by curl: what it gets from a replay is what it got at the recording, byte
# for byte, of answers of many kinds; what a replay makes itself (304, HEAD, preflights, misses); at
# which time; beside a recorder, a moment after the capture; and with what is missing fetched.
set -euo pipefail
names='plain.example.org chain.example.org www.chain.example.org'
. "$(dirname "$0")/fresh.sh"

site=https://plain.example.org
new_home "$HOME"
start_origin() {
  : >"$work/served"
  node "$here/replay/serve.mjs" "$work/site.pem" "$work/site.key" plain >"$work/served" 2>&1 &
  origin=$!
  pids[origin]=$origin
  served() { grep -qx up "$work/served"; }
  wait_for 20 served
}
stop_origin() {
  kill "$origin"
  wait "$origin" 2>/dev/null || true
  unset "pids[$origin]"
}

# ask URL OPTION...: through the proxy at $through, what came on standard output.
ask() {
  curl --disable --silent --show-error --max-time 20 --noproxy '' --proxy "http://$through" \
    --cacert "$CA" "${@:2}" "$1"
}
status_of() { ask "$@" --output /dev/null --write-out '%{http_code}'; }
# answer URL OPTION...: all of an answer, head and body, framing and all.
answer() { ask "$1" --raw --include --suppress-connect-headers "${@:2}"; }
head_of() { tr -d '\r' | sed '/^$/q'; }
has_field() { grep -qi "^$1" <<<"$head"; }

# start_replay FLAG...: of the collection, at $through; its log is T/replay-curl.log.
start_replay() {
  "$WARCORDER" replay --listen 127.0.0.1:8090 --dir "$T/collections" --collection replay-curl "$@" \
    </dev/null >>"$T/replay-curl.log" 2>&1 &
  pid=$!
  pids[pid]=$pid
  through=127.0.0.1:8090
  listens() { : 2>/dev/null <>/dev/tcp/127.0.0.1/8090; }
  listens_or_gone() { listens || has_ended; }
  if ! wait_for 20 listens_or_gone || has_ended; then
    not_ok "replay $* starts: $(tail -n 3 "$T/replay-curl.log")"
  fi
}
stop_replay() {
  local status=0
  kill "$pid" || true
  wait_for 30 has_ended || kill -KILL "$pid"
  wait "$pid" || status=$?
  unset "pids[$pid]"
  equal 'the replay ends with status 0 at SIGTERM' "$status" 0
}
# told EXPRESSION: of the report, which is called r.
told() { "$VENV/bin/python" -c "import json; r = json.load(open('$work/report.json')); print($1)"; }

# A recorder that replays what it has, at a second address.
start_origin
start_recorder replay-curl --replay-listen 127.0.0.1:8091
through=$address
paths=(page busy gone missing cookies policy cors events number)
mkdir -p "$work"/{live,again}
for path in "${paths[@]}"; do answer "$site/$path" >"$work/live/$path"; done
answer "$site/early" | sed '1,/^\r$/d' >"$work/live/early" # but for the hint, which is no answer
answer http://chain.example.org/here --location >"$work/live/chain"
ask "$site/cors" --data 'a=b' --header 'Origin: https://other.example.org' >"$work/live/post"

for n in 1 2 3; do # seconds apart
  number=$(through=$address ask "$site/number?count")
  replayed() { through=127.0.0.1:8091 ask "$site/number?count"; }
  is_replayed() { [[ $(replayed) == "$number" ]]; }
  wait_for 2 is_replayed || true
  equal 'replay-listen has what was captured a second ago' "$(replayed)" "$number"
  moments[n]=$(date --utc +'%a, %d %b %Y %H:%M:%S GMT')
  numbers[n]=$number
  sleep 2 # Accept-Datetime has whole seconds
done
through=127.0.0.1:8091
equal 'replay-listen asks no origin' \
  "$(status_of "$site/never-asked") $(grep -c never-asked "$work/served")" '404 0'

# A replay beside the recorder.
start_replay
equal 'replay beside a recorder' "$(ask "$site/number?count")" "${numbers[3]}"
stop_replay
pid=$(field "$T/collections/replay-curl/recorder.json" pid)
stop_recorder
stop_origin

# At rest.
start_replay --report "$work/report.json"
for path in "${paths[@]}" early; do
  answer "$site/$path" >"$work/again/$path"
  try "/$path: the same bytes" cmp "$work/live/$path" "$work/again/$path"
done
answer http://chain.example.org/here --location >"$work/again/chain"
try 'http to https to www: the same bytes' cmp "$work/live/chain" "$work/again/chain"
equal 'a body that is posted: the same answer' \
  "$(ask "$site/cors" --data 'a=b' --header 'Origin: https://other.example.org')" "$(<"$work/live/post")"

head=$(answer "$site/page" --head | head_of)
equal 'HEAD from GET' "$(grep -vi '^date:' <<<"$head")" "$(head_of <"$work/live/page" | grep -vi '^date:')"
tag=$(sed -n 's/^etag: //Ip' <<<"$head")
for condition in "If-None-Match: $tag" 'If-Modified-Since: Sun, 01 Nov 2026 10:00:00 GMT'; do
  equal "${condition%%:*}: 304" "$(status_of "$site/page" --header "$condition")" 304
done
equal 'another If-None-Match: 200' \
  "$(status_of "$site/page" --header 'If-None-Match: "other"')" 200
equal 'Range of a whole answer' "$(answer "$site/page" --range 4-9 | tr -d '\r' \
  | sed -n '1p; s/^content-range: //Ip; $p')" $'HTTP/1.1 206 Partial Content\nbytes 4-9/15\na page'
equal 'a Range beyond it' "$(status_of "$site/page" --range 100-200)" 416
head=$(answer "$site/cors" --request OPTIONS --header 'Origin: https://other.example.org' \
  --header 'Access-Control-Request-Method: POST' \
  --header 'Access-Control-Request-Headers: content-type' | head_of)
if has_field 'access-control-allow-origin: https://other.example.org' \
  && has_field 'access-control-allow-credentials: true'; then
  ok 'a preflight that was not captured is made up'
else
  not_ok "a preflight that was not captured is made up: ${head//$'\n'/ | }"
fi
for n in 1 2 3; do
  equal "Accept-Datetime, ${numbers[n]}" \
    "$(ask "$site/number?count" --header "Accept-Datetime: ${moments[n]}")" "${numbers[n]}"
done
equal 'the latest without a time' "$(ask "$site/number?count")" "${numbers[3]}"
head=$(answer "$site/page" | head_of)
equal 'no field of ours, unasked' "$(grep -i '^\(memento\|link\|x-warcorder\)' <<<"$head")" ''

miss=$(answer "$site/elsewhere?q=1" --header 'Sec-Fetch-Dest: document' --referer "$site/page")
head=$(head_of <<<"$miss")
if has_field 'HTTP/1.1 404' && grep -q 'plain.example.org/elsewhere' <<<"$miss"; then
  ok 'a document that is missing is a page that says so, with 404'
else
  not_ok "a document that is missing: $(head -c 300 <<<"$miss")"
fi
equal 'what else is missing is empty, with 404' "$(ask "$site/elsewhere.js" --referer "$site/page" \
  --header 'Sec-Fetch-Dest: script' --write-out '%{http_code}')" 404
stop_replay
equal 'the report: what was missed, for the document that asked' \
  "$(told '[(m["method"], m["url"], m["count"]) for d in r["documents"] if d["url"] == "'"$site"'/page"
    for m in d["misses"]]')" "[('GET', '$site/elsewhere?q=1', 1), ('GET', '$site/elsewhere.js', 1)]"
equal 'the report: counts' "$(told 'r["missed"], r["preflights"], r["notModified"]')" '2 1 2'

# At a time, and with where it comes from.
start_replay --at "$(date --utc --date "${moments[1]}" +%Y-%m-%dT%H:%M:%SZ)" --explain
equal '--at' "$(ask "$site/number?count")" "${numbers[1]}"
equal 'Accept-Datetime counts more' \
  "$(ask "$site/number?count" --header "Accept-Datetime: ${moments[2]}")" "${numbers[2]}"
head=$(answer "$site/number?count&_=1795377995459" | head_of)
for field in 'memento-datetime: ' "link: <$site/number?count>.*original" \
  'x-warcorder-capture: .*\.warc\.gz:[0-9]' 'x-warcorder-rule: '; do
  has_field "$field" && ok "--explain: $field" || not_ok "--explain: $field: ${head//$'\n'/ | }"
done
head=$(answer "$site/elsewhere" | head_of)
equal '--explain: why there is none' "$(sed -n 's/^x-warcorder-miss: //Ip' <<<"$head")" 'not captured'
stop_replay

# What is missing is fetched, and is there the next time.
start_origin
start_replay --fallback live
equal '--fallback live: what is there is not asked for' \
  "$(ask "$site/number?count") $(grep -c number "$work/served")" "${numbers[3]} 0"
fetched=$(ask "$site/number?new")
grep -q '^number' <<<"$fetched" && ok '--fallback live: what is missing is fetched' \
  || not_ok "--fallback live: what is missing is fetched: $fetched"
stop_replay
stop_origin
start_replay
equal '--fallback live: what was fetched is in the archive' "$(ask "$site/number?new")" "$fetched"
stop_replay
collection=replay-curl archive=$T/collections/replay-curl/archive
check_warcs
