#!/usr/bin/env bash
# A body that comes again is kept once, if nothing else was asked for: two pages of the site show the same
# bodies at URLs of their own, chunked and not, gzip and not, and the first page
# is asked for again, with a condition (304). Shows that the records of the
# second page are revisits that name their originals, and that pywb and
# replayweb.page replay them to the original's bytes.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

SSL_CERT_FILE=$T/site.pem start_recorder revisits
new_home "$T/home-revisits"
for number in 1 2 1; do # the cache lasts from one to the next
  HOME=$T/home-revisits node "$here/drive.mjs" "$address" "$T/ports" "$T/profile-revisits" \
    "/revisits?page=$number" \
    || not_ok "Chromium over page $number"
done
fetch_same "$T/client-revisits"
stop_recorder
check_warcs
export_lines >"$T/revisits.cdxj"
try 'export with revisits is sorted' env LC_ALL=C sort -c "$T/revisits.cdxj"
check lines "$T/revisits.cdxj" "$archive"
revisits() { "$VENV/bin/python" "$here/revisits.py" "$@" || not_ok "revisits.py $1 broke off"; }
revisits records "$T/log" "$archive" "$T/revisits.cdxj"

"$WARCORDER" export --all --dir "$T/collections" --collection revisits 2>>"$T/revisits.log"
if start_pywb; then revisits replay "$T/log" "$archive" "$T/revisits.cdxj" "$pywb"; fi

asked=$(wc -l <"$T/log")
for number in 1 2; do
  HOME=$T/home-revisits timeout 100 node "$here/render.mjs" "$archive"/*.warc.gz \
    "http://localhost:$(field "$T/ports" http)/revisits?page=$number" \
    'the script ran' "$T/profile-render-$number" || not_ok "replayweb.page over page $number"
done
try 'nothing of the replay came from the site itself' test "$(wc -l <"$T/log")" = "$asked"
