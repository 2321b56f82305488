#!/usr/bin/env bash
# Parts of a page, each asked for twice: of one URL alone, of another before the whole comes. Shows that what
# came again is a revisit, which warcio, cdxj-indexer, pywb and replayweb.page take and our referee has nothing
# against, and that pywb gets no line of a part where the whole is there, and shows the whole.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

SSL_CERT_FILE=$T/site.pem start_recorder parts --complete never
"$WARCORDER" ca >"$T/ca.pem"
touch "$T/log" # of the site, by now
asked=$(wc -l <"$T/log")
client=$T/client-parts
mkdir "$client"
for round in 1 2; do
  fetch "clip-first-$round" /clip --range 0-5999
  fetch "clip-last-$round" /clip --range 6000-11999
  fetch "alone-$round" '/clip?alone' --range 0-5999
done
fetch clip-whole /clip
fetch other-whole '/tagged'
fetch not-modified /tagged --header 'If-None-Match: "one"'
stop_recorder
check_warcs
try 'verify has nothing against revisits of parts' "$WARCORDER" verify --dir "$T/collections" --collection parts
check records "$archive"/*.warc.gz
tail -n +$((asked + 1)) "$T/log" >"$T/log-parts"
check verbatim "$T/log-parts" "$client" "$archive"/*.warc.gz

export_lines >"$T/parts.cdxj"
again=$(grep '"mime":"warc/revisit"' "$T/parts.cdxj" | grep -c '"status":"206"' || true)
try "$again parts came again, and are revisits" test "$again" -ge 6
"$VENV/bin/cdxj-indexer" --sort "$archive"/*.warc.gz >"$T/parts-theirs.cdxj"
check cdxj "$T/parts.cdxj" "$T/parts-theirs.cdxj"
export_replayed >"$T/parts-replayed.cdxj"
check parts "$T/parts.cdxj" "$T/parts-replayed.cdxj" "$archive"

"$WARCORDER" export --dir "$T/collections" --collection parts 2>>"$T/parts.log"
if start_pywb; then
  check replay "$T/parts-replayed.cdxj" "$archive" "$pywb"
  check whole "$T/parts.cdxj" "$T/parts-replayed.cdxj" "$archive" "$pywb"
fi
timeout 100 node "$here/render.mjs" "$archive"/*.warc.gz "http://localhost:$(field "$T/ports" http)/clip" \
  'the end of the clip' "$T/profile-parts" || not_ok 'replayweb.page over the page in parts'
