#!/usr/bin/env bash
# Pages captured with a real Chromium: what is recorded of good ones, which are visited, and that
# those that try what a page can cost no more than themselves. The pages of the other scripts are
# captured too, over HTTP and HTTPS, and shown by replayweb.page with the same texts. Most of the time
# goes into waiting for pages to be quiet, so that all captures run at once.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"
TMPDIR=$(mktemp -d /tmp/c.XXXXXX) # short, as browsers need it
export TMPDIR
trap 'end_all; rm -rf "$TMPDIR"' EXIT

"$VENV/bin/python" "$here/capture/site.py" "$T/capture-port" 2>"$T/capture-site.err" &
pids[$!]=$!
wait_for 20 test -e "$T/capture-port"
port=$(<"$T/capture-port")
# The site of the other scripts once more: browsers that wait for pages leave its log to those that count it.
node "$here/site.mjs" "$T/site.pem" "$T/site.key" "$T/capture-asked" "$T/capture-ports" &
pids[$!]=$!
wait_for 20 test -e "$T/capture-ports"
site=http://127.0.0.1:$port

# capture NAME ARGUMENT...: in the background, into a collection of that name.
capture() {
  local name=$1
  "$WARCORDER" capture --dir "$T/collections" --collection "capture-$name" --log json "${@:2}" \
    </dev/null >"$T/capture-$name.out" 2>"$T/capture-$name.log" &
  captures[$name]=$!
  pids[$!]=$!
}
declare -A captures
# ended NAME: waits for it, and sets status and out.
ended() {
  status=0
  wait "${captures[$1]}" || status=$?
  unset "pids[${captures[$1]}]"
  out=$(<"$T/capture-$1.out")
}
judge() { "$VENV/bin/python" "$here/capture/check.py" "$1" "${@:3}" "$T/collections/capture-$2/archive"/*.warc.gz; }
# came NAME PAGE: the first word and the status of its line.
came() { sed -n "s|^\([a-z]*\)  *\([0-9-]*\)  $site$2  .*|\1 \2|p" "$T/capture-$1.out"; }
# why NAME PAGE: what is said below its line.
why() { awk -v page="$site$2" '/^[^ ]/ { in_it = $3 == page; next } in_it' "$T/capture-$1.out" | tr -s '\n ' ' '; }
said() { if [[ $(why "$1" "$2") == *"$3"* ]]; then ok "$4"; else not_ok "$4: $(why "$1" "$2")"; fi; }

capture good --wait 1s --depth 1 -o "$T/capture-good.wacz" "$site/"
printf '# pages\n\n%s\n%s\n%s\n' "$site"/{worker-of-all,box,plain} >"$T/capture-list"
capture kinds --wait 1s --at-most 20s --urls "$T/capture-list" "$site"/{pdf,empty,file,denied,nowhere,away} \
  http://nobody.invalid/
capture tries --wait 1s --at-most 20s \
  "$site"/{ahead,prints,closes,calls,script-away,dialogs,stay,windows,hides,much,stream-page}
interop=()
for scheme in http https; do
  interop+=("$scheme://localhost:$(field "$T/capture-ports" $scheme)"/{,posts,'revisits?page=1','revisits?page=2'})
done
SSL_CERT_FILE=$T/site.pem capture interop --wait 1s -o "$T/capture-interop.wacz" "${interop[@]}"
capture ended --wait 1s --at-most 1h -o "$T/capture-ended.wacz" "$site/plain" "$site/polls"
capture hostile --wait 1s --at-most 12s "$site"/{alerts,loop,polls,plain}
capture hostile2 --wait 1s --at-most 12s "$site"/{endless,full,mute,many,plain}

browsers() { pgrep -f -- "--user-data-dir=$TMPDIR/"; }
wait_for 20 browsers >/dev/null || not_ok 'a Chromium is driven'
if ss -Hltnp | grep -qE "pid=($(browsers | paste -sd '|')),"; then not_ok 'no port is open for that'; else
  ok 'no port is open for that'; fi

# Ctrl-C: what came is recorded, no WACZ is written.
seen() { grep -q ': page 1: ' "$T/capture-ended.log"; }
wait_for 60 seen || not_ok 'the first page is there'
kill -INT "${captures[ended]}"
ended ended
equal 'a signal ends it with 1' "$status" 1
if grep -q ' wacz -o ' "$T/capture-ended.log" && [[ ! -e $T/capture-ended.wacz ]]; then
  ok 'no WACZ is written, and it is said how to'; else not_ok 'no WACZ is written, and it is said how to'; fi
equal 'what came before is recorded' "$(judge record ended "urn:text:$site/plain")" 'nur Text: größer'

ended good
equal 'capture of good pages exits 0' "$status" 0
equal 'depth 1: the page and what it links to, each once, and none of another host' \
  "$(sed -n 's/^whole    200  \([^ ]*\)  .*/\1/p' <<<"$out" | sort | tr '\n' ' ')" "$site/ $site/frames $site/long "
urls=$(judge urls good)
for of in "$site/lazy.png" "$site/seen.png" "$site/dot.png?worker" "http://localhost:$port/framed" \
  "http://localhost:$port/dot.png?framed" "$site/denied"; do
  if grep -qxF "$of" <<<"$urls"; then ok "recorded: $of"; else not_ok "recorded: $of"; fi
done
if grep -q outside <<<"$urls"; then not_ok 'nothing of the page outside is asked for'; else
  ok 'nothing of the page outside is asked for'; fi
equal 'the text of a page is what is seen of it' "$(judge record good "urn:text:$site/" | tr -s '\n ' ' ')" \
  'Erste Seite Der sichtbare Text. geschrieben long frames again outside script data svg'
equal 'its first screen' "$(judge picture good "urn:view:$site/long")" 'image/png 1366x768'
equal 'all of it, as far as 8000 pixels' "$(judge picture good "urn:fullPage:$site/long")" 'image/png 1366x8000'
equal 'its thumbnail' "$(judge picture good "urn:thumbnail:$site/long")" 'image/jpeg 640x360'
equal 'the pages of the WACZ, with their titles' "$("$VENV/bin/python" "$here/capture/check.py" wacz \
  "$T/capture-good.wacz")" "$site/ Größe <b>, $site/frames frames, $site/long long"
try 'py-wacz finds the WACZ valid' "$PACKERS/python/bin/wacz" validate -f "$T/capture-good.wacz"
try 'verify has no finding' "$WARCORDER" verify --dir "$T/collections" --collection capture-good
try 'warcio check' "$VENV/bin/warcio" check "$T"/collections/capture-good/archive/*.warc.gz

ended kinds
equal 'a capture with pages that lack something exits 1' "$status" 1
equal 'what scrolls in a box is scrolled' "$(came kinds /box) $(judge urls kinds | grep -c boxed)" 'whole 200 1'
equal 'plain text' "$(came kinds /plain) $(judge record kinds "urn:text:$site/plain")" 'whole 200 nur Text: größer'
equal 'what a page leaves in the browser answers for no other' \
  "$(judge urls kinds | grep -cE '/(service.js|plain)$')" 2
equal 'a PDF' "$(came kinds /pdf)" 'whole 200'
equal '204' "$(came kinds /empty)" 'whole 204'
equal 'a download, whole' "$(came kinds /file) $(judge urls kinds | grep -c /file)" 'whole 200 1'
said kinds /file 'it is a download' 'a download is said to be one'
equal 'a page that asks for a password' "$(came kinds /denied)" 'lacking 401'
equal '404' "$(came kinds /nowhere)" 'lacking 404'
equal 'a page that is led away' "$(came kinds /away)" 'lacking -'
said kinds /away 'not of the given hosts' 'it is said where to'
if grep -q '^lacking  502  http://nobody.invalid/' "$T/capture-kinds.out"; then ok 'a host that is not there'; else
  not_ok 'a host that is not there'; fi
if judge urls kinds | grep -q outside; then not_ok 'what is outside is not asked for'; else
  ok 'what is outside is not asked for'; fi

ended tries
equal 'a page that goes away by a script stays' \
  "$(came tries /script-away) $(judge record tries "urn:text:$site/script-away")" 'whole 200 here'
if grep -q '/dialogs  "answered"' "$T/capture-tries.out"; then ok 'dialogs are answered'; else
  not_ok 'dialogs are answered'; fi
for page in stay windows prints closes calls dialogs hides; do
  equal "/$page is whole" "$(came tries "/$page")" 'whole 200'
done
hides=$(judge record tries "urn:text:$site/hides")
if grep -q '/hides  "hides"' "$T/capture-tries.out" && [[ $hides == *'in sight'* ]]; then
  ok 'what a page hides from scripts is read'; else not_ok 'what a page hides from scripts is read'; fi
equal 'much text is cut' "$(judge record tries "urn:text:$site/much" | wc -c)" 4194304
equal 'a stream that goes on is no reason to wait for ever' "$(came tries /stream-page)" 'whole 200'

ended interop
equal 'its eight pages come' "$(grep -c '^[a-z]* *200  http' <<<"$out")" 8
equal 'all is there but what comes in parts alone, and what a WebSocket says' \
  "$(grep -v '^whole' <<<"$out" | grep -o 'http[^ ]*' | sed 's|//localhost:[0-9]*||' | LC_ALL=C sort -u \
    | tr '\n' ' ')" 'http:/ http:/range http:/socket https:/ https:/range https:/socket '
try 'py-wacz finds its WACZ valid' "$PACKERS/python/bin/wacz" validate -f "$T/capture-interop.wacz"
judge texts interop >"$T/capture-texts"
equal 'all but those of a form alone have a text' "$(grep -oE '"https?://[^"]*": ' "$T/capture-texts" | wc -l)" 6
timeout 100 node "$here/capture/replay.mjs" "$T/capture-interop.wacz" "$T/capture-texts" "$T/profile-capture" \
  || not_ok 'replayweb.page over the capture'

for name in hostile hostile2; do
  ended $name
  equal "$name: the exit status is 1" "$status" 1
  equal "$name: the page behind them is whole" "$(came $name /plain)" 'whole 200'
done
for page in alerts loop polls; do equal "/$page is lacking" "$(came hostile "/$page")" 'lacking 200'; done
for page in endless full mute; do equal "/$page is lacking" "$(came hostile2 "/$page")" 'lacking 200'; done
said hostile /polls 'still busy after 12s' 'a page that never gets quiet is said to be busy'
said hostile2 /endless 'goes on below' 'an endless list is said to go on'

if browsers; then not_ok 'no browser is left'; else ok 'no browser is left'; fi
equal 'no profile is left' "$(ls "$TMPDIR")" ''
