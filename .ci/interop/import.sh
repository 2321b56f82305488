#!/usr/bin/env bash
# What others hand on, taken back with `warcorder import`: WACZ files that
# py-wacz and js-wacz (with warcio.js) make of what was recorded, and HARs of
# Chromium (by Playwright) and Firefox. The captures are those that were
# packed; what HARs have is replayed as the site sent it.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"
made=$T/import
mkdir "$made"
judge() { "$VENV/bin/python" "$here/import/check.py" "$@" || not_ok "import/check.py $1 broke off"; }
in_collection() { "$WARCORDER" "$1" --dir "$T/collections" --collection "$collection" "${@:2}" </dev/null; }
# imported COLLECTION FILE...: sets collection, and writes its lines.
imported() {
  collection=$1
  try "$1: import" in_collection import "${@:2}"
  in_collection export --all -o "$made/$1.cdxj" 2>"$T/$1.log" || not_ok "$1: export"
  try "$1: verify" in_collection verify
  in_collection pages --json >"$made/$1.pages" 2>>"$T/$1.log" || not_ok "$1: pages"
}

# Recorded, and packed by others.
SSL_CERT_FILE=$T/site.pem start_recorder packed
curl --disable --silent --noproxy '*' --output "$T/ca.pem" "http://$address/ca.pem"
fetch_all "$made/client"
client=$made/client fetch page / --header 'Sec-Fetch-Mode: navigate' --header 'Sec-Fetch-Dest: document'
# by which py-wacz tells that it is a page
client=$made/client fetch part /plain.json --referer "http://localhost:$(field "$T/ports" http)/"
stop_recorder
export_lines >"$made/packed.cdxj"
judge write_list "$made/packed.cdxj" "$made/lists"
pack() { try "py-wacz makes $1" "$PACKERS/python/bin/wacz" create -o "$made/$1" "${@:2}" "$archive"/*.warc.gz; }
pack by-python.wacz --detect-pages
pack with-text.wacz --hash-type md5 --pages "$made/lists/pages.jsonl" --copy-pages
try 'js-wacz makes a WACZ file' node "$PACKERS/node_modules/.bin/js-wacz" create \
  --file "$archive/*.warc.gz" --pages "$made/lists" --output "$made/by-js.wacz"
for name in by-python with-text by-js; do
  imported "$name" "$made/$name.wacz"
  judge equal "$name" "$made/$name.cdxj" "$made/packed.cdxj"
  equal "$name: the same files" "$(cd "$T/collections/$name/archive" && sha256sum -- *)" \
    "$(cd "$T/collections/packed/archive" && sha256sum -- *)"
  judge listed "$name" "$made/$name.wacz" "$made/$name.pages"
  files=$(find "$archive" -name '*.warc.gz' | wc -l)
  cp "$made/$name.pages" "$made/$name.pages.first"
  if in_collection import "$made/$name.wacz" >"$made/$name.second" 2>>"$T/$name.log"; then
    equal "$name: a second time its files are known" \
      "$(grep -c 'is in the index already' "$made/$name.second")" "$files"
  else
    not_ok "$name: a second time it is refused"
  fi
  in_collection export --all -o "$made/$name.second.cdxj" 2>>"$T/$name.log" || not_ok "$name: export"
  in_collection pages --json >"$made/$name.pages" 2>>"$T/$name.log" || not_ok "$name: pages"
  try "$name: a second time no capture is added" cmp "$made/$name.cdxj" "$made/$name.second.cdxj"
  try "$name: a second time no page is added" cmp "$made/$name.pages.first" "$made/$name.pages"
done

# Exported again.
collection=with-text
try 'exported again with text' in_collection wacz --text -o "$made/again-with-text.wacz"
judge texts 'again with text' "$made/with-text.wacz" "$made/again-with-text.wacz"
collection=by-js
try 'exported again' in_collection wacz -o "$made/again.wacz"
imported again "$made/again.wacz"
judge equal again "$made/again.cdxj" "$made/packed.cdxj"
printf '{"profile":"multi-wacz-package","resources":[{"path":"by-js.wacz"},{"path":"again.wacz"}]}' \
  >"$made/datapackage.json"
judge listed again "$made/again.wacz" "$made/again.pages"
imported multi "$made/datapackage.json"
judge equal 'a multi-WACZ JSON' "$made/multi.cdxj" "$made/packed.cdxj"

# HARs of browsers.
try 'Chromium and Firefox save HARs' node "$here/import/hars.mjs" "$T/ports" "$made"
for file in embedded.har attached.har zipped.zip firefox.har; do
  name=${file%.*}
  imported "$name" "$made/$file"
  judge bodies "$name" 15 "$T/collections/$name/archive"/*.warc.gz
  judge har "$name" "$made/$file" "$made/$name.cdxj"
  try "$name: warcio check" "$VENV/bin/warcio" check "$T/collections/$name/archive"/*.warc.gz
  equal "$name: its page" "$(grep -c -e localhost "$made/$name.pages" | sed 's/[1-9]/some/')" some
  port=$(free_port)
  "$WARCORDER" replay --listen "127.0.0.1:$port" --dir "$T/collections" --collection "$name" \
    </dev/null >>"$T/$name.log" 2>&1 &
  pids[$!]=$!
  if wait_for 20 listens "$port"; then judge served "$name" "$made/$name.cdxj" "127.0.0.1:$port"; fi
  end_all
  pids=()
done
gzip --keep "$made/firefox.har"
imported compressed "$made/firefox.har.gz"
judge equal 'a HAR in .gz' "$made/compressed.cdxj" "$made/firefox.cdxj"
