#!/usr/bin/env bash
# Clients that were not given the root certificate, by the TLS library that each
# has: OpenSSL, GnuTLS, Node.js, Python, Java and Chromium. Each must be one or
# more gaps `refused` that say what to do. And a browser that was given it, and
# closes connections as browsers do, none.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

site=https://localhost:$(field "$T/ports" https)/plain.json
SSL_CERT_FILE=$T/site.pem start_recorder distrust
gaps() { "$WARCORDER" gaps --dir "$T/collections" --collection distrust --json 2>>"$T/distrust.log"; }
told() { gaps | grep -c 'trust the certificate.*/trust says' || true; }

# distrusts NAME COMMAND...: it fails, and is told of.
distrusts() {
  local name=$1 before
  before=$(told)
  shift
  if timeout 60 "$@" </dev/null >"$T/distrust.out" 2>&1 \
    && ! grep -q 'ERR_CERT\|PKIX\|CERTIFICATE\|SELF_SIGNED\|UNABLE_TO' "$T/distrust.out"; then
    not_ok "$name without the root certificate fails: $(head -c 200 "$T/distrust.out")"
    return
  fi
  more() { (($(told) > before)); }
  if wait_for 20 more; then
    ok "$name without the root certificate is a gap that says what to do"
  else
    not_ok "$name without the root certificate is a gap: $(tail -n 2 "$T/distrust.log")"
  fi
}
distrusts 'curl (OpenSSL)' curl --disable --silent --show-error --noproxy '' --proxy "http://$address" "$site"
distrusts 'wget (GnuTLS)' env "https_proxy=http://$address" no_proxy= wget --quiet --tries 1 --output-document - "$site"
distrusts Python env "https_proxy=http://$address" no_proxy= "$VENV/bin/python" -c \
  'import sys, urllib.request as u; u.build_opener(u.ProxyHandler({"https": sys.argv[1]})).open(sys.argv[2])' \
  "http://$address" "$site"
cat >"$T/distrust.mjs" <<'NODE'
import net from 'node:net';
import tls from 'node:tls';
const [proxy, target] = process.argv.slice(2).map((url) => new URL(url));
const head = `CONNECT ${target.host} HTTP/1.1\r\nHost: ${target.host}\r\n\r\n`;
const socket = net.connect(proxy.port, proxy.hostname, () => socket.write(head));
socket.once('data', () => tls.connect({ socket, servername: target.hostname })
  .on('error', (error) => { throw error; }));
NODE
distrusts Node.js node "$T/distrust.mjs" "http://$address" "$site"
cat >"$T/Distrust.java" <<'JAVA'
import java.net.*;
public class Distrust {
  public static void main(String[] a) throws Exception {
    String[] at = a[0].split(":");
    var proxy = new Proxy(Proxy.Type.HTTP, new InetSocketAddress(at[0], Integer.parseInt(at[1])));
    URI.create(a[1]).toURL().openConnection(proxy).getInputStream().close();
  }
}
JAVA
distrusts Java java "$T/Distrust.java" "$address" "$site"
distrusts Chromium chromium --headless --no-sandbox --disable-gpu \
  "--user-data-dir=$T/distrusting" "--proxy-server=http://$address" \
  '--proxy-bypass-list=<-loopback>' --dump-dom "$site"
stop_recorder

SSL_CERT_FILE=$T/site.pem start_recorder trusting
new_home "$T/trusting-home"
HOME=$T/trusting-home node "$here/drive.mjs" "$address" "$T/ports" "$T/trusting-profile" >"$T/trusting.out" \
  || not_ok 'Chromium over the site'
stop_recorder
if "$WARCORDER" gaps --dir "$T/collections" --collection trusting --json | grep -q 'trust the certificate'; then
  not_ok "a browser that trusts the certificate is not accused:" \
    "$("$WARCORDER" gaps --dir "$T/collections" --collection trusting | grep trust | head -n 2)"
else
  ok 'a browser that trusts the certificate is not accused'
fi
