# shellcheck shell=bash
# What the fleet run does with three recorders, one after the other: nothing goes wrong; everything
# does; what is then there is judged.
set -euo pipefail
# shellcheck source=parts.sh
. "$FLEET/parts.sh"
export AWS_ACCESS_KEY_ID=fleet AWS_SECRET_ACCESS_KEY=fleet-secret-of-the-test AWS_REGION=us-east-1
export AWS_EC2_METADATA_DISABLED=true AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null
begun=$SECONDS
part() { echo "== $* ($((SECONDS - begun)) s)"; }

part 'servers'
mkdir -p "$T/buckets/warcs" "$T/meta" "$T/redis" "$T/between"
REDIS=$(free_port) STORAGE=$(free_port) TOXI=$(free_port) REDIS_FRONT=$(free_port) STORAGE_FRONT=$(free_port)
redis() { redis-cli -p "${2:-$REDIS}" $1 2>/dev/null; } # words of a command, port
start_redis() {
  start redis redis-server --port "$REDIS" --bind 127.0.0.1 --save '' --appendonly no --dir "$T/redis"
  answers() { [[ $(redis ping) == PONG ]]; }
  wait_for 20 answers
}
start_redis
start storage "$TOOLS/versitygw" --port "127.0.0.1:$STORAGE" --quiet --access "$AWS_ACCESS_KEY_ID" \
  --secret "$AWS_SECRET_ACCESS_KEY" posix --sidecar "$T/meta" "$T/buckets"
start between "$LOAD" between "$T/between" "127.0.0.1:$STORAGE"
start toxiproxy "$TOOLS/toxiproxy" -host 127.0.0.1 -port "$TOXI"
start origin "$LOAD" origin "$T"
up() { [[ -e $T/origin && -e $T/between/between ]] && toxi version; }
wait_for 30 up
between redis "$REDIS_FRONT" "127.0.0.1:$REDIS"
between storage "$STORAGE_FRONT" "$(<"$T/between/between")"
export AWS_ENDPOINT_URL=http://127.0.0.1:$STORAGE_FRONT
DIRECT=http://127.0.0.1:$STORAGE # for who reads when all is over
read -r _ _ origin_root <"$T/origin"
start_ca() { "$WARCORDER" ca --ca-dir "$T/ca" >"$T/ca.pem"; }
start_ca
# clients SEED COUNT NOTES RECORDERS FLAG...: a load over these recorders.
clients() {
  local seed=$1 number=$2 notes=$3 addresses=() name
  for name in $4; do addresses+=("${address_of[$name]}"); done
  "$LOAD" clients --folder "$T" --ca "$T/ca.pem" --seed "$seed" --count "$number" --notes "$notes" "${@:5}" \
    "${addresses[@]}"
}
all_pids() { local name list=; for name in $1; do list+=${list:+,}${pid_of[$name]}; done; echo "$list"; }
revisits() {
  local name
  for name in $1; do of "$name" export --all -o - 2>/dev/null; done | grep -c '"mime":"warc/revisit"' || true
}

part "nothing goes wrong: $COUNT exchanges, 60 % of them duplicates"
common=(--upstream-ca "$origin_root")
for name in a1 a2 a3; do start_recorder "$name" "${common[@]}" --dedup-shared "redis://127.0.0.1:$REDIS/0"; done
start_recorder one "${common[@]}"
clients 1 "$COUNT" "$T/notes-a" 'a1 a2 a3' --large 2000 >"$T/said-a"
redis_keys=$(redis dbsize)
redis_bytes=$(redis 'info memory' | tr -d '\r' | awk -F: '$1 == "used_memory_dataset" { print $2 }')
clients 1 "$COUNT" "$T/notes-one" 'one one one' --large 2000 >"$T/said-one"
for name in a1 a2 a3 one; do ends "$name"; done
shared=$(revisits 'a1 a2 a3') alone=$(revisits one)
figure dedup_of_one_machine "$alone of $COUNT"
figure dedup_of_three_that_share "$shared of $COUNT"
holds 'three recorders find what one does, within 2 %' \
  "abs($shared - $alone) <= 0.02 * $alone and $alone > 0.5 * $COUNT"
figure redis_bytes_per_key "$((redis_bytes / redis_keys)) ($redis_keys keys)"

part 'what sharing costs'
each=$((COUNT / 2 < 20000 ? COUNT / 2 : 20000))
for name in b1 b2 b3; do start_recorder "$name" "${common[@]}" --dedup-shared "redis://127.0.0.1:$REDIS/0"; done
for name in c1 c2 c3; do start_recorder "$name" "${common[@]}"; done
sets=('b1 b2 b3' 'c1 c2 c3')
for round in 1 2 3 4 5; do
  for set in "${sets[@]}"; do
    clients $((100 + round)) "$each" /dev/null "$set" --large 0 --pids "$(all_pids "$set")" \
      | awk '$1 == "cpu_us_per_exchange" { print $2 }' >>"$T/cpu-${set:0:1}"
  done
  sets=("${sets[1]}" "${sets[0]}") # neither is always the first
done
for name in b1 b2 b3 c1 c2 c3; do ends "$name"; done
median() { sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }
ratio=$(paste "$T/cpu-b" "$T/cpu-c" | awk '{ print $1 / $2 }' | median)
figure cpu_us_per_exchange "$(median <"$T/cpu-b") with shared deduplication ($(paste -sd ' ' "$T/cpu-b"))," \
  "$(median <"$T/cpu-c") without ($(paste -sd ' ' "$T/cpu-c")); the ratio of a round is $ratio"
holds 'sharing costs 1.2 times the processor time at most' "$ratio <= 1.2"

part "everything goes wrong: $COUNT exchanges"
redis flushall >/dev/null
seconds=$((COUNT / 200 < 50 ? 50 : COUNT / 1000))
every=("${common[@]}" --dedup-shared "redis://127.0.0.1:$REDIS_FRONT/0" --upload s3://warcs/fleet --upload-cdxj
  --keep-local 0 --warc-max-size 4MB --push parquet=s3://warcs/index --push-every 5s)
for name in f1 f2 f3; do start_recorder "$name" "${every[@]}"; done
harm() {
  local pause=$((seconds / 12))
  sleep "$pause"; echo '# a recorder is killed'; ends f2 KILL; again f2
  sleep "$pause"; echo '# Redis does not answer'; kill -STOP "${pid_of[redis]}"
  sleep "$pause"; kill -CONT "${pid_of[redis]}"
  echo '# the storage is slow'; poison storage bandwidth '{"rate":300}' upstream
  poison storage latency '{"latency":300}'
  sleep "$pause"; echo '# Redis is cut off'; sever redis; cure storage bandwidth; cure storage latency
  echo '# the storage changes bytes'; touch "$T/between/corrupt"
  sleep "$pause"; mend redis; rm "$T/between/corrupt"
  echo '# Redis begins anew, empty'; ends redis KILL; start_redis
  echo '# the storage is busy'; touch "$T/between/busy"
  sleep "$pause"; rm "$T/between/busy"
  echo '# the storage is down'; sever storage
  sleep "$pause"; echo '# a recorder is killed meanwhile'; ends f3 KILL; again f3
  sleep "$pause"; mend storage
}
# A recorder that begins anew has another port: one address for each, whatever is behind it.
for name in f1 f2 f3; do
  port=$(free_port)
  between "$name" "$port" "${address_of[$name]}"
  front[${name#f}]=127.0.0.1:$port
done
again() { # shellcheck disable=SC2086
  start_recorder "$1" ${flags_of[$1]}
  toxi "proxies/$1" --json "{\"upstream\":\"${address_of[$1]}\"}"
}
"$LOAD" clients --folder "$T" --ca "$T/ca.pem" --seed 2 --count "$COUNT" --notes "$T/notes-f" --large 500 \
  --rate $((COUNT / seconds)) --at-once 64 --patience 60s "${front[@]}" >"$T/said-f" &
loading=$!
harm
wait "$loading"
ok "the load came to its end while all that went on ($((SECONDS - begun)) s)"

part 'all of it comes to the storage'
for name in f1 f2 f3; do try "$name: status" of "$name" status --check; done
three=${address_of[f1]},${address_of[f2]},${address_of[f3]}
try 'status --of sums the three up' "$WARCORDER" status --of "$three" --json
counts_all() { # what came last may still be on its way into an index
  local name
  "$WARCORDER" status --of "$three" --json >"$T/of.json" 2>>"$T/of.log" || true
  summed=0
  for name in f1 f2 f3; do summed=$((summed + $(status_of "$name" | json totals.captures))); done
  [[ $(json sum.totals.captures "$T/of.json") == "$summed" ]]
}
if wait_for 20 counts_all; then ok 'status --of counts their captures'; else
  not_ok "status --of counts their captures: $(json sum.totals.captures "$T/of.json"), not $summed"
fi
for name in f1 f2 f3; do
  try "$name: its last file is finished" of "$name" rotate
  try "$name: upload beside the recorder, to where its settings say" of "$name" upload
done
for name in f1 f2 f3; do ends "$name"; done
for name in f1 f2 f3; do
  try "$name: upload at rest" of "$name" upload s3://warcs/fleet --cdxj --keep-local 0
  equal "$name: no WARC file is here any more" "$(find "$T/collections/$name/archive" -name '*.warc.gz*' | wc -l)" 0
  try "$name: the table is brought up to date" of "$name" push --to parquet s3://warcs/index
  of "$name" export --all -o "$T/$name.cdxj" 2>>"$T/$name.log"
  of "$name" export -o "$T/$name.replayed.cdxj" 2>>"$T/$name.log"
  of "$name" gaps --json >"$T/$name.gaps"
  try "$name: verify" of "$name" verify
  try "$name: verify --remote" of "$name" verify --remote
done
LC_ALL=C sort -m "$T"/f[123].cdxj >"$T/union.cdxj"
LC_ALL=C sort -m "$T"/f[123].replayed.cdxj >"$T/replayed.cdxj"
figure captures "$(wc -l <"$T/union.cdxj")"

part 'the index is made anew of nothing but the bucket'
try 'rebuild --from the bucket' of rebuilt rebuild --from s3://warcs/fleet
of rebuilt export --all -o "$T/rebuilt.cdxj" 2>>"$T/rebuilt.log" || true
try 'it has the lines of all three' cmp "$T/rebuilt.cdxj" "$T/union.cdxj"
equal 'nothing of the bucket is in archive/' "$(find "$T/collections/rebuilt/archive" -type f | wc -l)" 0
try 'the rebuilt one verifies, with what is in the bucket' of rebuilt verify --remote

part 'what others read'
"$VENV/bin/python" "$FLEET/judge.py" "$T/notes-f" "$T/union.cdxj" "$T/f%d.gaps" \
  "$T/buckets/warcs/fleet" \
  || not_ok 'judge.py broke off'
"$VENV/bin/python" "$FLEET/../interop/formats/pushed.py" "$DIRECT" warcs/index "$T/replayed.cdxj" "$T/table" \
  || not_ok 'pushed.py broke off'
figure parquet_bytes_per_row "$(($(du -sb "$T/table" | cut -f 1) / $(wc -l <"$T/replayed.cdxj")))"
figure cdxj_bytes_per_line "$(($(stat -c %s "$T/union.cdxj") / $(wc -l <"$T/union.cdxj")))"
. "$FLEET/pywb.sh"
. "$FLEET/harm.sh"
part 'the end'
