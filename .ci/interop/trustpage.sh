#!/usr/bin/env bash
# The trust page as a person meets it: in Chromium and Firefox, past the recorder and through it,
# with its certificate trusted and not, by a proxy script, on a phone's screen, light and dark, by
# keyboard alone and without scripts; what it gives to take along, in the hands of openssl, NSS,
# Java, Python and a reader of QR codes; and what a page of another site gets of it, which is
# nothing. Screenshots are left in TRUSTPAGE_SHOTS, if that is set.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

work=$T/trustpage
shots=${TRUSTPAGE_SHOTS:-$work/shots}
mkdir -p "$work" "$shots"
start_recorder other
other=$address
start_recorder trustpage --listen 0.0.0.0:0 --clients '@loopback,@private'
address=127.0.0.1:${address##*:}
own=http://$address
get() { curl --disable --silent --show-error --fail --noproxy '*' "$@"; }

# What is to be taken along.
type_of() { get --output "$work/$1" --write-out '%{content_type}' "$own/$1"; }
for pair in ca.pem=application/x-pem-file ca.crt=application/x-x509-ca-cert \
  ca.p12=application/x-pkcs12 ca.mobileconfig=application/x-apple-aspen-config \
  proxy.pac=application/x-ns-proxy-autoconfig; do
  equal "the type of ${pair%%=*}" "$(type_of "${pair%%=*}")" "${pair#*=}"
done
"$WARCORDER" ca >"$work/want.pem"
finger() { openssl x509 -noout -fingerprint -sha256 "$@"; }
want=$(finger -in "$work/want.pem")
equal 'openssl: PEM' "$(finger -in "$work/ca.pem")" "$want"
equal 'openssl: DER' "$(finger -inform DER -in "$work/ca.crt")" "$want"
equal 'openssl: PKCS#12' \
  "$(openssl pkcs12 -in "$work/ca.p12" -passin pass:changeit -nokeys -legacy | finger)" "$want"
profile() {
  "$VENV/bin/python" -c '
import plistlib, sys
print(plistlib.load(open(sys.argv[1], "rb"))["PayloadContent"][0]["PayloadContent"].hex())' "$work/ca.mobileconfig"
}
equal 'plistlib: the profile' "$(profile)" "$(od -An -tx1 -v "$work/ca.crt" | tr -d ' \n')"
mkdir -p "$work/nss"
certutil -d "sql:$work/nss" -N --empty-password
try 'NSS: DER' certutil -d "sql:$work/nss" -A -t C,, -n der -i "$work/ca.crt"
if keytool -list -keystore "$work/ca.p12" -storepass changeit 2>&1 | grep -qi trustedCertEntry; then
  ok 'keytool: PKCS#12 as a trust store'
else
  not_ok 'keytool: PKCS#12 as a trust store'
fi
get "$own/trust" >"$work/trust.html"
try 'the page has the fingerprint that openssl finds' grep -q "${want#*=}" "$work/trust.html"
get --user-agent 'Mozilla/5.0 (iPhone)' "$own/trust" >"$work/iphone.html"
steps() { grep -o '<h2 id="here">[^<]*' "$work/iphone.html"; }
equal 'an iPhone gets its own steps first' "$(steps)" '<h2 id="here">iPhone and iPad'

# The QR code is one that a phone reads, and leads to the page.
cat >"$work/qr.mjs" <<'NODE'
import { createRequire } from 'node:module';
const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-proxy-server'] });
const page = await browser.newPage({ colorScheme: 'dark' });
await page.goto(process.argv[2]);
if (await page.locator('svg.qr').count()) await page.locator('svg.qr').screenshot({ path: process.argv[3] });
await browser.close();
NODE
try 'the page with the QR code' timeout 60 node "$work/qr.mjs" "$own/trust" "$work/qr.png"
if [[ -e $work/qr.png ]]; then
  url=$(zbarimg --nodbus --quiet --raw "$work/qr.png" || true)
  try "the QR code leads to the page: $url" get --output "$work/by-qr.html" "$url"
  equal 'which is the trust page' "$(grep -c 'id="fingerprint"' "$work/by-qr.html")" 1
else
  equal 'no QR code, as this machine has no network' "$(ip route | grep -c default)" 0
fi

# The page in browsers. look TRUST BROWSER PROXY NAME URL=VERDICT...
new_home "$work/trusted"
mkdir -p "$work/untrusted"
look() {
  local profile
  for profile in "$work/profile-$2-$4" "$work/profile-$2-$4-again"; do
    mkdir -p "$profile"
    if [[ $1-$2 == trusted-firefox ]]; then
      certutil -d "sql:$profile" -N --empty-password
      certutil -d "sql:$profile" -A -t C,, -n warcorder -i "$T/ca.pem"
    fi
    if HOME=$work/$1 timeout 100 node "$here/trustpage/look.mjs" "$2" "$profile" "$3" "$shots" "${@:4}" \
      >"$work/out" 2>"$work/err"; then break; fi
    echo "not ok - $2, $4: $(grep -m 1 Error "$work/err")" >>"$work/out"
  done
  cat "$work/out"
}
name=http://warcorder.internal/
for browser in chromium firefox; do
  look untrusted $browser - past "$own/trust=no/no"
  look untrusted $browser "$address" through-untrusted "$own/trust=yes/untrusted" "$name=yes/untrusted" \
    "http://$other/trust=other/other"
  look trusted $browser "$address" through-trusted-dark "$own/trust=yes/yes" "$name=yes/yes" \
    "https://warcorder.internal/=yes/yes"
  look untrusted $browser "$own/proxy.pac" by-script "$own/trust=yes/untrusted" "$name=yes/untrusted"
done
look untrusted chromium - noscript "$own/trust=/"

# A page of another site. In a browser that trusts the certificate it has more ways.
HOME=$work/trusted timeout 120 node "$here/trustpage/attack.mjs" "$work/profile-attack" "$address" \
  || not_ok 'attack.mjs broke off'

# Nothing of all that is in the archive, in the gaps or in the log.
"$WARCORDER" gaps --dir "$T/collections" --collection trustpage --json -n 0 >"$work/gaps"
stop_recorder
equal 'the archive, the gaps and the log know nothing of it' \
  "$(cat "$work/gaps" "$T/trustpage.log" <(export_lines) | grep -c 'warcorder\.internal' || true)" 0
