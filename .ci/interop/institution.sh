#!/usr/bin/env bash
# A recorder in an institution: it signs with an authority of the institution's own, through an
# intermediate; it reaches origins that only the institution vouches for, some of which want to see
# a certificate, from an address that was chosen. And clients that speak something else to its port
# are told so.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

work=$T/institution
mkdir -p "$work"
https=https://localhost:$(field "$T/ports" https)
through() {
  curl --disable --silent --max-time 30 --noproxy '' --proxy "http://$address" "$@"
}
gaps() { "$WARCORDER" gaps --dir "$T/collections" --collection "$collection" --json -n 0; }

# certificate NAME ISSUER EXTENSION...: NAME.pem and NAME.key; the issuer "self" signs itself.
certificate() {
  local name=$1 by=() extension
  [[ $2 == self ]] || by=(-CA "$work/$2.pem" -CAkey "$work/$2.key")
  for extension in "${@:3}"; do by+=(-addext "$extension"); done
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \
    -subj "/CN=$name" "${by[@]}" -keyout "$work/$name.key" -out "$work/$name.pem" 2>/dev/null
}
signs=keyUsage=critical,keyCertSign,cRLSign
certificate root self basicConstraints=critical,CA:TRUE $signs
certificate intermediate root basicConstraints=critical,CA:TRUE,pathlen:0 $signs
cat "$work/intermediate.pem" "$work/root.pem" >"$work/chain.pem"

# Its own authority: clients that have its root alone take what the intermediate signs.
own=(--ca-cert "$work/chain.pem" --ca-key "$work/intermediate.key")
SSL_CERT_FILE=$T/site.pem start_recorder own-authority "${own[@]}"
new_home "$work/home" # with the certificate of the installation, which is of no use here
certutil -d "sql:$work/home/.pki/nssdb" -D -n warcorder
certutil -d "sql:$work/home/.pki/nssdb" -A -t C,, -n institution -i "$work/root.pem"
HOME=$work/home node "$here/drive.mjs" "$address" "$T/ports" "$work/profile" >"$work/drive" 2>&1 \
  || echo 'not ok - drive.mjs broke off' >>"$work/drive"
wrong=$(grep '^not ok' "$work/drive" | tr '\n' ' ' || true)
works=$(grep -c '^ok' "$work/drive" || true)
equal "Chromium trusts the institution's root: $works things that pages do" "$wrong" ''
try 'so does curl' through --cacert "$work/root.pem" --output "$work/body" "$https/plain.json"
proxied=(env "https_proxy=http://$address" no_proxy=)
try 'so does wget' "${proxied[@]}" wget --quiet --tries 1 --ca-certificate "$work/root.pem" \
  --output-document "$work/body" "$https/plain.json"
try 'so does Python' "${proxied[@]}" "SSL_CERT_FILE=$work/root.pem" "$VENV/bin/python" -c \
  'import sys, urllib.request; urllib.request.urlopen(sys.argv[1])' "$https/plain.json"
cat >"$work/Trust.java" <<'JAVA'
import java.net.*;
public class Trust {
  public static void main(String[] a) throws Exception {
    String[] at = a[0].split(":");
    var proxy = new Proxy(Proxy.Type.HTTP, new InetSocketAddress(at[0], Integer.parseInt(at[1])));
    URI.create(a[1]).toURL().openConnection(proxy).getInputStream().close();
  }
}
JAVA
keytool -importcert -noprompt -storetype PKCS12 -keystore "$work/trust" -storepass changeit \
  -alias root -file "$work/root.pem" 2>/dev/null
try 'so does Java' java "-Djavax.net.ssl.trustStore=$work/trust" \
  -Djavax.net.ssl.trustStorePassword=changeit "$work/Trust.java" "$address" "$https/plain.json"
sent=$(openssl s_client -proxy "$address" -connect "${https#https://}" -servername localhost \
  -showcerts -CAfile "$work/root.pem" </dev/null 2>/dev/null || true)
equal 'leaf, intermediate and root are sent, and OpenSSL finds no fault' \
  "$(grep -c 'BEGIN CERTIFICATE' <<<"$sent") $(grep -c '^Verification: OK' <<<"$sent")" '3 1'
curl --disable --silent --noproxy '*' --output "$work/ca.pem" "http://$address/ca.pem"
try 'the root is what /ca.pem gives' cmp "$work/ca.pem" "$work/root.pem"
"$WARCORDER" ca "${own[@]}" >"$work/ca-printed.pem"
try 'and what the command ca prints' cmp "$work/ca-printed.pem" "$work/root.pem"
stop_recorder
check_warcs

# refused NAME WORD FLAG...: no start, status 1, a sentence with that word.
refused() {
  local status=0
  timeout 10 "$WARCORDER" record --listen 127.0.0.1:0 --dir "$T/collections" \
    --collection refused-authority --log json "${@:3}" </dev/null >"$work/refused" 2>&1 || status=$?
  if ((status == 1)) && grep -qi "$2" "$work/refused"; then ok "$1 is refused"
  else not_ok "$1 is refused: status $status, $(head -c 300 "$work/refused")"; fi
}
certificate leaf root basicConstraints=critical,CA:FALSE
cp "$work/intermediate.key" "$work/open.key"
chmod 644 "$work/open.key"
cat "$work/root.pem" "$work/intermediate.pem" >"$work/turned.pem"
chain=(--ca-cert "$work/chain.pem")
refused 'the key of another certificate' key "${chain[@]}" --ca-key "$work/root.key"
refused 'a key that others may read' chmod "${chain[@]}" --ca-key "$work/open.key"
refused 'a chain in the wrong order' 'order\|key\|sign' --ca-cert "$work/turned.pem" \
  --ca-key "$work/intermediate.key"
refused 'a certificate that is no authority' authority --ca-cert "$work/leaf.pem" \
  --ca-key "$work/leaf.key"
refused 'a key without its certificate' ca-cert --ca-key "$work/intermediate.key"

# An origin that only the institution vouches for, and that wants to see a certificate; it tells
# whom it saw, and from where.
certificate inside root subjectAltName=DNS:localhost,IP:127.0.0.1 basicConstraints=CA:FALSE
certificate visitor root basicConstraints=CA:FALSE extendedKeyUsage=clientAuth
chmod 600 "$work/visitor.key"
cat >"$work/inside.mjs" <<'NODE'
import fs from 'node:fs';
import https from 'node:https';
const [folder, maxVersion, demands] = process.argv.slice(2);
const read = (name) => fs.readFileSync(`${folder}/${name}`);
const server = https.createServer({
  cert: read('inside.pem'), key: read('inside.key'), ca: read('root.pem'),
  maxVersion, requestCert: true, rejectUnauthorized: demands === 'demands',
}, (request, response) => {
  const { subject } = request.socket.getPeerCertificate();
  response.end(`${subject?.CN ?? 'nobody'} from ${request.socket.remoteAddress}\n`);
});
server.listen(0, '127.0.0.1', () => {
  fs.writeFileSync(`${folder}/inside-${maxVersion}-${demands}`, String(server.address().port));
});
NODE
kinds=(TLSv1.3-demands TLSv1.2-demands TLSv1.3-asks)
for kind in "${kinds[@]}"; do
  node "$work/inside.mjs" "$work" "${kind%-*}" "${kind#*-}" &
  pids[$!]=$!
done
for kind in "${kinds[@]}"; do wait_for 20 test -s "$work/inside-$kind"; done
"$WARCORDER" ca >"$T/ca.pem"

# says NAME WANT HOST KIND: what the origin of that kind says, or why there is no answer.
says() {
  local got
  got=$(through --cacert "$T/ca.pem" --write-out ' %{http_code}' \
    "https://$3:$(<"$work/inside-$4")/" | tr '\n' ' ' || true)
  if [[ $got =~ $2 ]]; then ok "$1"; else not_ok "$1: ${got:0:300}, not $2"; fi
}
start_recorder unvouched
says 'without upstream-ca an origin of the institution is refused' 'certificate.* 502$' \
  localhost TLSv1.3-asks
stop_recorder
cat >"$work/config.yaml" <<CONFIG
upstream-ca: $work/root.pem
source-address: 127.0.0.5
client-certs:
  - {host: localhost, cert: $work/visitor.pem, key: $work/visitor.key}
CONFIG
start_recorder inside --config "$work/config.yaml"
for kind in "${kinds[@]}"; do
  says "$kind: sees the visitor, from the source address" '^visitor from 127\.0\.0\.5  200$' \
    localhost "$kind"
done
says 'another name is not shown the certificate' '^nobody from 127\.0\.0\.5  200$' \
  127.0.0.1 TLSv1.3-asks
for version in TLSv1.3 TLSv1.2; do
  says "$version: whoever demands one that it is not shown: a page that says so" \
    'client-certs.* 502$' 127.0.0.1 $version-demands
done
stop_recorder
check_warcs
check records "$archive"/*.warc.gz
equal 'what could not be shown is two gaps' "$(gaps | grep -c '"reason": "upstream"')" 2
shown=$(tail -n 3 "$work/visitor.pem" | head -n 1)
secret=$(sed -n 2p "$work/visitor.key")
equal 'no record has the key or the certificate of the visitor' \
  "$(zcat "$archive"/*.warc.gz | grep -acF -e "$shown" -e "$secret")" 0

# Clients that take the port for another kind of proxy.
SSL_CERT_FILE=$T/site.pem start_recorder other-kinds
# told NAME WORD COMMAND...: it ends by itself, and the log says what is wrong.
told() {
  local before begin=$SECONDS
  lines() { grep -ci "\"level\":\"warn\".*$1" "$T/other-kinds.log" || true; }
  before=$(lines "$2")
  timeout 30 "${@:3}" </dev/null >"$work/told" 2>&1 || true
  more() { (($(lines "$1") > before)); }
  if wait_for 5 more "$2" && ((SECONDS - begin < 20)); then ok "$1: the log says what is wrong"
  else not_ok "$1: the log says what is wrong: $((SECONDS - begin)) s, $(<"$work/told")"; fi
}
plain=http://localhost:$(field "$T/ports" http)/plain.json
curl=(curl --disable --silent --show-error --max-time 15 --noproxy '' --proxy-insecure)
chromium=(chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-sync
  --disable-background-networking '--proxy-bypass-list=<-loopback>')
told 'SOCKS 5, curl' socks "${curl[@]}" --socks5 "$address" "$plain"
told 'SOCKS 5 with names, curl' socks "${curl[@]}" --socks5-hostname "$address" "$plain"
told 'SOCKS 5 with password, curl' socks "${curl[@]}" --proxy-user a:b --socks5 "$address" "$plain"
told 'SOCKS 4, curl' socks "${curl[@]}" --socks4 "$address" "$plain"
told 'SOCKS 4a, curl' socks "${curl[@]}" --socks4a "$address" "$plain"
told 'SOCKS 5, Chromium' socks "${chromium[@]}" "--user-data-dir=$work/socks" \
  "--proxy-server=socks5://$address" --dump-dom "$plain"
told 'TLS to the proxy, curl' tls "${curl[@]}" --proxy "https://$address" "$plain"
told 'TLS to the proxy, Chromium' tls "${chromium[@]}" "--user-data-dir=$work/tls" \
  "--proxy-server=https://$address" --dump-dom "$plain"
try 'and HTTP goes on' through --fail --output "$work/body" "$plain"
stop_recorder
