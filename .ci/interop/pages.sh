#!/usr/bin/env bash
# The pages of a collection, held against what browsers have shown: a real Chromium and a real
# Firefox walk over sites through the recorder, and their drivers say which documents their tabs have
# shown, and for which of them each request was made. The same pages are there beside the recorder,
# when it has ended, and in an index that is made anew.
#
# REPLAY_SITES names some of the sites, of which replay/sites/ has one each.
set -euo pipefail
: "${REPLAY_SITES:=visits policy spa interop}"
. "$(dirname "$0")/replay/record.sh"
cat /etc/ssl/certs/ca-certificates.crt "$T/site.pem" >"$work/trusted.pem"
new_home "$HOME"

pages() { "$WARCORDER" pages --json --dir "$T/collections" --collection "$collection" 2>>"$T/$collection.log"; }

# visit BROWSER SITE
visit() {
  local seen=$work/$1-$2
  rm -rf "$work/profile"
  mkdir -p "$work/profile" "$seen"
  if [[ $1 == firefox ]]; then
    certutil -d "sql:$work/profile" -N --empty-password
    certutil -d "sql:$work/profile" -A -t C,, -n warcorder -i "$CA"
  fi
  SSL_CERT_FILE=$work/trusted.pem start_recorder "pages-$1-$2"
  node "$here/pages/walk.mjs" "$1" "$2" "$address" "$work/profile" "$seen/visited.json" 2>"$seen/walk.log" \
    || not_ok "$1, $2: the walk: $(head -n 12 "$seen/walk.log" | tr '\n' ' ')"
  curl --disable --silent --fail --noproxy '*' --output /dev/null --request POST "http://$address/settle" \
    --header "Authorization: Bearer $(<"$T/collections/$collection/recorder.token")" # all is in the index
  pages >"$seen/beside"
  stop_recorder
  pages >"$seen/pages"
  # What the recorder completes by itself may come later.
  equal "$1, $2: the same pages beside the recorder" "$(sed 's/"resources":[0-9]*//' "$seen/beside")" \
    "$(sed 's/"resources":[0-9]*//' "$seen/pages")"
  "$WARCORDER" har --dir "$T/collections" --collection "$collection" -o "$seen/all.har" 2>>"$T/$collection.log"
  node "$here/pages/compare.mjs" "$1, $2" "$seen/visited.json" "$seen/pages" "$seen/all.har" \
    || not_ok "$1, $2: compare.mjs broke off"
  "$WARCORDER" rebuild --dir "$T/collections" --collection "$collection" >>"$T/$collection.log" 2>&1
  pages >"$seen/rebuilt"
  try "$1, $2: the same pages in an index that was made anew" cmp "$seen/pages" "$seen/rebuilt"
}

start_origins
: "${PAGES_BROWSERS:=chromium firefox}"
for site in "${sites[@]}"; do
  for browser in $PAGES_BROWSERS; do
    if [[ $browser == chromium || $site == visits ]]; then visit "$browser" "$site"; fi
  done
done
stop_origins
