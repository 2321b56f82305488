#!/usr/bin/env bash
# The live page as a person uses it: a Chromium looks at it, by keyboard alone, while another one is
# recorded on sites of which some things are cut, refused and not there. What the page shows is held
# against the files, the exports and what the sites were asked.
#
# LIVE_STEPS names some of the steps, of which live/ has a module each. Screenshots of all views are left
# in LIVE_SHOTS, if that is set.
set -euo pipefail
names='www.example.org static.example.org news.example.org'
. "$(dirname "$0")/fresh.sh"
: "${LIVE_STEPS:=rows filter detail state remove control search capture unseen views longer}"
read -ra steps <<<"$LIVE_STEPS"

if out=$(node --test "$here"/live/pure/ 2>&1); then ok 'live: the modules that need no document'; else
  not_ok "live: the modules that need no document: $(grep -A 8 '^not ok' <<<"$out" | tr '\n' ' ')"; fi
lint=("$ESLINT/node_modules/eslint/bin/eslint.js" --config .ci/interop/live/eslint.config.mjs)
if out=$(cd "$here/../.." && node "${lint[@]}" proxy/admin/live/assets .ci/interop/live 2>&1); then
  ok 'live: ESLint knows all names, and each is used'; else
  not_ok "live: ESLint: $(head -n 12 <<<"$out" | tr '\n' ' ')"; fi
bash "$here/live/vendored.sh" "$VENDORED" || not_ok 'live: vendored.sh broke off'

echo '127.0.0.9 gone.example.net' >>"$work/hosts" # where nobody listens

node "$here/live/site.mjs" "$work/site.pem" "$work/site.key" "$work/asked" >"$work/site.log" 2>"$work/site.err" &
pids[$!]=$!
wait_for 20 grep -qx up "$work/site.log" || not_ok "live: the sites are there: $(head -n 3 "$work/site.err")"
start_recorder seen
new_home "$HOME"
LIVE=$address COLLECTION=$T/collections/seen ASKED=$work/asked node "$here/live/run.mjs" "${steps[@]}" \
  || not_ok 'live: run.mjs broke off'
stop_recorder
