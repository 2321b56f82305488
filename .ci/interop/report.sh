#!/usr/bin/env bash
# What `warcorder report` says of pages: a site gives an answer that breaks off, none at all, 403, 429,
# 503, a challenge, a part and a coding that nobody has asked for, and names a host that the recorder
# may not reach. Chromium opens a page that is whole, and two others at the same time in two tabs; curl
# goes to a page, and to one that does not come. Each thing is found once, under its own page.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

node "$here/report/site.mjs" "$T/report-ports" &
pids[$!]=$!
site_is_up() { [[ -e $T/report-ports ]]; }
wait_for 20 site_is_up
start_recorder reported --complete never --deny 127.0.0.2
new_home "$T/home-report"
HOME=$T/home-report node "$here/report/drive.mjs" visit "$address" "$T/report-ports" "$T/profile-report" \
  || not_ok 'Chromium over the site on which much goes wrong'
site=http://localhost:$(field "$T/report-ports" pages)
for path in /whole /none?curl; do
  curl --disable --silent --noproxy '' --proxy "http://$address" --header 'Sec-Fetch-Mode: navigate' \
    --header 'Sec-Fetch-Dest: document' --output /dev/null "$site$path" || not_ok "curl $path"
done

report() { "$WARCORDER" report --dir "$T/collections" --collection reported "$@" 2>>"$T/report.log" || (($? == 1)); }
captures() { "$WARCORDER" export --all --dir "$T/collections" --collection reported -o - 2>>"$T/report.log" | wc -l; }
has_all() { (($(captures) >= 22)); }
wait_for 20 has_all || not_ok 'all is in the index'
report --json >"$T/report.json"
equal 'GET /pages/report gives the same' "$(curl --disable --silent --noproxy '*' "http://$address/pages/report" \
  | sha256sum)" "$(sha256sum <"$T/report.json")"
stop_recorder
equal 'report at rest gives the same' "$(report --json | sha256sum)" "$(sha256sum <"$T/report.json")"
node "$here/report/drive.mjs" check "$T/report.json" "$T/report-ports" || not_ok 'the check of the report broke off'
"$WARCORDER" rebuild --dir "$T/collections" --collection reported 2>>"$T/report.log" || not_ok 'rebuild'
equal 'report after rebuild gives the same' "$(report --json | sha256sum)" "$(sha256sum <"$T/report.json")"
equal 'report of a page' "$(report --page "$site/whole" | grep -c ': whole$')" 2
