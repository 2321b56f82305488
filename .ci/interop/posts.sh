#!/usr/bin/env bash
# Requests with a body: a real Chromium and curl send them to one URL, apart
# only by method and body. Shows that pywb's indexer and cdxj-indexer agree
# with our keys where canon says that they do, that the dialects, lookups and
# `warcorder key` agree with the index, and that pywb replays each POST with
# the answer of its own.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

SSL_CERT_FILE=$T/site.pem start_recorder posts --keys-extra path,wwwoffle,form
new_home "$T/home-posts"
HOME=$T/home-posts node "$here/drive.mjs" "$address" "$T/ports" "$T/profile-posts" /posts \
  || not_ok 'Chromium over the posts'

site=http://localhost:$(field "$T/ports" http)
send() {
  curl --disable --silent --show-error --max-time 30 --path-as-is --globoff --noproxy '' --proxy "http://$address" \
    --output /dev/null --fail "$@" || not_ok "curl $*"
}
send "$site/form" --json '{"chunked": "größer"}' --header 'Transfer-Encoding: chunked'
send "$site/form" --json '{"expect": [100, "continue"]}' --header 'Expect: 100-continue'
send "$site/form" --data 'a=1;b=2' # as a form
send "$site/search?a=%7e1;b"
send "$site/search/%7euser/a%2cb?x=%7e"
stop_recorder
check_warcs

export_lines >"$T/posts.cdxj"
"$VENV/bin/cdx-indexer" -j -p -s "$archive"/*.warc.gz >"$T/posts-pywb.cdxj"
"$VENV/bin/cdxj-indexer" -p --sort "$archive"/*.warc.gz >"$T/posts-indexer.cdxj"
posts() { "$VENV/bin/python" "$here/posts.py" "$@" || not_ok "posts.py $1 broke off"; }
posts keys "$T/posts.cdxj" "$archive" "$T/posts-pywb.cdxj" "$T/posts-indexer.cdxj"
posts key "$T/posts.cdxj" "$archive" "$WARCORDER"

lines=$(wc -l <"$T/posts.cdxj")
for dialect in pywb spec warciojs; do
  "$WARCORDER" export --dir "$T/collections" --collection posts --dialect "$dialect" -o - \
    2>>"$T/posts.log" >"$T/$dialect.cdxj" \
    || not_ok "export in dialect $dialect"
  try "export in dialect $dialect is sorted" env LC_ALL=C sort -c "$T/$dialect.cdxj"
  try "export in dialect $dialect has $lines lines" test "$(wc -l <"$T/$dialect.cdxj")" = "$lines"
done
posts key "$T/spec.cdxj" "$archive" "$WARCORDER" spec
posts key "$T/warciojs.cdxj" "$archive" "$WARCORDER" warciojs
for key in path wwwoffle form; do
  "$WARCORDER" export --dir "$T/collections" --collection posts --key "$key" -o - 2>>"$T/posts.log" >"$T/$key.cdxj" \
    || not_ok "export by key $key"
  try "export by key $key is sorted" env LC_ALL=C sort -c "$T/$key.cdxj"
done

# found KEY WANT PATH [TYPE BODY]: a lookup of a GET, or of a POST of BODY, in
# another spelling than the recorded one, finds WANT captures.
found() {
  local got options=()
  if (($# > 3)); then options=(--method POST --content-type "$4" --body -); fi
  got=$("$WARCORDER" lookup "$site$3" --key "$1" --dir "$T/collections" --collection posts \
    "${options[@]}" < <(printf %s "${5-}") 2>>"$T/posts.log" | wc -l) || true
  if [[ $got == "$2" ]]; then
    ok "lookup --key $1 ${*:3} finds $2"
  else
    not_ok "lookup --key $1 ${*:3} finds $got, want $2"
  fi
}
found path 1 '/search/~user/a%2Cb?x=%7e'
found path 0 '/search/~user/a,b?x=%7e' # the generic profile keeps reserved characters apart
found wwwoffle 1 '/search/~user/a,b?x=~'
found wwwoffle 0 '/search/~USER/a,b?x=~'
found form 1 '/search?a=~1&b'
found form 0 '/search?a=~1&b='
urlencoded=application/x-www-form-urlencoded
found form 1 /form $urlencoded 'a=%31&b=2'
found form 0 /form $urlencoded 'a=1&b=3'
found url 0 /form $urlencoded 'a=1&b=2'
found url 1 /form application/json '{ "chunked" : "gr\u00f6\u00dfer" }'
found url 0 /form application/json '{ "chunked" : "klein" }'

"$WARCORDER" export --dir "$T/collections" --collection posts 2>>"$T/posts.log"
if start_pywb; then posts replay "$T/posts.cdxj" "$archive" "$pywb"; fi
