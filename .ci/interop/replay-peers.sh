#!/usr/bin/env bash
# What other replayers lose of what ours replays: the walks of replay.sh over the same recordings, in
# pywb as a proxy, in pywb that rewrites, in replayweb.page; and in mitmdump, which records for itself.
# None of the origins runs any more. Prints the table of doc/replay.md, and shows that ours loses the
# least at each site. It takes a quarter of an hour: CI runs it with CI_LONG=1 alone.
#
# REPLAY_SITES names some of the sites.
set -euo pipefail
. "$(dirname "$0")/replay/record.sh"

trust_root() { certutil -d "sql:$HOME/.pki/nssdb" -A -t C,, -n "$1" -i "$2"; }

# replayed SITE REPLAYER FROM [RECORDED]: the walk again. Where it ends early, that is what is counted.
replayed() {
  local folder=$T/seen/$1/$2
  rm -rf "$work/profile" "$folder"
  timeout 300 node "$here/replay/walk.mjs" "$1" "$3" "$work/profile" "$folder" \
    >"$T/walk.log" 2>&1 || true
  "$VENV/bin/python" "$here/replay/peers.py" count "$T/seen/$1/${4:-recorded}" "$folder" \
    | sed "s/^/# $1, $2: /" || true
}

start() { # COMMAND...: sets job
  "$@" </dev/null >>"$T/peers.log" 2>&1 &
  job=$!
  pids[job]=$job
}
stop() { # what start has started
  kill "$job"
  wait "$job" || true
  unset "pids[$job]"
}
ours() {
  port=$(free_port)
  start "$WARCORDER" replay --listen "127.0.0.1:$port" --dir "$T/collections" --collection "replay-$1"
  wait_for 20 listens "$port" || not_ok "$1: warcorder replay starts"
  replayed "$1" warcorder "127.0.0.1:$port"
  stop
}

# start_mitmdump OPTION...: sets port.
start_mitmdump() {
  port=$(free_port)
  start "$MITMPROXY/bin/mitmdump" --quiet --listen-host 127.0.0.1 --listen-port "$port" \
    --set "confdir=$work/mitmproxy" "$@"
  wait_for 60 listens "$port" || not_ok 'mitmdump starts'
}
record_by_mitmdump() {
  mkdir -p "$T/seen/$1"
  start_mitmdump --set "ssl_verify_upstream_trusted_ca=$work/trusted.pem" --save-stream-file "$T/seen/$1/flows"
  if [[ ! -e $work/mitmproxy/trusted ]]; then
    trust_root mitmproxy "$work/mitmproxy/mitmproxy-ca-cert.pem"
    touch "$work/mitmproxy/trusted"
  fi
  walk "$1" "127.0.0.1:$port" "$T/seen/$1/recorded-mitmdump" || true
  stop
}
# By default an answer is given once, what is missing is fetched, and the origin is asked for its
# certificate.
mitmdump() {
  start_mitmdump --server-replay "$T/seen/$1/flows" --set server_replay_reuse=true \
    --set server_replay_extra=404 --set connection_strategy=lazy --set upstream_cert=false
  replayed "$1" mitmdump "127.0.0.1:$port" recorded-mitmdump
  stop
}

# As a proxy it rewrites as well, unless it is told not to; without a frame a page is found at the top.
pywb_and_replayweb() {
  local folder=$work/pywb-$1
  collection=replay-$1
  "$WARCORDER" export --dir "$T/collections" --collection "$collection" 2>>"$T/peers.log"
  mkdir -p "$folder"
  ln -sfn "$T/collections" "$folder/collections"
  printf 'framed_replay: false\nproxy:\n  coll: %s\n  enable_content_rewrite: false\n' "$collection" \
    >"$folder/config.yaml"
  if start_pywb "$folder"; then
    openssl x509 -in "$folder/proxy-certs/pywb-ca.pem" -out "$work/pywb.pem"
    trust_root "pywb-$1" "$work/pywb.pem"
    replayed "$1" pywb-proxy "${pywb%/*}"
    replayed "$1" pywb "pywb=$pywb"
    end_all
  fi
  "$VENV/bin/python" "$here/whole/wacz.py" "$T/collections/$collection" https://example.org/ "$work/$1.wacz"
  replayed "$1" replayweb "replayweb=$work/$1.wacz"
  rm "$work/$1.wacz"
}

record_sites record_by_mitmdump
for site in "${sites[@]}"; do
  ours "$site"
  pywb_and_replayweb "$site"
  mitmdump "$site"
done
echo "# $("$VENV/bin/pip" list --format freeze --disable-pip-version-check | grep -x 'pywb==.*')," \
  "replayweb.page ${REPLAYWEB##*-}, $("$MITMPROXY/bin/mitmdump" --version | head -n 1)," \
  "$(chromium --version 2>/dev/null)"
"$VENV/bin/python" "$here/replay/peers.py" table "$T/seen" "${sites[@]}" || not_ok 'peers.py broke off'
