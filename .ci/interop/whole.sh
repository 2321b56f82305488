#!/usr/bin/env bash
# Whole captures. A real Chromium visits pages as a person does, who has seen enough before all has
# come: films of 200 MB that are sought in, HLS and DASH, PDFs, a font, codings that archives cannot
# be read in, pages that the browser has already, parts by Range. Then pywb and replayweb.page show
# all of it: the films play to their end and are the origin's bytes, the PDFs have all pages, the
# texts are there. Neither is connected to the site any more.
#
# WHOLE_MB is the films' size (200), WHOLE_CASES names some of the cases. WHOLE_BEFORE names another
# binary, which does the same first; the table at the end then shows both.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

cases=(front end short hls hls-parts dash dash-parts paper viewer cut font zstd dictionary warm
  again parts)
if [[ -n ${WHOLE_CASES-} ]]; then read -ra cases <<<"$WHOLE_CASES"; fi
untold=(forced parts-json) # in the table alone: a coding that nobody asked for; what is no document

"$here/whole/media.sh" "$T/media" "${WHOLE_MB:-200}"
node "$here/whole/site.mjs" "$T/site.pem" "$T/site.key" "$T/media" "$PLAYERS" \
  "$T/whole-asked" "$T/whole-port" &
pids[$!]=$!
site_is_up() { [[ -e $T/whole-port ]]; }
wait_for 20 site_is_up
site=https://localhost:$(<"$T/whole-port")
new_home "$T/home-whole"

# drive MODE ARGUMENT...: its verdicts are kept for the table.
drive() {
  HOME=$T/home-whole node "$here/whole/drive.mjs" "$@" | tee -a "$T/$collection.verdicts" \
    || not_ok "drive.mjs $1 broke off"
}

# captured COLLECTION: visits the cases through a recorder of that collection; judges the replay.
captured() {
  local profile=$T/profile-$1 asked
  # The browser has some of it from another day, which went into another collection.
  SSL_CERT_FILE=$T/site.pem start_recorder "$1-elsewhere"
  drive visit "$address" "$profile" "$site" warm 'dictionary?first'
  stop_recorder
  : >"$T/whole-asked"
  SSL_CERT_FILE=$T/site.pem start_recorder "$1"
  drive visit "$address" "$profile" "$site" again "${cases[@]}" "${untold[@]}"
  stop_recorder
  check_warcs
  check_site
  "$WARCORDER" export --dir "$T/collections" --collection "$1" 2>>"$T/$1.log"
  "$VENV/bin/python" "$here/whole/wacz.py" "$T/collections/$1" "$site/font" "$T/$1.wacz"

  asked=$(wc -l <"$T/whole-asked")
  if start_pywb; then judge pywb "$pywb"; fi
  judge replayweb.page "$T/$1.wacz"
  try 'nothing of the replay came from the site itself' \
    test "$(wc -l <"$T/whole-asked")" = "$asked"
  rm -rf "$T/$1.wacz" "$T/collections/$1"* "$profile"*
}

# check_site: what was only seen in part was asked for once; what came in a coding that nobody
# asked for is counted.
check_site() {
  local path times what
  for path in front.mp4 end.mp4 hls-parts/index.m4s dash-parts/index-stream{0,1}.mp4 parts.bin; do
    times=$(grep -cF "/media/$path without Range" "$T/whole-asked" || true)
    if [[ " ${cases[*]} " == *" ${path%%[./]*} "* ]]; then
      what="the whole of $path is asked for once"
      if ((times == 1)); then ok "$what"; else not_ok "$what: $times times"; fi
    fi
  done
  try 'a coding that nobody asked for is counted' grep -q 'coding.*/forced' \
    <("$WARCORDER" gaps --dir "$T/collections" --collection "$collection" 2>>"$T/whole.log")
}

# judge REPLAYER ARCHIVE: what it shows.
judge() {
  local profile=$T/profile-$collection-$1
  drive judge "$1" "$2" "$profile" "$site" "${cases[@]}"
  if [[ -n ${WHOLE_BEFORE-} ]]; then
    drive judge "$1" "$2" "$profile" "$site" "${untold[@]}" >/dev/null
  fi
}

# shown COLLECTION REPLAYER CASE: in a cell of the table.
shown() {
  local verdict
  verdict=$(grep -m 1 -E "^(not )?ok - $2: $3(:|\$)" "$T/$1.verdicts" || true)
  case $verdict in
    ok*) echo good ;;
    not*) sed -E 's/^[^:]*: [^:]*: //; s/(Error|frame\.evaluate|page\.goto): //g; s/ at .*//
      s/https?:[^ ]* //g' <<<"$verdict" | tr '|' ' ' | cut -c 1-80 ;;
  esac
}

if [[ -n ${WHOLE_BEFORE-} ]]; then
  WARCORDER=$WHOLE_BEFORE captured whole-before >"$T/whole-before.out"
fi
captured whole
if [[ -n ${WHOLE_BEFORE-} ]]; then
  echo '# | case | pywb before | replayweb.page before | pywb after | replayweb.page after |'
  for name in "${cases[@]}" "${untold[@]}"; do
    row="# | $name"
    for archive in whole-before whole; do
      row+=" | $(shown "$archive" pywb "$name") | $(shown "$archive" replayweb.page "$name")"
    done
    echo "$row |"
  done
fi
