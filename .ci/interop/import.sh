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
# pages_of COLLECTION: URL and time of each.
pages_of() { grep -o '"url":"[^"]*","ts":"[^"]*"' "$made/$1.pages"; }

# Recorded, and packed by others.
SSL_CERT_FILE=$T/site.pem start_recorder packed
curl --disable --silent --noproxy '*' --output "$T/ca.pem" "http://$address/ca.pem"
fetch_all "$made/client"
client=$made/client fetch page / --header 'Sec-Fetch-Mode: navigate' --header 'Sec-Fetch-Dest: document'
stop_recorder
export_lines >"$made/packed.cdxj"
collection=packed
in_collection pages --json >"$made/packed.pages"
try 'py-wacz makes a WACZ file' "$PACKERS/python/bin/wacz" create --detect-pages \
  -o "$made/by-python.wacz" "$archive"/*.warc.gz
try 'py-wacz makes one with digests of MD5, and with text' "$PACKERS/python/bin/wacz" create --hash-type md5 --text \
  --detect-pages -o "$made/with-text.wacz" "$archive"/*.warc.gz
try 'js-wacz makes a WACZ file' node "$PACKERS/node_modules/.bin/js-wacz" create \
  --file "$archive/*.warc.gz" --output "$made/by-js.wacz"
for name in by-python with-text by-js; do
  imported "$name" "$made/$name.wacz"
  judge equal "$name" "$made/$name.cdxj" "$made/packed.cdxj"
  equal "$name: the same files" "$(cd "$T/collections/$name/archive" && sha256sum -- *)" \
    "$(cd "$T/collections/packed/archive" && sha256sum -- *)"
  equal "$name: the same pages" "$(pages_of "$name")" "$(pages_of packed)"
  equal "$name: a second time nothing is added" \
    "$(in_collection import "$made/$name.wacz" | grep -vc -e 'is in the index already' -e 'names')" 0
done

# Exported again, where warcorder makes WACZ files itself.
if "$WARCORDER" wacz --help >/dev/null 2>&1; then
  collection=by-js
  try 'exported again' in_collection wacz -o "$made/again.wacz"
  imported again "$made/again.wacz"
  judge equal again "$made/again.cdxj" "$made/packed.cdxj"
  printf '{"profile":"multi-wacz-package","resources":[{"path":"by-js.wacz"},{"path":"again.wacz"}]}' \
    >"$made/datapackage.json"
  equal 'again: the same pages' "$(pages_of again)" "$(pages_of packed)"
  imported multi "$made/datapackage.json"
  judge equal 'a multi-WACZ JSON' "$made/multi.cdxj" "$made/packed.cdxj"
fi

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
