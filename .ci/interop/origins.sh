#!/usr/bin/env bash
# What pages of other sites, open in the browser of somebody who may read, get of
# the recorder's own pages: another port, another name, a foreign site, an opaque
# origin, a name that is made to point at us. Real Chromium, which holds the
# cookie; on loopback, and at an address where browsers send no Sec-Fetch fields.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

beyond=$(ip -4 -o address show scope global | awk 'NR == 1 {sub("/.*", "", $4); print $4}')
start_recorder origins ${beyond:+--listen "0.0.0.0:0" --clients "@loopback,$beyond" --readers "@loopback,$beyond"}
curl --disable --silent --show-error --noproxy '' --proxy "http://127.0.0.1:${address##*:}" --output /dev/null \
  "http://localhost:$(field "$T/ports" http)/search?q=the-secret" || not_ok 'something is recorded'
[[ $beyond ]] || echo '# this machine has no address beyond loopback: not tried'

node "$here/origins.mjs" "${address##*:}" "$T/collections/origins/recorder.token" "$T/profile-origins" $beyond \
  || not_ok 'origins.mjs broke off'
try 'the log does not tell the token' test -z "$(grep -F "$(<"$T/collections/origins/recorder.token")" "$T/origins.log")"
stop_recorder
