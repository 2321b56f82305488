#!/usr/bin/env bash
# What was recorded as HAR: a page in Chromium and answers of every kind by curl are recorded, and
# written by `warcorder har`. Each exchange of the origin's log is in it, as its bytes were; a
# validator from npm, the importer of Chromium's developer tools and Playwright take it, and the page
# replays from it in Playwright as well as from a HAR that Playwright has made itself.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

SSL_CERT_FILE=$T/site.pem start_recorder har
touch "$T/log" # of the site, by now
asked=$(wc -l <"$T/log")
new_home "$T/home-har"
HOME=$T/home-har node "$here/har.mjs" record "$address" "$T/ports" "$T/profile-har" "$T/playwright.har" \
  || not_ok 'Chromium over the site'
fetch_all "$T/client-har"
to_har() { "$WARCORDER" har --dir "$T/collections" --collection har "$@" 2>>"$T/har.log"; }
has_recorded_all
has_all() { to_har -o "$T/beside.har" && (($(grep -c '"request":{' "$T/beside.har") == $(wc -l <"$T/log") - asked)); }
wait_for 10 has_all || not_ok 'har beside the recorder has all'
stop_recorder
try 'har of a collection at rest' to_har -o "$T/ours.har"
equal 'har -o - prints the same' "$(to_har -o - | sha256sum)" "$(sha256sum <"$T/ours.har")"
equal 'har beside the recorder had the same' "$(sha256sum <"$T/beside.har")" "$(sha256sum <"$T/ours.har")"
equal 'har of one URL has its exchanges alone' \
  "$(to_har --url "http://localhost:$(field "$T/ports" http)/plain.json" -o - | grep -c '"url":"[^"]*/plain.json"')" \
  "$(grep -c '"url":"http:[^"]*/plain.json"' "$T/ours.har")"
export_lines >"$T/har.cdxj"
tail -n +$((asked + 1)) "$T/log" >"$T/log-har"
node "$here/har.mjs" check "$T/ours.har" "$T/har.cdxj" "$T/log-har" "$T/ports" || not_ok 'har.mjs check broke off'
HOME=$T/home-har node "$here/har.mjs" clients "$T/ours.har" "$T/playwright.har" "$T/ports" \
  || not_ok 'har.mjs clients broke off'
