#!/usr/bin/env bash
# Ways out: squid with and without a password, over HTTP and over TLS, microsocks and dante with a
# password, and chains of them carry what Chromium and curl ask for. The records are the origin's
# bytes and say nothing of a parent but its kind; two users never share a connection to a parent
# that knows a password; names are resolved where they should be; what a parent refuses is a page
# that says so, and no record.
set -euo pipefail
if [[ ${1-} != inside ]]; then
  unshare -nm true 2>/dev/null || users=(--user --map-root-user)
  exec unshare "${users[@]}" --net --mount bash "$0" inside
fi
. "$(dirname "$0")/recorder.sh"

certificate=$T/site.pem
key=$T/site.key
T=$T/parents # a network of its own has a site of its own
mkdir -p "$T"
ln -sf "$certificate" "$T/site.pem"
mount -t tmpfs none /dev/shm # where a squid that was killed leaves what the next one stumbles on
ip link set lo up
for n in 2 3 4 5 6 7; do ip address add "10.9.0.$n/32" dev lo; done
head -c 2M /dev/urandom >"$T/upload"
printf '127.0.0.1 localhost\n127.0.0.1 named.test\n' >"$T/hosts"
mount --bind "$T/hosts" /etc/hosts
node "$here/site.mjs" "$certificate" "$key" "$T/log" "$T/ports" &
pids[$!]=$!
wait_for 20 test -e "$T/ports"
http=http://localhost:$(field "$T/ports" http)
https=https://localhost:$(field "$T/ports" https)
new_home "$T/home"

# run_parent NAME HOST:PORT COMMAND...: starts it, and waits until it listens.
run_parent() {
  "${@:3}" >"$T/$1.out" 2>&1 </dev/null &
  pids[$!]=$!
  listens() { (exec 3<>"/dev/tcp/${1/:/\/}") 2>/dev/null; }
  wait_for 20 listens "$2" || { not_ok "$1 starts: $(tail -n 2 "$T/$1.out")"; exit 1; }
}

# Each has an address of its own, of which no record may know: 10.9.0.
squid=10.9.0.2:3128 guarded=10.9.0.3:3128 secure=10.9.0.4:3129 foreign=10.9.0.4:3130
micro=10.9.0.5:1080 dante=10.9.0.6:1080
login=keeper:Parent-password
install -d -o proxy -g proxy "$T/squid"
chmod o+x "$T" "$(dirname "$T")" # squid is no root
squid_config() {
  cat <<CONFIG
http_port $1
pid_filename $T/squid/$2.pid
logformat who %>p %un %Ss %rm %ru
access_log stdio:$T/squid/$2.access who
cache_log $T/squid/$2.cache
cache deny all
forwarded_for delete
via off
visible_hostname a-squid
shutdown_lifetime 0 seconds
http_upgrade_request_protocols websocket allow all
http_upgrade_request_protocols OTHER deny all
CONFIG
  cat
}
squid_config $squid open >"$T/squid/open.conf" <<<'http_access allow all'
keeper=keeper:$(perl -e 'print crypt("Parent-password", q($6$saltsalt$))')
echo "$keeper" >"$T/squid/passwords"
chmod 644 "$T/squid/passwords"
# The one with a password speaks TLS too, with a certificate to be trusted and with another.
for name in secure foreign; do
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
    -subj /CN=parent.test -addext subjectAltName=IP:10.9.0.4 \
    -keyout "$T/squid/$name.key" -out "$T/squid/$name.pem" 2>/dev/null
done
chown proxy "$T/squid"/*.key
squid_config $guarded guarded >"$T/squid/guarded.conf" <<CONFIG
https_port $secure tls-cert=$T/squid/secure.pem tls-key=$T/squid/secure.key
https_port $foreign tls-cert=$T/squid/foreign.pem tls-key=$T/squid/foreign.key
auth_param basic program /usr/lib/squid/basic_ncsa_auth $T/squid/passwords
auth_param basic realm parent
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all
CONFIG
run_parent squid $squid squid -N -n open -f "$T/squid/open.conf"
run_parent guarded $guarded squid -N -n guarded -f "$T/squid/guarded.conf"
run_parent micro $micro microsocks -i 10.9.0.5 -p 1080 -u keeper -P Parent-password
# dante knows the users of the system.
cp /etc/passwd "$T/passwd"
cp -p /etc/shadow "$T/shadow"
echo 'keeper:x:4242:4242::/nonexistent:/usr/sbin/nologin' >>"$T/passwd"
echo "$keeper:20000:0:99999:7:::" >>"$T/shadow"
mount --bind "$T/passwd" /etc/passwd
mount --bind "$T/shadow" /etc/shadow
cat >"$T/danted.conf" <<CONFIG
logoutput: $T/danted.log
internal: 10.9.0.6 port = 1080
external: lo
external.rotation: route
user.privileged: root
user.unprivileged: nobody
socksmethod: username
client pass { from: 0.0.0.0/0 to: 0.0.0.0/0 }
socks pass { from: 0.0.0.0/0 to: 0.0.0.0/0 }
CONFIG
run_parent dante $dante danted -f "$T/danted.conf"
cat "$certificate" "$T/squid/secure.pem" >"$T/trusted.pem"

# counted REASON: how many gaps of it the collection has.
counted() {
  "$WARCORDER" gaps --dir "$T/collections" --collection "$collection" --json >"$T/counts"
  "$VENV/bin/python" -c 'import json, sys
print(json.load(open(sys.argv[1]))["counts"].get(sys.argv[2], 0))' "$T/counts" "$1"
}
through() {
  curl --disable --silent --max-time 30 --noproxy '' --proxy "http://$address" \
    --cacert "$T/ca.pem" "$@"
}
with_login() { echo "${1/:\/\//:\/\/$login@}"; }

# carries NAME KIND BYTES UPSTREAM: BYTES names the schemes in which a parent leaves bytes alone: a
# proxy for HTTP writes the messages of HTTP anew, so that no revisit of HTTPS may name one of HTTP.
# What squid says of itself in the fields of such an answer (X-Cache) is kept as it came.
carries() {
  local name=$1 works
  : >"$T/log"
  SSL_CERT_FILE=$T/trusted.pem start_recorder "$name" --upstream "$4" --complete never --dedup url
  HOME=$T/home timeout 100 node "$here/drive.mjs" "$address" "$T/ports" "$T/profile-$name" \
    >"$T/$name.drive" 2>&1 || echo 'not ok - drive.mjs broke off' >>"$T/$name.drive"
  works=$(grep -c '^ok' "$T/$name.drive" || true)
  equal "$name: Chromium, $works things that pages do" \
    "$(grep '^not ok' "$T/$name.drive" | tr '\n' ' ')" ''
  fetch_all "$T/client-$name"
  equal "$name: 30 MB come whole" "$(through "$https/big/30000000" | sha1sum)" "$large"
  stop_recorder
  check_warcs
  try "$name: verify has no finding" \
    "$WARCORDER" verify --dir "$T/collections" --collection "$name"
  check records "$archive"/*.warc.gz
  cp "$T/log" "$T/log-$name"
  if [[ $3 == https ]]; then
    grep '"scheme":"https"' "$T/log" >"$T/log-$name"
    rm "$T/client-$name"/http-*
  fi
  check verbatim "$T/log-$name" "$T/client-$name" "$archive"/*.warc.gz
  says_little "$name" "$2"
}

# says_little NAME KIND: what the records say of the parent.
says_little() {
  local all=$T/$1.records
  zcat "$archive"/*.warc.gz >"$all"
  equal "$1: no record has an address or a password of a parent" \
    "$(grep -ac '10\.9\.0\.\|Parent-password\|a2VlcGVyO\|parent\.test' "$all")" 0
  equal "$1: WARC-IP-Address is nobody's but the origin's" \
    "$(grep -a '^WARC-IP-Address:' "$all" | tr -d '\r' | grep -vc ': 127\.0\.0\.1$')" 0
  equal "$1: the metadata records say via: $2" \
    "$(grep -a '^via: ' "$all" | tr -d '\r' | sort -u)" "via: $2"
  equal "$1: the log has no password" "$(grep -c 'Parent-password' "$T/$1.log")" 0
}

large=$(curl --disable --silent --noproxy '*' --cacert "$certificate" "$https/big/30000000" \
  | sha1sum)
carries open-squid http https "http://$squid"
carries guarded-squid http https "$(with_login "http://$guarded")"
carries secure-squid https https "$(with_login "https://$secure")"
carries microsocks socks5h all "$(with_login "socks5h://$micro")"
carries dante socks5 all "$(with_login "socks5://$dante")"
carries chain 'http > socks5h' all \
  "$(with_login "http://$guarded") $(with_login "socks5h://$micro")"
carries chain-back 'socks5 > http' https \
  "$(with_login "socks5://$dante") $(with_login "http://$guarded")"

# Two users of the recorder: no connection to squid has requests of both, neither in HTTP nor in
# tunnels, whose connection to the site is one to squid. The site tells its client's port.
cat >"$T/ports.py" <<'SITE'
import http.server, ssl, sys, threading
class Port(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.server.log.write(f"{self.server.server_port}:{self.client_address[1]} {self.path}\n")
        self.server.log.flush()
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *_): pass
servers = [http.server.ThreadingHTTPServer(("127.0.0.1", port), Port) for port in (8001, 8002)]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(*sys.argv[1:3])
servers[1].socket = context.wrap_socket(servers[1].socket, server_side=True)
for server in servers:
    server.log = open(sys.argv[3], "a")
    threading.Thread(target=server.serve_forever).start()
SITE
run_parent site-of-ports 127.0.0.1:8002 \
  "$VENV/bin/python" "$T/ports.py" "$certificate" "$key" "$T/ports-seen"
anna=$(printf password-of-anna | "$WARCORDER" password anna)
bert=$(printf password-of-bert | "$WARCORDER" password bert)
# shared FILE: of connections (the first word) how many there are, and how many carry both users.
shared() {
  awk '{ if (/anna/) a[$1]; if (/bert/) b[$1]; all[$1] }
    END { for (c in a) both += c in b; print length(all), both + 0 }' "$1"
}
# apart COLLECTION FLAG...: both users in turn, ten requests each over HTTP and over HTTPS.
apart() {
  : >"$T/ports-seen"
  : >"$T/squid/$squid_log.access"
  SSL_CERT_FILE=$T/trusted.pem start_recorder "$1" --proxy-users "$anna,$bert" "${@:2}"
  for ((i = 0; i < 10; i++)); do
    for user in anna bert; do
      through --proxy-user "$user:password-of-$user" --output "$T/body" --output "$T/body" \
        "http://localhost:8001/$user-$i" "https://localhost:8002/$user-$i"
    done
  done
  stop_recorder
  grep -c "/\(anna\|bert\)-" "$T/ports-seen" >"$T/count" || true
}
# some_apart WHAT CONNECTIONS BOTH: there are some connections, on which more than one request goes.
some_apart() {
  if (($2 >= 2 && $2 < 20 && $3 == 0)); then ok "two users: $2 $1, none has requests of both"
  else not_ok "two users: of $2 $1 $3 have requests of both"; fi
}
squid_log=guarded
apart two-users --upstream "$(with_login "http://$guarded")"
equal 'two users: all requests came' "$(<"$T/count")" 40
some_apart 'connections to squid for HTTP' $(shared <(grep -a ' GET ' "$T/squid/guarded.access"))
some_apart 'tunnels through squid' $(shared <(grep '^8002:' "$T/ports-seen"))
squid_log=open
apart shared-parent --upstream "http://$squid"
equal 'a squid without a password is one for both' \
  "$(shared <(grep -a ' GET ' "$T/squid/open.access"))" '1 1'

# Names: socks5h has them resolved there, socks5 here. .onion is a pattern as any other; the fake is
# no tor, and notes what it is asked for.
fake() {
  run_parent "$1" "$2" "$VENV/bin/python" "$here/parents/socks.py" "$2" "$T/asked-$1" 127.0.0.1
}
fake tor 127.0.0.1:9050
fake local 127.0.0.1:9051
onion=2gzyxa5ihm7nsggfxnu52rck2vv4rvmdlkiu3zzui5du4xyclen53wid.onion
port=${http##*:}
ways='*.onion=socks5h://127.0.0.1:9050,named.test=socks5://127.0.0.1:9051,localhost=direct'
SSL_CERT_FILE=$T/trusted.pem start_recorder names --upstream "$ways" --insecure-upstream='*.onion'
for url in "http://$onion:$port" "https://$onion:${https##*:}" "http://named.test:$port" "$http"; do
  through --output "$T/body" --write-out '%{http_code} ' "$url/plain.json" || true
done >"$T/statuses"
stop_recorder
equal 'names by three ways' "$(<"$T/statuses")" '200 200 200 200 '
equal 'the name of an onion is what its parent is asked for' \
  "$(sed 's/:.*//' "$T/asked-tor" | sort | uniq -c | tr -s ' ')" " 2 $onion"
equal 'socks5 is asked for an address' "$(<"$T/asked-local")" "address 127.0.0.1:$port"
equal 'the name of an onion is in the index' "$(export_lines | grep -c "$onion")" 2

# What the environment says is used, or refused.
environment() { SSL_CERT_FILE=$T/trusted.pem start_recorder "$@"; }
named=http://named.test:$port/plain.json
: >"$T/squid/open.access"
HTTP_PROXY=http://$squid environment environment
through --output "$T/body" --output "$T/body" "$named" "$named?twice"
stop_recorder
used_twice() { (($(grep -c named.test "$T/squid/open.access") == 2)); }
try 'HTTP_PROXY of the environment is used' wait_for 5 used_twice
: >"$T/squid/open.access"
ALL_PROXY=http://$squid NO_PROXY=named.test environment environment-none
through --output "$T/body" "$named"
stop_recorder
ALL_PROXY=http://$squid environment environment-direct --upstream direct
through --output "$T/body" "$named"
stop_recorder
try 'NO_PROXY and upstream: direct do without it' test ! -s "$T/squid/open.access"
status=0
ALL_PROXY=gopher://$squid timeout 10 "$WARCORDER" record --listen 127.0.0.1:0 --log json \
  --dir "$T/collections" --collection refused </dev/null >"$T/refused" 2>&1 || status=$?
equal 'what it cannot use of the environment it refuses with a sentence' \
  "$status $(grep -c ALL_PROXY "$T/refused")" '1 1'

# What a parent does not do: a page that says so, a gap, and no record of the parent's words.
fails() { # NAME WORD UPSTREAM
  local name=$1 said status url
  SSL_CERT_FILE=$T/trusted.pem start_recorder "$name" --upstream "$3" --timeout-connect 3s
  for url in "$http" "$https"; do
    status=$(through --output "$T/body" --write-out '%{http_code}' "$url/plain.json" || true)
    said=$(tr '\n' ' ' <"$T/body")
    if [[ $status == 50[24] && $said =~ $2 ]]; then ok "$name, ${url%%:*}: the page says so"
    else not_ok "$name, ${url%%:*}: the page says so: $status, ${said:0:300}"; fi
    [[ ! $said =~ 10\.9\.0|Parent-password|wrong-one ]] || not_ok "$name: the page names the parent"
  done
  stop_recorder
  equal "$name: both are gaps" "$(counted upstream)" 2
  equal "$name: nothing of it is in the archive" "$(export_lines | grep -c plain.json)" 0
  equal "$name: the log has no password" "$(grep -c 'Parent-password\|wrong-one' "$T/$name.log")" 0
}
wrong() { echo "${1/:\/\//:\/\/keeper:wrong-one@}"; }
fails wrong-password-of-squid password "$(wrong "http://$guarded")"
fails no-password-for-squid password "http://$guarded"
fails wrong-password-of-secure-squid password "$(wrong "https://$secure")"
fails wrong-password-of-microsocks password "$(wrong "socks5h://$micro")"
fails wrong-password-of-dante password "$(wrong "socks5://$dante")"
fails wrong-password-in-a-chain password \
  "$(with_login "http://$guarded") $(wrong "socks5h://$micro")"
fails parent-down refused http://10.9.0.7:3128
fails parent-that-nobody-vouches-for certificate "$(with_login "https://$foreign")"
fails socks-parent-that-is-none 'in time' "socks5h://$squid"
fails http-parent-that-is-none closed "http://$micro"
