#!/usr/bin/env bash
# Several recorders behind one name: three of them, as the user of the image, sign with one authority that
# is mounted as Kubernetes mounts a secret, and Debian's haproxy is before them with the configuration of
# doc/deploy/compose. Clients stay with a recorder, go on at another when it is killed, and move to it with
# the authority that they trust; all that they got is in the union. The secret is renewed without a restart.
# What doc/deploy has for Compose and Kubernetes is judged by the libraries of their own tools.
set -euo pipefail
if [[ ${1-} != inside ]]; then
  . "$(dirname "$0")/recorder.sh"
  deploy=$T/deploy
  cp -r "$here/../../doc/deploy" "$deploy"
  for kind in compose kubernetes; do
    sh "$deploy/compose/secrets.sh" "$deploy/$kind/secrets" >/dev/null 2>"$T/secrets.log" \
      || not_ok "secrets.sh for $kind"
  done
  before=$(cat "$deploy"/compose/secrets/*)
  sh "$deploy/compose/secrets.sh" "$deploy/compose/secrets" >/dev/null
  equal 'secrets.sh keeps what it has made' "$(cat "$deploy"/compose/secrets/*)" "$before"
  equal 'and nobody else reads it' "$(find "$deploy/compose/secrets" -type f ! -name ca.pem -perm /077)" ''
  go build -C "$here/../deploy" -o "$T/deploycheck" . || not_ok 'deploycheck is built'
  "$T/deploycheck" "$deploy" || not_ok 'doc/deploy is sound'
  exec unshare --net --mount bash "$0" inside
fi
. "$(dirname "$0")/recorder.sh"

work=$T/onename
site=198.51.100.10
ip link set lo up
ip address add $site/32 dev lo
mount --make-rprivate /
mkdir -p "$work" && chmod 755 "$work"
mount -t tmpfs -o mode=755 tmpfs /mnt # which user 65532 can reach
cp "$WARCORDER" /mnt/warcorder
mkdir /mnt/site /mnt/secret
printf 'a page of the site, which is long enough to be worth it\n%.0s' {1..40} >/mnt/site/page
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=site \
  -addext "subjectAltName=IP:$site" -keyout "$work/site.key" -out "$work/site.pem" 2>/dev/null
cat >"$work/site.py" <<'PYTHON'
import functools, http.server, ssl, sys, threading
host, cert, key = sys.argv[1:]
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="/mnt/site")
for port, secure in ((80, False), (443, True)):
    server = http.server.ThreadingHTTPServer((host, port), handler)
    if secure:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever).start()
PYTHON
python3 "$work/site.py" $site "$work/site.pem" "$work/site.key" >/dev/null 2>&1 &
pids[$!]=$!

# put_secret CERTIFICATE KEY: as kubelet does for defaultMode 0440 and fsGroup 65532: in one step, and read-only.
put_secret() {
  local data=..data_$RANDOM$RANDOM
  mount -o remount,rw /mnt/secret 2>/dev/null || mount -t tmpfs -o mode=3775,gid=65532 tmpfs /mnt/secret
  install -d -m 2755 -g 65532 "/mnt/secret/$data"
  install -m 440 -o 0 -g 65532 "$1" "/mnt/secret/$data/tls.crt"
  install -m 440 -o 0 -g 65532 "$2" "/mnt/secret/$data/tls.key"
  ln -s "$data" /mnt/secret/..data_tmp
  mv -T /mnt/secret/..data_tmp /mnt/secret/..data
  for name in tls.crt tls.key; do [[ -L /mnt/secret/$name ]] || ln -s "..data/$name" "/mnt/secret/$name"; done
  mount -o remount,ro /mnt/secret
}
secrets=$T/deploy/compose/secrets
put_secret "$secrets/ca.pem" "$secrets/ca.key"

service=(setpriv --reuid 65532 --regid 65532 --clear-groups env -i HOME=/nowhere "PATH=$PATH" /mnt/warcorder)
as_service() { "${service[@]}" "$@"; }
# start N: the recorder at 127.0.1.N, whose process is recorders[N].
recorders=()
start() {
  install -d -m 700 -o 65532 -g 65532 "/mnt/$1"
  "${service[@]}" record --listen "127.0.1.$1:8080" --dir "/mnt/$1" --ca-cert /mnt/secret/tls.crt \
    --ca-key /mnt/secret/tls.key --insecure-upstream --log json </dev/null >>"$T/onename-$1.log" 2>&1 &
  recorders[$1]=$!
  pids[$!]=$!
}
answers() { curl --disable --silent --fail --noproxy '*' --max-time 5 --output /dev/null "$@"; }
for n in 1 2 3; do start $n; done
for n in 1 2 3; do
  try "recorder $n starts with the mounted secret, as user 65532" wait_for 20 answers "http://127.0.1.$n:8080/readyz"
done

sed -E 's/recorder-([0-9]):8080/127.0.1.\1:8080/; s/bind :8080/bind 127.0.0.1:8080/; s/maxconn 20000/maxconn 1000/' \
  "$T/deploy/compose/haproxy.cfg" >"$work/haproxy.cfg"
try 'haproxy takes the configuration' haproxy -c -f "$work/haproxy.cfg"
haproxy -db -f "$work/haproxy.cfg" </dev/null >"$T/haproxy.log" 2>&1 &
pids[$!]=$!
balanced() { curl --disable --silent --fail --noproxy '' --proxy http://127.0.0.1:8080 --max-time 10 "$@"; }
try 'it answers for them' wait_for 10 balanced --output /dev/null "http://$site/page?first"

# ask CLIENT NUMBER: a client of its own address gets a page; what it has got whole is noted.
ask() {
  local scheme=http url
  (($2 % 2)) || scheme=https
  url="$scheme://$site/page?client=$1&n=$2&"
  balanced --interface "127.0.2.$1" --cacert "${ca-$secrets/ca.pem}" --output "$work/body-$1" "$url" || return
  cmp -s "$work/body-$1" /mnt/site/page && echo "$url" >>"$work/got"
}
clients=(1 2 3 4 5 6 7 8 9 10 11 12)
ask_all() {
  local client n failed=0
  for client in "${clients[@]}"; do
    for n in "$@"; do ask "$client" "$n" || failed=$((failed + 1)); done
  done
  echo $failed
}
export_of() { as_service export --all --dir "/mnt/$1" -o - 2>/dev/null; }
# homes: a line "CLIENT RECORDER" for each pair of which there is a capture, of requests FROM and later.
homes() {
  local n
  for n in 1 2 3; do
    export_of $n | sed -nE 's/.*client=([0-9]+)&n=([0-9]+)&".*/\1 \2/p' \
      | awk -v n=$n -v from="$1" '$2 >= from {print $1, n}'
  done | sort -un -k1,1 -k2,2
}
equal 'twelve clients, over HTTP and HTTPS, trust one authority: failures' "$(ask_all 1 2 3 4)" 0
homes 1 >"$work/homes"
equal 'each stays with one recorder' "$(wc -l <"$work/homes")" 12
equal 'all three have clients' "$(cut -d' ' -f2 "$work/homes" | sort -u | tr '\n' ' ')" '1 2 3 '

# One is killed while its clients are at work.
killed=$(head -n 1 "$work/homes" | cut -d' ' -f2)
kill -KILL "${recorders[killed]}"
wait "${recorders[killed]}" 2>/dev/null || true
unset "pids[${recorders[killed]}]"
first=$(head -n 1 "$work/homes" | cut -d' ' -f1)
try 'a client of a recorder that was killed goes on at another' wait_for 10 ask "$first" 5
equal 'and so do all: failures' "$(ask_all 6 7)" 0
homes 6 >"$work/moved"
equal 'clients of the others did not move' \
  "$(grep -v " $killed\$" "$work/homes")" "$(grep -Fxf <(grep -v " $killed\$" "$work/homes") "$work/moved")"
of=127.0.1.1:8080,127.0.1.2:8080,127.0.1.3:8080
as_service status --of $of >"$work/status" && not_ok 'status --of fails while one is down'
equal 'status --of says who is down' "$(grep -c "^  127.0.1.$killed:8080 *down" "$work/status")" 1
start "$killed"
wait_for 20 answers "http://127.0.1.$killed:8080/readyz"
turn=20
is_back() { turn=$((turn + 2)) && ask "$first" $turn && [[ $(homes $turn) == "$first $killed" ]]; }
try 'its clients come back to it' wait_for 20 is_back
all_record() { as_service status --of $of --check >"$work/status" 2>&1; }
try 'status --of: all record' wait_for 20 all_record

# The secret is renewed: who reads it again signs with it, and no client is cut.
mkdir -p "$work/renewed"
sh "$T/deploy/compose/secrets.sh" "$work/renewed" >/dev/null 2>&1
put_secret "$work/renewed/ca.pem" "$work/renewed/ca.key"
for n in 1 2 3; do try "recorder $n reads the renewed secret" as_service reload --dir /mnt/$n; done
ca=$work/renewed/ca.pem
equal 'clients that trust the renewed one are served by all: failures' "$(ask_all 10)" 0
ask 1 12 && ca=$secrets/ca.pem
if ask 2 14; then not_ok 'the old authority still signs'; else ok 'the old authority signs no more'; fi

for n in 1 2 3; do
  kill "${recorders[n]}"
  wait "${recorders[n]}" || not_ok "recorder $n ends with $?"
  unset "pids[${recorders[n]}]"
done
for n in 1 2 3; do export_of $n; done | grep -o '"url": *"[^"]*"' | cut -d'"' -f4 | sort -u >"$work/union"
equal "all $(wc -l <"$work/got") answers that clients got are in the union: missing" \
  "$(sort -u "$work/got" | comm -23 - "$work/union" | wc -l)" 0
for n in 1 2 3; do try "recorder $n: verify" as_service verify --dir /mnt/$n; done
