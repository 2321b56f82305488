#!/usr/bin/env bash
# Parts of a collection as WARC files that stand alone: two pages that show the same bodies at URLs of
# their own, so that the second one's are revisits, and answers of every kind. A page, the URLs below a
# path, all, and all without revisits are extracted: beside the recorder the same as at rest. warcio takes
# the files, cdxj-indexer finds the same lines, each record is the collection's to the byte, our referee has
# nothing against them, and pywb replays what there is.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

SSL_CERT_FILE=$T/site.pem start_recorder extract --warc-max-size 100kB --complete never
new_home "$T/home-extract"
for number in 1 2; do
  HOME=$T/home-extract node "$here/drive.mjs" "$address" "$T/ports" "$T/profile-extract" \
    "/revisits?page=$number" \
    || not_ok "Chromium over page $number"
done
fetch_all "$T/client-extract"
site=http://localhost:$(field "$T/ports" http)
handed=$T/handed/collections

# extract NAME FLAG...: into the archive of a collection of that name, as pywb has it.
extract() {
  local into=$handed/$1
  mkdir -p "$into/indexes"
  "$WARCORDER" extract --dir "$T/collections" --collection extract -o "$into/archive" "${@:2}" \
    2>>"$T/extract.log" || not_ok "extract $1: $(tail -n 1 "$T/extract.log")"
  mv "$into/archive/index.cdxj" "$into/indexes"
}
sums() { cat "$handed/$1"/archive/*.warc.gz | sha256sum; }

"$WARCORDER" rotate --dir "$T/collections" --collection extract >/dev/null
extract beside --page "$site/revisits?page=2"
stop_recorder
extract page --page "$site/revisits?page=2"
extract below --url "$site/" --match prefix --file-size 50kB
extract all
extract without --no-revisits
equal 'a page beside the recorder is the same as at rest' "$(sums beside)" "$(sums page)"
equal 'all files are the same as in the collection' \
  "$(cd "$archive" && sha256sum -- *.warc.gz)" "$(cd "$handed/all/archive" && sha256sum -- *.warc.gz)"
for part in page below without; do
  files=("$handed/$part"/archive/*.warc.gz)
  try "$part: gzip -t" gzip -t "${files[@]}"
  try "$part: warcio check" "$VENV/bin/warcio" check "${files[@]}"
  try "$part: verify" "$WARCORDER" verify "${files[@]}"
  try "$part: the lines are sorted" env LC_ALL=C sort -c "$handed/$part/indexes/index.cdxj"
  "$VENV/bin/cdxj-indexer" --sort "${files[@]}" >"$T/extract-theirs.cdxj"
  check cdxj "$handed/$part/indexes/index.cdxj" "$T/extract-theirs.cdxj"
  "$VENV/bin/python" "$here/extract.py" "$part" "$archive" "$handed/$part/archive" \
    || not_ok 'extract.py broke off'
done
if start_pywb "$T/handed"; then
  for part in page below without; do
    check replay "$handed/$part/indexes/index.cdxj" "$handed/$part/archive" "${pywb%/*}/$part"
  done
fi
