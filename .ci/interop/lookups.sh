#!/usr/bin/env bash
# Our CDX server and pywb's beside each other, on the same five million lines: what each answers in a
# second, and how long 99 of 100 answers take. With connections that are kept, as pywb's own client
# does, ours is ahead by 5 times or more. With a connection for each question the figures are told
# alone: what the connection takes is most of it. It takes some minutes in which nothing else should
# run, and 6 GB of disk: CI runs it with CI_LONG=1 alone.
#
# CAPTURES is how many lines, if not five million.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

captures=${CAPTURES:-5000000}
numbers=(-captures "$captures" -same $((captures / 5)))
free=$(df --output=avail --block-size=1 "$T" | tail -n 1)
needed=$((captures * 1600))
if ((free < needed)); then
  not_ok "lookups: $((free >> 20)) MiB are free below the temporary folder, $((needed >> 20)) are needed (set TMPDIR)"
  exit 1
fi
(cd "$here/../.." && CGO_ENABLED=0 go build -o "$T/scale" ./store/testdata/scale)

folder=$T/lookups
mkdir -p "$folder/collections/lookups/archive"
index=$folder/collections/lookups/index.bolt
begin=$SECONDS
"$T/scale" make "${numbers[@]}" -index "$index" 2>"$T/lookups.log"
"$T/scale" lines -index "$index" >"$folder/index.cdxj"
try 'lookups: the lines are sorted' env LC_ALL=C sort -c "$folder/index.cdxj"
echo "# lookups: $(wc -l <"$folder/index.cdxj") lines, made in $((SECONDS - begin)) s"

ours=$(free_port)
"$WARCORDER" serve --dir "$folder/collections" --listen "127.0.0.1:$ours" </dev/null >"$T/serve.log" 2>&1 &
served=$!
pids[served]=$served
# Its own server of indexes, which answers faster than what wayback passes on.
pywb=$(free_port)
printf 'collections:\n  lookups:\n    index_paths: %s\n    archive_paths: %s\n' \
  "$folder/index.cdxj" "$folder/" >"$folder/config.yaml"
(cd "$folder" && exec "$VENV/bin/warcserver" --bind 127.0.0.1 --port "$pywb" </dev/null >"$T/warcserver.log" 2>&1) &
peer=$!
pids[peer]=$peer
wait_for 60 listens "$ours" || not_ok 'lookups: warcorder serve starts'
wait_for 60 listens "$pywb" || not_ok 'lookups: warcserver starts'

asked() { # OPTION...
  "$T/scale" ask "${numbers[@]}" -ours "http://127.0.0.1:$ours/lookups/cdx" -our-pid "$served" \
    -other "http://127.0.0.1:$pywb/lookups/index" -other-pid "$peer" "$@" >"$T/lookups.log" 2>&1 || return
}
told() { sed 's/^/# /' "$T/lookups.log"; }
said=0
asked -ahead 5 || said=$?
told
equal "lookups: ours answers 5 times as many lookups as pywb's, or more, and as fast" "$said" 0
echo '# lookups: with a connection for each'
try 'lookups: with a connection for each' asked -connection-each
told
rm -rf "$folder" "$T/scale"
