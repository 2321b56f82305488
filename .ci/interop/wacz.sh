#!/usr/bin/env bash
# What is recorded is packed into WACZ files: whole, selected, in parts, while it is recorded, through a
# pipe. Shows that py-wacz finds them valid, that cdxj-indexer and warcio.js find the captures that our
# index has, and that replayweb.page opens them: by a list of parts, by an index in members, with pages,
# a search by their texts, and a signature that holds.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"
work=$T/wacz
mkdir "$work"
warcio=$PACKERS/node_modules/warcio/dist/cli.js
wacz() { "$WARCORDER" wacz --dir "$T/collections" --collection "$collection" "$@" 2>>"$T/wacz.log" </dev/null; }
judge() { "$VENV/bin/python" "$here/wacz/check.py" "$@" || not_ok "wacz/check.py $1 broke off"; }
valid() { try "py-wacz finds $1 valid" "$PACKERS/python/bin/wacz" validate -f "$work/$1"; }
site=http://localhost:$(field "$T/ports" http)

SSL_CERT_FILE=$T/site.pem start_recorder wacz --warc-max-size 4MB
new_home "$T/home-wacz"
curl --disable --silent --noproxy '' --proxy "http://$address" --output /dev/null "$site/search?n=[1-1800]&q=zzz"
fetch_all "$work/client"
# visit PATH: in Chromium; the page must work.
visit() {
  HOME=$T/home-wacz node "$here/drive.mjs" "$address" "$T/ports" "$T/profile-wacz" "$1" >>"$work/visits" \
    || not_ok "Chromium over $1"
}
visit /
visit /posts
visit '/revisits?page=1'
visit '/revisits?page=2'
if grep '^not ok' "$work/visits"; then not_ok 'the pages work while they are recorded'; fi
try 'a collection is packed while it is recorded' wacz -o "$work/running.wacz" --url "$site/" --match host
stop_recorder
valid running.wacz
export_replayed >"$work/export.cdxj"

try 'whole, with texts and a signature' wacz -o "$work/whole.wacz" --text --sign --title 'All of it'
try 'a page with its resources' wacz -o "$work/page.wacz" --page "$site/revisits?page=2" --title 'One page'
try 'in parts' wacz -o "$work/part.wacz" --split 5MB --text --title 'In parts'
wacz -o - >"$work/piped.wacz" || not_ok 'through a pipe'
parts=("$work"/part-*.wacz)
try 'more than one part' test "${#parts[@]}" -gt 1
try 'parts of at most 5 MB' test -z "$(find "$work" -name 'part-*.wacz' -size +5000000c)"
validating=()
for file in whole page piped "${parts[@]##*/}"; do
  valid "${file%.wacz}.wacz" &
  validating+=($!)
done
wait "${validating[@]}"
judge form "$work/whole.wacz"
try 'an index in members' test -n "$(unzip -l "$work/whole.wacz" | grep index.idx)"
judge captures "$warcio" "$work/whole.wacz" "$work/unpacked"
judge captures "$warcio" "$work/page.wacz" "$work/unpacked-page"
judge together "$work/export.cdxj" "$work/whole.wacz"
judge together "$work/export.cdxj" "${parts[@]}"
equal 'the text of a page' "$(judge text "$work/whole.wacz" "$site/")" \
  "$(grep -o '<h1>.*</h1>' "$here/page/index.html" | sed 's/<[^>]*>//g')"

asked=$(wc -l <"$T/log")
# shows ARCHIVE PATH TEXT: the page in replayweb.page, from the archive alone.
shows() {
  HOME=$T/home-wacz timeout 100 node "$here/render.mjs" "$work/$1" "$site$2" "$3" "$T/profile-wacz-$1" \
    || not_ok "replayweb.page over $1"
}
look() {
  HOME=$T/home-wacz timeout 100 node "$here/wacz/look.mjs" "$work/$1" "${@:2}" "$T/profile-wacz-look-$1" \
    || not_ok "replayweb.page over $1 broke off"
}
shows whole.wacz '/revisits?page=1' 'the script ran'
shows page.wacz '/revisits?page=2' 'the script ran'
shows part.json '/revisits?page=1' 'the script ran'
judge pages "$work/whole.wacz" >"$work/pages"
look whole.wacz 'All of it' "$work/pages" IIII 2 yes
judge pages "${parts[@]}" >"$work/pages-parts"
look part.json 'In parts' "$work/pages-parts" IIII 2 no
try 'nothing of the replay came from the site itself' test "$(wc -l <"$T/log")" = "$asked"
rm -rf "$work" "$T/collections/wacz"
