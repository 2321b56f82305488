#!/usr/bin/env bash
# What pages of other sites, open in the browser of somebody who may read, get of
# the recorder's own pages: another port, another name, a foreign site, an opaque
# origin, a name that is made to point at us. Real Chromium, which holds the
# cookie; on loopback, and at an address where browsers send no Sec-Fetch fields.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

beyond=$(ip -4 -o address show scope global | awk 'NR == 1 {sub("/.*", "", $4); print $4}')
both=@loopback${beyond:+,$beyond}
start_recorder origins ${beyond:+--listen 0.0.0.0:0} --clients "$both" --readers "$both" --allow @loopback
curl --disable --fail --silent --show-error --noproxy '' --proxy "http://127.0.0.1:${address##*:}" \
  --output /dev/null "http://localhost:$(field "$T/ports" http)/search?q=the-secret" || not_ok 'something is recorded'
[[ $beyond ]] || echo '# this machine has no address beyond loopback: not tried'

node "$here/origins.mjs" "${address##*:}" "$T/collections/origins/recorder.token" "$T/profile-origins" $beyond \
  || not_ok 'origins.mjs broke off'
told=$(grep -F "$(<"$T/collections/origins/recorder.token")" "$T/origins.log" || true)
try 'the log does not tell the token' test -z "$told"
stop_recorder
