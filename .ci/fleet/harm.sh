# shellcheck shell=bash
# What breaks uploads, objects, disks and the master of a Redis, one by one.

part 'half an upload'
start_recorder parts "${common[@]}" --warc-max-size 1GB
clients 5 150 "$T/notes-parts" parts --large 1 --repeats 0 >/dev/null # five parts of 64 MiB
ends parts
poison storage bandwidth '{"rate":30000}' upstream
: >"$T/between/mark"
lines_before=$(wc -l <"$T/between/requests")
start upload "$WARCORDER" upload s3://warcs/parts --keep-local 0 --dir "$T/collections" --collection parts
has_part() { grep -q '"number"' "$T"/collections/parts/uploads/*.json 2>/dev/null || ! alive upload; }
wait_for 60 has_part
ends upload KILL
cure storage bandwidth
cp "$T"/collections/parts/uploads/*.json "$T/begun.json"
try 'an upload that was killed goes on' of parts upload s3://warcs/parts --keep-local 0
tail -n +$((lines_before + 1)) "$T/between/requests" >"$T/requests-parts"
read -r kept twice parts < <("$VENV/bin/python" - "$T/begun.json" "$T/requests-parts" <<'PYTHON'
import collections, json, sys, urllib.parse
noted = {str(p["number"]) for p in json.load(open(sys.argv[1])).get("begun", {}).get("parts", [])}
sent = collections.Counter()
for line in open(sys.argv[2]):
    r = json.loads(line)
    number = urllib.parse.parse_qs(r["query"]).get("partNumber")
    if r["method"] == "PUT" and number and r["status"] == 200:
        sent[number[0]] += 1
print(len(noted), sum(sent[n] > 1 for n in noted), len(sent))
PYTHON
)
figure parts_noted_when_killed "$kept of $parts"
equal 'of the parts that were noted none is sent twice' "$twice" 0
holds 'there were parts' "$kept > 0 and $parts >= 3"
try 'all of it is there' of parts verify --remote
equal 'the local copy is gone' "$(find "$T/collections/parts/archive" -name '*.warc.gz' | wc -l)" 0

part 'an object is changed'
object=$(find "$T/buckets/warcs/fleet" -name 'f1-*.warc.gz' | sort | sed -n 1p)
cp "$object" "$T/object"
"$VENV/bin/python" - "$object" <<'PYTHON'
import os, sys
with open(sys.argv[1], "r+b") as f:
    f.seek(os.path.getsize(sys.argv[1]) // 2)
    byte = f.read(1)[0]
    f.seek(-1, os.SEEK_CUR)
    f.write(bytes([byte ^ 1]))
PYTHON
of f1 verify --remote --json >"$T/changed.json" 2>>"$T/f1.log" && not_ok 'verify --remote passes over it' || true
# Revisits whose original was where the byte is, in whatever file they are, have lost it.
named=$("$VENV/bin/python" -c '
import json, sys
found = [v for v in map(json.loads, open(sys.argv[1])) if "file" in v and not v.get("note")]
print(" ".join(sorted({v["file"].rsplit("/", 1)[-1] for v in found if v["code"] != "original"})))' "$T/changed.json")
equal 'verify --remote names it, and nothing else but revisits of what it had' "$named" "$(basename "$object")"
cat "$T/object" >"$object"
try 'put back, it is well' of f1 verify --remote

part 'a disk fills, and is relieved'
mkdir -p "$T/small"
mount -t tmpfs -o size=192M tmpfs "$T/small"
sever storage
(
  DIR=$T/small
  start_recorder full "${common[@]}" --upload s3://warcs/full --keep-local 1000h --warc-max-size 8MB \
    --min-free-space 64MB --dedup off
  clients 6 100 "$T/notes-full" full --large 1 --repeats 0 --at-once 4 --patience 120s >"$T/said-full" 2>&1 &
  filling=$!
  is_full() { [[ $(status_of full | json recording) == False ]]; }
  if wait_for 60 is_full; then ok 'a disk that is full stops the recording'; else not_ok 'the disk is never full'; fi
  mend storage
  wait "$filling" || true
  whole=$(grep -c '"whole":true' "$T/notes-full" || true)
  equal 'once the storage is back, recording goes on by itself' "$whole" 100
  try 'the last file is finished' of full rotate
  try 'all of it is brought there' of full upload
  ends full
  try 'nothing is lost on the way' of full verify --remote
  equal 'all captures are in the index' "$(of full export -o - | grep -c '"url":"http')" 100
)
mend storage
umount --lazy "$T/small"

part 'Sentinel names another master'
MASTER=$(free_port) REPLICA=$(free_port) SENTINEL=$(free_port)
start master redis-server --port "$MASTER" --bind 127.0.0.1 --save '' --dir "$T/redis"
start replica redis-server --port "$REPLICA" --bind 127.0.0.1 --save '' --dir "$T/redis" --replicaof "127.0.0.1 $MASTER"
cat >"$T/redis/sentinel.conf" <<CONF
port $SENTINEL
bind 127.0.0.1
dir $T/redis
sentinel monitor fleet 127.0.0.1 $MASTER 1
sentinel down-after-milliseconds fleet 1000
sentinel failover-timeout fleet 5000
CONF
start sentinel redis-sentinel "$T/redis/sentinel.conf"
knows() {
  [[ $(redis 'sentinel replicas fleet' "$SENTINEL" | grep -c "^$REPLICA\$") -gt 0 ]] && \
    [[ $(redis 'info replication' "$REPLICA") == *master_link_status:up* ]]
}
wait_for 30 knows || not_ok 'Sentinel knows the replica'
for name in s1 s2; do
  start_recorder "$name" "${common[@]}" --dedup-shared "redis+sentinel://127.0.0.1:$SENTINEL/fleet"
done
clients 7 500 "$T/notes-s" s1 --repeats 0 --large 0 >/dev/null
published() { [[ $(redis dbsize "$REPLICA") -ge 480 ]]; }
wait_for 20 published || not_ok "what s1 has is published: $(redis dbsize "$REPLICA")"
ends master KILL
promoted() { [[ $(redis 'info replication' "$REPLICA") == *role:master* ]]; }
wait_for 30 promoted || not_ok 'the replica is promoted'
well() { [[ $(metric s2 warcorder_dedup_shared_up) == 1 ]]; }
clients 8 50 /dev/null s2 --repeats 0 --large 0 >/dev/null
wait_for 60 well || true
clients 7 500 "$T/notes-s" s2 --repeats 0 --large 0 >/dev/null
for name in s1 s2; do ends "$name"; done
holds 'after a failover what the other one has is found again' "$(revisits s2) >= 450"
