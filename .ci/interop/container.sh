#!/usr/bin/env bash
# The image of doc/deploy/container, without Docker: the root filesystem and the process that its Dockerfile
# describes, in namespaces of their own, behind a bridge and a published port, whose forwarder gives all
# clients the address of the bridge, as Docker's does for the machine's own. See container/image.py.
set -euo pipefail
if [[ ${1-} != inside ]]; then
  exec unshare --net --mount bash "$0" inside
fi
. "$(dirname "$0")/recorder.sh"

work=$T/container
dockerfile=$here/../../doc/deploy/container/Dockerfile
mkdir -p "$work/site" "$work/collections" "$work/ca" /run/netns
image() { python3 "$here/container/image.py" "$@"; }
mount --make-rprivate /
mount -t tmpfs tmpfs /run/netns
ip link set lo up
ip address add 198.51.100.10/32 dev lo # what the recorder fetches from, beyond the bridge
ip link add bridge type veth peer name eth0
ip netns add box
ip link set eth0 netns box
ip address add 172.30.80.1/24 dev bridge
ip link set bridge up
ip -n box link set lo up
ip -n box address add 172.30.80.2/24 dev eth0
ip -n box link set eth0 up
ip -n box route add default via 172.30.80.1

echo 'a page' >"$work/site/page"
serve() {
  python3 -m http.server --bind "$1" --directory "$work/site" 80 >/dev/null 2>&1 &
  pids[$!]=$!
}
serve 198.51.100.10
serve 172.30.80.1
# The published port: 127.0.0.1:8080 of the machine, and the same of the images.
python3 "$here/container/publish.py" 172.30.80.2 8080 8091 &
pids[$!]=$!

# The volume has its size, so that it can be full.
mount -t tmpfs -o size=200m,mode=700,uid=65532,gid=65532 tmpfs "$work/collections"
chown 65532:65532 "$work/ca"
chmod 700 "$work/ca"
image build "$dockerfile" "$work/root" "/out/warcorder=$WARCORDER" \
  /etc/ssl/certs/ca-certificates.crt=/etc/ssl/certs/ca-certificates.crt
equal 'the volumes are for their user alone' \
  "$(stat -c '%a %u' "$work/root/collections" "$work/root/ca" | tr '\n' ' ')" '700 65532 700 65532 '
equal 'nothing else is in the image' "$(cd "$work/root" && find . -type f | sort | tr '\n' ' ')" \
  './etc/ssl/certs/ca-certificates.crt ./warcorder '

# start NAME=VALUE...: as docker run -e. Sets box, the process.
start() {
  ip netns exec box unshare --mount --pid --fork --kill-child --ipc --uts \
    python3 "$here/container/image.py" run "$dockerfile" "$work/root" "$work/collections:/collections" "$work/ca:/ca" \
    -- "$@" -- </dev/null >>"$work/log" 2>&1 &
  outer=$!
  pids[outer]=$outer
}
is_started() {
  box=$(pgrep -P "$outer" || true)
  [[ -n $box && $(cat "/proc/$box/comm" 2>/dev/null) == warcorder ]]
}
has_gone() { ! kill -0 "$outer" 2>/dev/null; }
# inside COMMAND...: as docker exec.
inside() {
  local -a settings
  mapfile -t settings < <(image get "$dockerfile" ENV)
  env -i "${settings[@]}" /usr/bin/nsenter --target "$box" --all --setuid 65532 --setgid 65532 "$@"
}
mapfile -t health < <(image get "$dockerfile" HEALTHCHECK)
is_healthy() { inside "${health[@]}" >"$work/health" 2>&1; }
is_ill() { ! is_healthy; }
# stop: as docker stop, which sends the image's signal. Sets took, in seconds, and status.
stop() {
  local began=$SECONDS
  kill -s "$(image get "$dockerfile" STOPSIGNAL)" "$box"
  wait_for 60 has_gone || kill -KILL "$box"
  status=0
  wait "$outer" || status=$?
  unset "pids[$outer]"
  took=$((SECONDS - began))
}
asked() { curl --disable --silent --show-error --max-time 20 --noproxy '*' "$@"; }
by_proxy() { curl --disable --silent --max-time 20 --noproxy '' --write-out ' %{http_code}' "$@"; }

start
wait_for 20 has_gone || not_ok 'without users and clients it ends at once'
status=0
wait "$outer" || status=$?
unset "pids[$outer]"
equal 'without users and clients it does not start' "$status" 1
try 'and says what to set' grep -q 'set clients to their networks.*or proxy-users.*published port' "$work/log"
equal 'and leaves nothing behind' "$(find "$work/collections" "$work/ca" -mindepth 1)" ''

start WARCORDER_CLIENTS=172.30.80.0/24 WARCORDER_READERS=172.30.80.0/24 WARCORDER_PAGE_CONTROL=readers \
  WARCORDER_MIN_FREE_SPACE=50MiB
wait_for 20 is_started
try 'with clients it starts, and is healthy' wait_for 20 is_healthy
equal 'its user, and what it may' \
  "$(grep -E '^(Uid|Groups|CapEff|CapBnd|NoNewPrivs):' "/proc/$box/status" | tr -s '\t \n' ' ')" \
  'Uid: 65532 65532 65532 65532 Groups: CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1 '
equal 'its root is read-only' "$(touch "/proc/$box/root/x" 2>&1 | grep -o 'Read-only file system')" \
  'Read-only file system'
equal 'the root that it was started from is out of reach' \
  "$(find "/proc/$box/root" -mindepth 1 -maxdepth 1 -printf '%f\n' | grep -cE '^(usr|home|root|work)$')" 0
equal 'a client comes by the published port' "$(by_proxy --proxy http://127.0.0.1:8080 http://198.51.100.10/page)" \
  $'a page\n 200'
equal 'what is inside is not fetched' \
  "$(by_proxy -o /dev/null --proxy http://127.0.0.1:8080 http://172.30.80.1/page)" ' 403'
equal 'nor what the container itself listens on' \
  "$(by_proxy -o /dev/null --proxy http://127.0.0.1:8080 http://127.0.0.1:8091/)" ' 403'
export_in_box() { inside /warcorder export -o - 2>>"$work/log"; }
equal 'the page is in the export, from the inside' "$(export_in_box | grep -c '/page"')" 1
equal 'readers of the bridge read the status by the published port' \
  "$(asked http://127.0.0.1:8080/status | grep -o '"recording": true')" '"recording": true'
equal 'and have the live page with its buttons' "$(asked -o /dev/null -w '%{http_code}' -H 'User-Agent: Mozilla/5.0' \
  -H 'Sec-Fetch-Site: none' -H 'Sec-Fetch-Mode: navigate' -H 'Sec-Fetch-Dest: document' http://127.0.0.1:8080/)" 200
equal 'the certificate is to be had' "$(asked http://127.0.0.1:8080/ca.pem | head -n 1)" '-----BEGIN CERTIFICATE-----'
equal 'and by the command' "$(inside /warcorder ca | sha256sum)" "$(asked http://127.0.0.1:8080/ca.pem | sha256sum)"
equal 'images are shown on the port that is published for them' \
  "$(asked http://127.0.0.1:8080/status | grep -o '"preview": "[^"]*"')" '"preview": "[::]:8091"'

fill() { head -c 160M /dev/zero >"$work/collections/other"; }
fill
try 'on a full volume it is not healthy' wait_for 20 is_ill
try 'and says why' grep -q 'min-free-space' "$work/health"
rm "$work/collections/other"
try 'and is again when there is room' wait_for 20 is_healthy

stop
equal "stopped, it ends well, in time ($took s)" "$status $((took <= 20))" '0 1'
files() { find "$work/collections" -name '*.warc.gz' | sort; }
equal 'the file is finished, and in the volume, for its owner alone' \
  "$(files | wc -l) $(find "$work/collections" -name '*.open' | wc -l) $(stat -c '%a %u' "$(files)")" '1 0 600 65532'
try 'warcio takes it' "$VENV/bin/warcio" check "$(files)"
try 'gzip takes it' gzip -t "$(files)"

line=$(printf 'secret\n' | "$WARCORDER" password anna 2>/dev/null | tail -n 1)
start WARCORDER_MIN_FREE_SPACE=50MiB WARCORDER_PROXY_USERS="$line" WARCORDER_API_TOKEN=0123456789abcdef0123456789abcdef
wait_for 20 is_started
try 'with users it starts on the same volumes, and is healthy' wait_for 20 is_healthy
equal 'without a password nobody uses it' \
  "$(by_proxy -o /dev/null --proxy http://127.0.0.1:8080 http://198.51.100.10/page)" ' 407'
equal 'with it she does' "$(by_proxy --proxy http://anna:secret@127.0.0.1:8080 http://198.51.100.10/page)" \
  $'a page\n 200'
equal 'nobody reads by the bridge' "$(asked -o /dev/null -w '%{http_code}' http://127.0.0.1:8080/status)" 401
equal 'but who has the token' "$(asked -o /dev/null -w '%{http_code}' -H \
  'Authorization: Bearer 0123456789abcdef0123456789abcdef' http://127.0.0.1:8080/status)" 200
equal 'both pages are in the export' "$(export_in_box | grep -c '/page"')" 2
kill -KILL "$box"
wait_for 20 has_gone
wait "$outer" || true
unset "pids[$outer]"
start WARCORDER_MIN_FREE_SPACE=50MiB WARCORDER_PROXY_USERS="$line"
wait_for 20 is_started
try 'killed, it is started anew, and is healthy' wait_for 20 is_healthy
equal 'nothing is lost' "$(export_in_box | grep -c '/page"')" 2
stop
equal 'and it ends well' "$status $(find "$work/collections" -name '*.open' | wc -l)" '0 0'

# The example for Compose says what was tried here.
compose=$here/../../doc/deploy/container/compose.yaml
"$VENV/bin/python" - "$compose" <<'PYTHON' || not_ok 'compose.yaml broke off'
import sys, yaml
service = yaml.safe_load(open(sys.argv[1]))["services"]["warcorder"]
for name, want in {"read_only": True, "cap_drop": ["ALL"], "security_opt": ["no-new-privileges:true"],
                   "volumes": ["collections:/collections", "ca:/ca"],
                   "ports": ["127.0.0.1:8080:8080", "127.0.0.1:8091:8091"], "stop_grace_period": "60s"}.items():
    print(f"{'ok' if service[name] == want else 'not ok'} - compose.yaml has {name} as it was tried")
for name in ("WARCORDER_CLIENTS", "WARCORDER_READERS"):
    value = service["environment"][name]
    print(f"{'ok' if value == '172.30.80.0/24' else 'not ok'} - compose.yaml has {name} as it was tried")
PYTHON
