#!/usr/bin/env bash
# /metrics in the hands of Prometheus: promtool finds nothing in its names, in the alerts, in their tests
# and in the example configuration of doc/deploy/; a server with that configuration scrapes a recorder
# under load, by the token alone, and answers each query of the dashboard; what it has in the end is what
# /metrics and /status say. The dashboard is one by Grafana's own types.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"
deploy=$here/../../doc/deploy

token=the-token-of-metrics
start_storage "$T/storage-of-watched" warcs
redis=$(free_port)
redis-server --port "$redis" --bind 127.0.0.1 --save '' --dir "$T" </dev/null >"$T/redis.log" 2>&1 &
pids[$!]=$!
redis_answers() { [[ $(redis-cli -p "$redis" ping 2>/dev/null) == PONG ]]; }
wait_for 20 redis_answers || not_ok "Redis answers: $(tail -n 3 "$T/redis.log" | tr '\n' ' ')"
start_recorder watched --readers '' --api-token "$token" --push "parquet=$T/fed" --push-every 1s \
  --upload s3://warcs/watched --dedup-shared "redis://127.0.0.1:$redis" --warc-max-size 1MB
own() {
  curl --disable --silent --fail --noproxy '*' --header "Authorization: Bearer $token" "http://$address$1"
}
load() { # FIRST LAST: pages, most of them the same
  curl --disable --silent --noproxy '' --proxy "http://$address" --output /dev/null \
    "http://localhost:$(field "$T/ports" http)/plain.json?[$1-$2]"
}
load 1 50
equal 'without the token nobody has /metrics' "$(curl --disable --silent --noproxy '*' \
  --output /dev/null --write-out '%{http_code}' "http://$address/metrics")" 401

work=$T/prometheus
mkdir -p "$work"
cp "$deploy"/prometheus/* "$work"
echo "$token" >"$work/warcorder.token"
own /metrics >"$work/metrics.txt"
equal 'promtool check metrics says nothing' "$(promtool check metrics <"$work/metrics.txt" 2>&1)" ''
try 'promtool check rules' promtool check rules "$work/alerts.yml"
try 'promtool test rules' promtool test rules "$work/alerts_test.yml"
sed -e "s/127\.0\.0\.1:8080/$address/" -e 's/_interval: 15s/_interval: 1s/' -i "$work/prometheus.yml"
try 'promtool check config' promtool check config "$work/prometheus.yml"

port=$(free_port)
prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/data" --log.level=warn \
  --web.listen-address="127.0.0.1:$port" </dev/null >"$T/prometheus.log" 2>&1 &
pids[$!]=$!
server() { # in which nothing of the environment is a proxy: recorder.sh has seen to that
  node "$here/metrics/server.mjs" "$1" "http://127.0.0.1:$port" "$address" "$token" "${@:2}" \
    || not_ok "server.mjs $1 broke off"
}
is_ready() { curl --disable --silent --fail --noproxy '*' --output /dev/null "http://127.0.0.1:$port/-/ready"; }
wait_for 20 is_ready || not_ok "prometheus starts: $(tail -n 3 "$T/prometheus.log" | tr '\n' ' ')"
(while load 1 400; do :; done) & # until it is ended
loading=$!
pids[loading]=$loading
server load "$deploy/grafana/warcorder.json"
kill "$loading"
wait "$loading" 2>/dev/null || true
unset "pids[$loading]"
is_at_rest() { [[ $(own /status | tr -d ' \n') == *'"inFlight":0,'*'"queued":0,'* ]]; }
wait_for 30 is_at_rest || not_ok 'the recorder is at rest'
server rest
stop_recorder

node "$here/metrics/dashboard.mjs" types "$deploy/grafana/warcorder.json" >"$work/dashboard.ts"
ln -s "$GRAFANA/node_modules" "$work/node_modules"
compiles() { # FILE
  "$GRAFANA/node_modules/.bin/tsc" --noEmit --strict --skipLibCheck --module esnext --moduleResolution node "$1"
}
try 'the dashboard is one by the types of @grafana/schema' compiles "$work/dashboard.ts"
sed 's/"schemaVersion":/"skemaVersion":/' "$work/dashboard.ts" >"$work/wrong.ts"
if compiles "$work/wrong.ts" >/dev/null 2>&1; then
  not_ok 'another dashboard is none'
else
  ok 'another dashboard is none'
fi
