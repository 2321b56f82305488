#!/usr/bin/env bash
# An origin whose certificate nobody vouches for: 502 with the reason, and with
# --insecure-upstream recorded all the same, with a metadata record that says so.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

"$WARCORDER" ca >"$T/ca.pem"
url=https://localhost:$(field "$T/ports" https)/plain.json
fetch() {
  curl --disable --silent --max-time 30 --noproxy '' --proxy "http://$address" --cacert "$T/ca.pem" \
    --output "$T/untrusted.body" --write-out '%{http_code}' "$url"
}

start_recorder refused
status=$(fetch || true)
if [[ $status == 502 ]] && grep -qi certificate "$T/untrusted.body"; then
  ok 'an untrusted origin is answered with 502 and the reason'
else
  not_ok "an untrusted origin is answered with 502 and the reason: $status, $(head -c 200 "$T/untrusted.body")"
fi
stop_recorder

start_recorder insecure --insecure-upstream=true
status=$(fetch || true)
if [[ $status == 200 ]]; then
  ok '--insecure-upstream records it'
else
  not_ok "--insecure-upstream records it: $status"
fi
stop_recorder
check_warcs
check records "$archive"/*.warc.gz
metadata() { "$VENV/bin/warcio" extract --payload "$archive"/*.warc.gz "$1"; }
offset=$("$VENV/bin/warcio" index --fields offset,warc-type "$archive"/*.warc.gz \
  | grep '"metadata"' | grep -o '[0-9]\+' | head -n 1 || true)
if [[ -n $offset ]] && metadata "$offset" | grep -qi certificate; then
  ok 'a metadata record names the problem of the certificate'
else
  not_ok 'a metadata record names the problem of the certificate'
fi
