#!/usr/bin/env bash
# A recorder that asks for a password, before clients as people have them: curl, wget, Python,
# Node.js, Chromium and Firefox load pages through it over HTTP and HTTPS. The log says who it was;
# no password and no hash of one is anywhere. Then what an operator does in the middle of a session:
# pause and resume; and a host that passes untouched, since its client knows the certificate.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

work=$T/users
mkdir -p "$work"
http=http://localhost:$(field "$T/ports" http)
https=https://localhost:$(field "$T/ports" https)

# A hash of ours, and one as htpasswd and others write it.
anna=$(printf 'Anna-pass:w\303\266rd' | "$WARCORDER" password anna)
bert="bert:$(perl -e 'print crypt("Bert-password", q($2y$05$abcdefghijklmnopqrstuu))')"
if [[ $anna$bert == *'$2'*'$2'* ]]; then ok 'hashes by the command password and by crypt'
else not_ok "hashes by the command password and by crypt: $anna $bert"; fi
SSL_CERT_FILE=$T/site.pem start_recorder users --proxy-users "$anna,$bert"
new_home "$work/home"

through() {
  curl --disable --silent --max-time 30 --noproxy '' --proxy "http://$address" \
    --cacert "$T/ca.pem" "$@"
}
# statuses NAME WANT OPTION...: what curl gets over HTTP and HTTPS.
statuses() {
  local url got=
  for url in "$http" "$https"; do
    got+=$(through --output "$work/body" --write-out '%{http_connect}/%{http_code} ' "${@:3}" \
      "$url/plain.json" || true)
  done
  if [[ $got == "$2 " ]]; then ok "curl, $1: $2"; else not_ok "curl, $1: $got, not $2"; fi
}
touch "$T/log" # of the site
seen() { wc -l <"$T/log"; }
before=$(seen)
statuses 'without a password' '000/407 407/000'
statuses 'with a wrong one' '000/407 407/000' --proxy-user anna:wrong
statuses 'with none' '000/407 407/000' --proxy-user anna:
statuses "with another user's" '000/407 407/000' --proxy-user anna:Bert-password
statuses 'with the hash' '000/407 407/000' --proxy-user "$bert"
statuses 'of nobody' '000/407 407/000' --proxy-user :
statuses 'in the field of the origin' '000/407 407/000' --user bert:Bert-password
statuses 'by a way that there is not' '000/407 407/000' --proxy-digest \
  --proxy-user bert:Bert-password
equal 'of these the origin has seen none' "$(seen)" "$before"
statuses 'with a password' '000/200 200/200' --proxy-user bert:Bert-password
statuses 'with another' '000/200 200/200' --proxy-user $'anna:Anna-pass:w\303\266rd'
statuses 'asked first' '000/200 200/200' --proxy-anyauth --proxy-user bert:Bert-password
said=$(through --include "$http/plain.json" || true)
if grep -qi '^proxy-authenticate: basic realm="' <<<"$said" && grep -qi password <<<"$said"; then
  ok 'the 407 names the way and says what is wanted'
else
  not_ok "the 407 names the way and says what is wanted: $(head -c 300 <<<"$said")"
fi

# gets NAME COMMAND...: prints what the site sends at /plain.json.
want=$(curl --disable --silent --noproxy '*' "$http/plain.json")
gets() {
  local got
  got=$(timeout 60 "${@:2}" 2>"$work/err") || true
  if [[ -n $got && $got == "$want" ]]; then ok "$1"
  else not_ok "$1: $(head -c 100 <<<"$got") $(tail -n 1 "$work/err")"; fi
}
cat >"$work/with-urllib.py" <<'PYTHON'
import sys, urllib.request as u
url, proxy = sys.argv[1:]
print(u.build_opener(u.ProxyHandler({u.urlparse(url).scheme: proxy})).open(url).read().decode())
PYTHON
cat >"$work/with-requests.py" <<'PYTHON'
import sys, requests
url, proxy = sys.argv[1:]
print(requests.get(url, proxies={"http": proxy, "https": proxy}).text)
PYTHON
cat >"$work/undici.cjs" <<'NODE'
const { ProxyAgent, request } = require(`${process.env.PUPPETEER}/node_modules/undici`);
const [url, uri, login] = process.argv.slice(2);
const dispatcher = new ProxyAgent({ uri, token: `Basic ${Buffer.from(login).toString('base64')}` });
request(url, { dispatcher }).then(({ body }) => body.text()).then((text) => {
  console.log(text);
  process.exit(0);
});
NODE
login=bert:Bert-password
for url in "$http" "$https"; do
  scheme=${url%%:*}
  file=$url/plain.json
  wget=(wget --quiet --output-document - --ca-certificate "$T/ca.pem")
  gets "wget, $scheme" "${wget[@]}" -e use_proxy=yes -e no_proxy= \
    -e "${scheme}_proxy=http://$address" --proxy-user bert --proxy-password Bert-password "$file"
  gets "wget with the password in the proxy's URL, $scheme" \
    env no_proxy= "${scheme}_proxy=http://$login@$address" "${wget[@]}" "$file"
  gets "Python's urllib, $scheme" env no_proxy= "SSL_CERT_FILE=$T/ca.pem" \
    "$VENV/bin/python" "$work/with-urllib.py" "$file" "http://$login@$address"
  gets "Python's requests, $scheme" env no_proxy= "REQUESTS_CA_BUNDLE=$T/ca.pem" \
    "$VENV/bin/python" "$work/with-requests.py" "$file" "http://$login@$address"
  gets "undici of Node.js, $scheme" env "NODE_EXTRA_CA_CERTS=$T/ca.pem" \
    node "$work/undici.cjs" "$file" "http://$address" "$login"
done

# in_browser BROWSER USER PASSWORD: the page, and all that its scripts do. A browser that hangs is
# started once more.
in_browser() {
  local profile
  for profile in "$work/$1" "$work/$1-again"; do
    mkdir -p "$profile"
    if [[ $1 == firefox ]]; then
      certutil -d "sql:$profile" -N --empty-password
      certutil -d "sql:$profile" -A -t C,, -n warcorder -i "$T/ca.pem"
    fi
    if HOME=$work/home timeout 60 node "$here/users/browse.mjs" "$1" "$address" "$T/ports" \
      "$profile" "${@:2}" >"$work/out" 2>"$work/err"; then break; fi
    echo "not ok - $1: $(grep -m 1 Error "$work/err")" >>"$work/out"
  done
  cat "$work/out"
}
in_browser chromium bert Bert-password
in_browser chromium-cdp anna $'Anna-pass:w\303\266rd'
in_browser firefox bert Bert-password

curl --disable --silent --noproxy '*' "http://$address/status" >"$work/status"
"$WARCORDER" gaps --dir "$T/collections" --collection users --json -n 0 >"$work/gaps"
stop_recorder
check_warcs
check records "$archive"/*.warc.gz

# What stands in the log, the status, the gap list, the index and the records.
said() {
  cat "$work/status" "$work/gaps" "$T/users.log" <(export_lines) <(zcat "$archive"/*.warc.gz)
}
for user in anna bert; do
  try "the log names $user" grep -q "\"user\":\"$user\"" "$T/users.log"
done
equal 'no password is in log, status, gaps, index or records' \
  "$(said | grep -ac 'Bert-password\|Anna-pass')" 0
equal 'and no hash of one' "$(said | grep -acF -e '$2a$' -e '$2b$' -e '$2y$')" 0
equal 'nor what clients send of it' \
  "$(said | grep -aci "proxy-authorization\|$(printf %s "$login" | base64)")" 0

# Pause and resume in the middle of a session.
SSL_CERT_FILE=$T/site.pem start_recorder paused
operator() { "$WARCORDER" "$1" --dir "$T/collections" --collection paused; }
# counted REASON: how many gaps of it the collection has.
counted() {
  "$WARCORDER" gaps --dir "$T/collections" --collection "$collection" --json >"$work/counts"
  "$VENV/bin/python" -c 'import json, sys
print(json.load(open(sys.argv[1]))["counts"].get(sys.argv[2], 0))' "$work/counts" "$1"
}
paused() {
  curl --disable --silent --noproxy '*' "http://$address/status" | grep -c '"paused": true' || true
}
both=(--output "$work/body" --output "$work/body")
through "${both[@]}" "$http/search?before" "$https/search?before"
try 'pause' operator pause
equal '/status says so' "$(paused)" 1
equal 'what passes meanwhile is what the origin sends' "$(through "$https/plain.json")" "$want"
through "$http/search?meanwhile" --output "$work/body"
try 'pause again' operator pause
equal 'two are counted' "$(counted unrecorded)" 2
try 'resume' operator resume
equal '/status says that, too' "$(paused)" 0
through "${both[@]}" "$http/search?after" "$https/search?after"
stop_recorder
check_warcs
export_lines >"$work/paused.cdxj"
for word in before after; do
  equal "what passed $word it is in the archive" "$(grep -c "search?$word\"" "$work/paused.cdxj")" 2
done
zcat "$archive"/*.warc.gz >"$work/paused.records"
equal 'what passed meanwhile is not' \
  "$(cat "$work"/paused.{cdxj,records} | grep -ac 'meanwhile\|plain.json')" 0
if operator pause >"$work/body" 2>&1; then not_ok 'pause without a recorder says so: it went well'
else try 'pause without a recorder says so' grep -q 'nobody records' "$work/body"; fi

# A client that knows the origin's certificate, and takes no other.
pin=sha256//$(openssl x509 -in "$T/site.pem" -pubkey -noout \
  | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64)
pinned() { through --pinnedpubkey "$pin" "$@"; }
SSL_CERT_FILE=$T/site.pem start_recorder pinned
through --output "$work/body" "${https/localhost/127.0.0.1}/plain.json" # another host works
for ((i = 0; i < 3; i++)); do pinned --output "$work/body" "$https/plain.json" || true; done
suggested() { grep -q '"level":"warn".*tunnel' "$T/pinned.log"; }
try 'after three handshakes that a client broke off the log suggests a tunnel' wait_for 10 suggested
stop_recorder
SSL_CERT_FILE=$T/site.pem start_recorder tunnel --tunnel localhost
pinned --cacert "$T/site.pem" --output "$work/pinned" "$https/big/3000000"
pinned --cacert "$T/site.pem" --output "$work/pinned.json" "$https/plain.json"
through --output "$work/body" "$http/plain.json"
curl --disable --silent --noproxy '*' --cacert "$T/site.pem" --output "$work/direct" \
  "$https/big/3000000"
try 'a client that takes one certificate alone works in a tunnel, and gets the same bytes' \
  cmp "$work/pinned" "$work/direct"
equal 'more of them, too' "$(<"$work/pinned.json")" "$want"
stop_recorder
equal 'both are counted as tunnelled' "$(counted tunnelled)" 2
export_lines >"$work/tunnel.cdxj"
equal 'what was in the tunnels is not in the archive, and what came over HTTP is' \
  "$(grep -c plain.json "$work/tunnel.cdxj") $(grep -c 'https\|big' "$work/tunnel.cdxj")" '1 0'
