#!/usr/bin/env bash
# The referees on our WARC files, as each setting of their format makes them:
# warcio, gowarc (every check, strictly), jwarc and JWAT, beside gzip, a walk
# with zlib alone and our own verify. They differ where the standard can be
# read in two ways: each of their findings must be one that referees.py explains.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

"$WARCORDER" ca >"$T/ca.pem"
judged=()

# made COLLECTION SENSE DIGEST VERSION SL FLAG...: records answers of every
# kind, and some of them again, at another URL or unchanged.
made() {
  local name=$1 form=$2:$3:$4:$5
  SSL_CERT_FILE=$T/site.pem start_recorder "$name" "${@:6}"
  fetch_all "$T/client-$name"
  fetch_same "$T/client-$name"
  stop_recorder
  judged+=("$archive:$form")
  try "$name: gzip -t" gzip -t "$archive"/*.warc.gz
  try "$name: warcorder verify" "$WARCORDER" verify --dir "$T/collections" --collection "$name"
}
made default wire sha1 1.1 sl
made sha256 wire sha256 1.1 sl --digest=sha256
made entity entity sha1 1.1 sl --payload-digest=entity
made warc-1.0 wire sha1 1.0 sl --warc-version=1.0
made no-sl wire sha1 1.1 no-sl --sl=false
made no-dedup wire sha1 1.1 sl --dedup=off
made others entity sha256 1.0 no-sl --payload-digest=entity --digest=sha256 --warc-version=1.0 --sl=false --dedup=url
for name in session posts insecure crash revisits; do # what the other scripts have left, if they ran
  if compgen -G "$T/collections/$name/archive/*.warc.gz" >/dev/null; then
    judged+=("$T/collections/$name/archive:wire:sha1:1.1:sl")
  fi
done

mkdir -p "$T/spoiled/archive" "$T/findings" "$T/jwat"
"$VENV/bin/python" "$here/referees.py" spoil \
  "$(compgen -G "$T/collections/default/archive/*.warc.gz" | head -n 1)" \
  "$T/spoiled/archive/spoiled.warc.gz"
judged+=("$T/spoiled/archive:spoiled")
files=()
for folder in "${judged[@]}"; do files+=("${folder%%:*}"/*.warc.gz); done

(cd "$here/../.." && go build -o "$T/gowarc" ./.ci/interop/gowarc)
javac -cp "$JARS/*" -d "$T/jwat" "$here/jwat/Validate.java"
# referee NAME COMMAND...: it may exit with 1, for what it finds.
referee() {
  local status=0
  "${@:2}" >>"$T/findings/$1" 2>&1 || status=$?
  ((status <= 1)) || not_ok "$1 broke off with status $status"
}
referee warcio "$VENV/bin/warcio" check "${files[@]}"
referee gowarc "$T/gowarc" "${files[@]}"
referee jwat java -cp "$JARS/*:$T/jwat" Validate "${files[@]}"
for file in "${files[@]}"; do # of several, jwarc looks no further than the first in which it finds something
  referee jwarc java -jar "$JARS"/jwarc-*.jar validate -v -j 1 "$file"
done
"$VENV/bin/python" "$here/referees.py" judge "$T/findings" "${judged[@]}" || not_ok 'referees.py broke off'
if "$WARCORDER" verify "$T/spoiled/archive/spoiled.warc.gz" >"$T/spoiled.log" 2>&1; then
  not_ok 'warcorder verify finds the one byte that was changed'
else
  ok 'warcorder verify finds the one byte that was changed'
fi
