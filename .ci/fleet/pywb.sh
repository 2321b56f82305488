# shellcheck shell=bash
# pywb replays what is in the bucket, which it reads by boto3; its index is the union of the exports.
part 'pywb replays from the bucket'
mkdir -p "$T/pywb/collections/fleet/"{indexes,archive}
cp "$T/replayed.cdxj" "$T/pywb/collections/fleet/indexes/index.cdxj"
cat >"$T/pywb/config.yaml" <<YAML
collections:
  fleet:
    index_paths: $T/pywb/collections/fleet/indexes/index.cdxj
    archive_paths: s3://warcs/fleet/
YAML
PYWB=$(free_port)
(cd "$T/pywb" && AWS_ENDPOINT_URL=$DIRECT AWS_DEFAULT_REGION=us-east-1 exec "$VENV/bin/wayback" \
  --port "$PYWB" --bind 127.0.0.1) \
  </dev/null >>"$T/pywb.log" 2>&1 &
pid_of[pywb]=$!
listens() { curl --disable --silent --noproxy '*' --max-time 5 --output /dev/null "http://127.0.0.1:$PYWB/"; }
wait_for 60 listens || not_ok 'pywb starts'
"$VENV/bin/python" - "$T/notes-f" "$T/replayed.cdxj" "http://127.0.0.1:$PYWB/fleet" <<'PYTHON' \
  || not_ok 'the look at pywb broke off'
import hashlib, json, random, sys, urllib.request
notes = {n["url"]: n for n in map(json.loads, open(sys.argv[1])) if n["whole"]}
lines = [(l.split(" ", 2)[1], json.loads(l.split(" ", 2)[2])) for l in open(sys.argv[2])]
lines = [l for l in lines if l[1]["url"].startswith("http")]
dice = random.Random(1)
kinds = {"responses": [l for l in lines if l[1]["mime"] != "warc/revisit"],
         "revisits": [l for l in lines if l[1]["mime"] == "warc/revisit"]}
door = urllib.request.build_opener(urllib.request.ProxyHandler({}))
for kind, some in kinds.items():
    wrong = []
    some = dice.sample(some, min(20, len(some)))
    for ts, said in some:
        try:
            got = hashlib.sha256(door.open(f"{sys.argv[3]}/{ts}id_/{said['url']}", timeout=30).read()).hexdigest()
        except Exception as error:
            got = repr(error)
        if got != notes[said["url"]]["sha256"]:
            wrong.append((said, got))
    name = f"pywb shows {len(some)} {kind} with the bytes that the client has got"
    print(f"ok - {name}" if some and not wrong else f"not ok - {name}: {len(wrong)}, such as {wrong[:1]}")
PYTHON
ends pywb
