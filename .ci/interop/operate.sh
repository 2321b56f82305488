#!/usr/bin/env bash
# A recorder as it is operated for years, in short: the load of soak.sh, while its settings are reloaded,
# its files finished and its index exported each minute for half an hour (CI_LONG=1), or each 5 s for half
# a minute; OPERATE says for how many seconds else. It does not grow, and loses nothing. At most 3.2 MB of
# bodies a second.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"
if [[ ${CI_LONG-} == 1 ]]; then OPERATE=${OPERATE:-1800}; fi
OPERATE=${OPERATE:-30}
every=$((OPERATE < 600 ? 5 : 60))
(cd "$here/soak" && CGO_ENABLED=0 go build -o "$T/operate-load" .)

# settings N: those that the ledger of the load is right for, whichever N is.
settings() {
  cat <<END
complete: never
timeout: {header: 2s, connect: 5s, tls: 2s, first-byte: 2s, idle: 3s, total: $((600 + $1 % 3))s}
warc-max-size: $((100 + $1 % 2 * 100))MB
warc-prefix: operate-$1
queue-size: $((16 + $1 % 4 * 16))MB
commit-interval: $((20 + $1 % 3 * 30))ms
deny: [nowhere-$1.example]
max-connections: $((1000 + $1))
readers: ["@loopback", 192.0.2.$(($1 % 250))]
warcinfo: {description: "the settings $1"}
END
}
settings 0 >"$T/operate.yaml"
SSL_CERT_FILE=$T/site.pem start_recorder operate --config "$T/operate.yaml"
"$WARCORDER" ca >"$T/operate-ca.pem"
operates() { "$WARCORDER" "$1" --dir "$T/collections" --collection operate "${@:2}"; }

"$T/operate-load" -proxy "$address" -pid "$pid" -ca "$T/operate-ca.pem" -cert "$T/site.pem" -key "$T/site.key" \
  -ledger "$T/operate.ledger" -duration "${OPERATE}s" &
load=$!
pids[load]=$load
is_over() { ! kill -0 "$load" 2>/dev/null; }
taken=0 failed=0 lines=0
while ! wait_for "$every" is_over; do
  settings $((taken + 1)) >"$T/operate.yaml"
  said=$(operates reload 2>&1) && [[ $said == *warc-prefix:* ]] || { failed=1; not_ok "operate: reload: $said"; }
  taken=$((taken + 1))
  said=$(operates rotate 2>&1) || { failed=1; not_ok "operate: rotate: $said"; }
  said=$(operates export -o "$T/operate.now" 2>&1) || { failed=1; not_ok "operate: export: $said"; }
  now=$(wc -l <"$T/operate.now")
  ((now >= lines)) || { failed=1; not_ok "operate: an export has $now lines, and the one before had $lines"; }
  lines=$now
done
wait "$load" || not_ok 'operate: the load broke off'
unset "pids[$load]"
((failed)) || ok "operate: $taken times reloaded, rotated and exported under load"
equal 'operate: the log has each reload' "$(grep -c '"message":"configuration reloaded"' "$T/operate.log")" "$taken"
curl --disable --silent --show-error --fail --noproxy '*' --output "$T/operate.gaps" "http://$address/gaps" \
  || not_ok 'operate: the gap list'
stop_recorder

check_warcs
check records "$archive"/*.warc.gz
export_lines >"$T/operate.cdxj"
check soak "$T/operate.ledger" "$T/operate.cdxj" "$T/operate.gaps" "$archive"
equal 'operate: a file has the settings that it was begun by' \
  "$(find "$archive" -name "operate-$((taken - 1))-*" | wc -l | awk '{print ($1 > 0)}')" 1
rm -rf "$T/collections/operate" "$T"/operate{-load,-ca.pem,.ledger,.cdxj,.gaps,.now,.yaml}
