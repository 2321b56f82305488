#!/usr/bin/env bash
# A minute of load by 32 clients (ten with CI_LONG=1, or as long as SOAK says), a
# tenth of it broken on purpose: the recorder does not grow, is at rest afterwards, and its files and
# index hold what the clients saw, neither more nor less. At most 2 GB of bodies.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

free=$(df --output=avail --block-size=1 "$T" | tail -n 1)
if ((free < 4 << 30)); then
  not_ok "soak: $((free >> 20)) MiB are free below the temporary folder, 4096 are needed (set TMPDIR)"
  exit 1
fi
if [[ ${CI_LONG-} == 1 ]]; then SOAK=${SOAK:-10m}; fi
cd "$here/soak"
try 'soak: what judges growth can tell a leak' go test .
CGO_ENABLED=0 go build -o "$T/soak" .

# What is broken on purpose is not asked for again: the ledger has each exchange once.
SSL_CERT_FILE=$T/site.pem start_recorder soak --warc-max-size 200MB --complete never \
  --timeout-header 2s --timeout-connect 5s --timeout-tls 2s --timeout-first-byte 2s --timeout-idle 3s
"$WARCORDER" ca >"$T/ca.pem"
"$T/soak" -proxy "$address" -pid "$pid" -ca "$T/ca.pem" -cert "$T/site.pem" -key "$T/site.key" \
  -ledger "$T/soak.ledger" -duration "${SOAK:-1m}" || not_ok 'soak: the load broke off'
curl --disable --silent --show-error --fail --noproxy '*' --output "$T/soak.gaps" "http://$address/gaps" \
  || not_ok 'soak: the gap list'
stop_recorder

begin=$SECONDS
check_warcs
check records "$archive"/*.warc.gz
export_lines >"$T/soak.cdxj"
try 'soak: the export is sorted' env LC_ALL=C sort -c "$T/soak.cdxj"
check soak "$T/soak.ledger" "$T/soak.cdxj" "$T/soak.gaps" "$archive"
echo "# soak: $(du -sm "$T/collections/soak" | cut -f 1) MB in" \
  "$(find "$archive" -name '*.warc.gz' | wc -l) files, checked in $((SECONDS - begin)) s"
rm -rf "$T/collections/soak" "$T"/soak{,.ledger,.cdxj,.gaps}
