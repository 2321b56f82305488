#!/usr/bin/env bash
# The first minute of somebody who has just cloned this: `go run . browser` on a page of
# a server of this script, on a fresh account in a network of its own, with Chromium and
# with Firefox; what it says, what it leaves, and what it takes away again. Then the ways
# in which such a minute ends early, and a recorder that already runs. Last the seconds
# until a first capture is in the export, which are no check: with CI_LONG=1, medians of 5.
set -euo pipefail
names='example.org update.googleapis.com'
. "$(dirname "$0")/fresh.sh"
start_site "$here/newcomer/site.py"
rm "$work/chromium.d/fresh" # what Chromium needs is for the command to give
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /var/tmp
mkdir "$work/keys"
export TMPDIR=/var/tmp LC_ALL=C.UTF-8
unset DISPLAY WAYLAND_DISPLAY XDG_RUNTIME_DIR
cd "$checkout"
go build -o "$work/warcorder" . # what is compiled once stays in Go's cache

page=https://example.org/
chatter='GET https://update.googleapis.com/of-the-page'
said() { tail -n 4 "$work/err" | tr '\r\n' '  '; }

# around: what lies where a browser, or we, could leave something: the account but for our own
# settings and Go's, the folders for what is temporary, and whom this machine trusts.
around() {
  find "$HOME" /dev/shm /var/tmp -mindepth 1 \( -path "$HOME/.config/go" -o -path "$HOME/.config/warcorder" \
    -o -path '/var/tmp/go-build*' \) -prune -o -print
  find /etc/ssl /etc/firefox* /usr/local/share/ca-certificates /usr/lib/firefox-esr/distribution \
    -type f -exec sha256sum {} + 2>/dev/null
}
leftovers() { grep -l "$TMPDIR/[w]arcorder-browser-" /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null || true; }

# leaves_nothing NAME: all is as it was at the last begin.
leaves_nothing() {
  local now
  equal "$1: no process of the browser is left" "$(leftovers)" ''
  now=$(around)
  equal "$1: the account, the temporary folders and the certificates are as before" \
    "$(diff <(echo "$before" | sort) <(echo "$now" | sort) | grep '^[<>]' | head -n 5)" ''
}

# asked: what example.org was asked for since begin; captured COLLECTION: what of it is in the export.
begin() { : >"$work/site.log"; before=$(around); }
asked() { sed -n 's|^\([A-Z]*\) example.org \(/.*\)|\1 https://example.org\2|p' "$work/site.log" | sort; }
captured() {
  go run . export --all --collection "$1" -o - 2>>"$T/newcomer.log" | "$VENV/bin/python" -c '
import json, sys
for line in sys.stdin:
    capture = json.loads(line.split(" ", 2)[2])
    if capture["url"].startswith("http"):
        print(capture.get("method", "GET"), capture["url"])' | sort
}
# What the page is made of: each is asked for once or, where a browser likes, twice.
whole=$(printf '%s\n' "GET $page"{,by-worker.json,done,events,image.gif,script.js,socket,style.css,worker.js} \
  "POST ${page}post" | sort)

# browse COMMAND...: sets status; its output is in work/out and work/err.
browse() {
  status=0
  timeout 100 "$@" </dev/null >"$work/out" 2>"$work/err" || status=$?
}
# has_recorded NAME COLLECTION [MORE]: what browse has run showed the page and recorded all of it, with MORE
# of another host, and said so.
has_recorded() {
  local all
  all=$( (asked; [[ -z ${3-} ]] || echo "$3") | sort)
  equal "$1: ends with status 0" "$status: $( ((status == 0)) || said)" '0: '
  equal "$1: nothing on standard output" "$(cat "$work/out")" ''
  equal "$1: the page has come to its end" "$(asked | sort -u)" "$whole"
  equal "$1: what example.org was asked for is in the export, and nothing else" "$(captured "$2")" "$all"
  try "$1: verify has no finding" go run . verify --collection "$2"
  says "$1" "$(wc -l <<<"$all") exchanges in " "collections/$2/archive" '1 gap        tunnelled' \
    "${page}socket" "go run . replay $page" 'go run . export'
  leaves_nothing "$1"
}
# says NAME WORDS...: each of them is on standard error.
says() {
  local word
  for word in "${@:2}"; do
    grep -qF -- "$word" "$work/err" && ok "$1 says: $word" || not_ok "$1 says: $word: $(said)"
  done
}

# A page, with each browser.
for browser in chromium firefox-esr; do
  begin
  browse go run . browser --headless --browser $browser --collection $browser $page
  has_recorded "browser --headless ($browser)" $browser
  equal "$browser: the gap list has what went through the WebSocket, and nothing else" \
    "$(go run . gaps --collection $browser 2>/dev/null | cut -f 2-)" \
    $'tunnelled\thttps://example.org/socket\tupgraded: the handshake is recorded, what follows passed unrecorded'
done
equal 'what a browser asks for by itself is let through' \
  "$(grep -c ' update.googleapis.com /of-the-page' "$work/site.log")" 1
begin
browse go run . browser --headless --all --collection all $page
has_recorded 'browser --all' all "$chatter"

# at_terminal COMMAND: in the background, at a terminal of 80 columns; press KEYS types there. What is
# said there is in work/terminal.
at_terminal() {
  mkfifo "$work/keys/$((++terminals))"
  exec {keys}<>"$work/keys/$terminals"
  : >"$work/terminal"
  # bash gives /dev/null to what it starts in the background, unless that opens its input itself
  in_background bash -c 'exec script --quiet --return --flush --command "$0" "$1" <"$2" >/dev/null' \
    "stty cols 80 rows 24; $1" "$work/terminal" "$work/keys/$terminals"
}
terminals=0
press() { printf "$1" >&"$keys"; }
shown() { grep -q -- "$1" "$work/terminal"; }
# ended SECONDS: waits for the end of what at_terminal has begun: sets status.
ended() {
  wait_for "$1" gone || true
  status=0
  kill -0 -- "-$job" 2>/dev/null && status=hangs || wait "$job" || status=$?
  [[ $status != hangs ]] || end_job
  exec {keys}>&-
  tr -d '\r' <"$work/terminal" | sed 's/\x1b\[[0-9;]*m//g' | grep -v '^Script ' >"$work/err"
}

# Ctrl-C in the middle of a page.
waits() { grep -aq ' /never' "$work/site.log"; }
for browser in chromium firefox-esr; do
  begin
  at_terminal "$work/warcorder browser --headless --browser $browser --collection ctrl-c-$browser ${page}waiting"
  wait_for 60 waits || not_ok "Ctrl-C ($browser): the page comes"
  press '\003'
  ended 10 # before the page is taken to be there
  equal "Ctrl-C ($browser): ends with status 0" "$status" 0
  says "Ctrl-C ($browser)" '2 exchanges in ' "collections/ctrl-c-$browser/archive"
  equal "Ctrl-C ($browser): what came until then is in the export" \
    "$(captured ctrl-c-$browser | grep waiting)" "GET ${page}waiting"
  try "Ctrl-C ($browser): the collection is whole" go run . verify --collection ctrl-c-$browser
  equal "Ctrl-C ($browser): no file is open" "$(find collections/ctrl-c-$browser -name '*.open')" ''
  leaves_nothing "Ctrl-C ($browser)"
done

# kill -9: the browser goes with us; the next start takes the profile away.
for browser in chromium firefox-esr; do
  begin
  in_background "$work/warcorder" browser --headless --browser $browser --collection killed-$browser \
    "${page}waiting" </dev/null >/dev/null 2>>"$T/newcomer.log"
  wait_for 60 waits || not_ok "kill -9 ($browser): the page comes"
  kill -9 "$job"
  wait "$job" 2>/dev/null || true
  no_browser() { [[ -z $(leftovers) ]]; }
  wait_for 20 no_browser && ok "kill -9 ($browser): the browser is gone" \
    || not_ok "kill -9 ($browser): left: $(leftovers | head -n 3)"
  profiles=$(compgen -G "$TMPDIR/warcorder-browser-*" || true)
  [[ -n $profiles ]] && ok "kill -9 ($browser): leaves a profile" || not_ok "kill -9 ($browser): leaves a profile"
  : >"$work/site.log"
  browse go run . browser --headless --browser $browser --collection killed-$browser $page
  equal "kill -9 ($browser): the next run ends with status 0" "$status: $( ((status == 0)) || said)" '0: '
  leaves_nothing "kill -9 and the next run ($browser)"
  try "kill -9 ($browser): the collection is whole" go run . verify --collection killed-$browser
done

# With a window, which somebody closes.
Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>"$work/display" 2>>"$T/newcomer.log" </dev/null &
pids[$!]=$!
has_display() { [[ -s $work/display ]]; }
wait_for 20 has_display
done_there() { grep -q ' /done' "$work/site.log"; }
for browser in chromium firefox-esr; do
  begin
  at_terminal "DISPLAY=:$(<"$work/display") go run . browser --browser $browser --collection window-$browser $page"
  wait_for 60 done_there || not_ok "window ($browser): the page comes"
  closes() {
    DISPLAY=:$(<"$work/display") xdotool search --onlyvisible --class "${browser%-esr}" \
      windowfocus key --clearmodifiers ctrl+shift+w 2>>"$T/newcomer.log" || true
    gone
  }
  wait_for 20 closes && ok "window ($browser): ends when somebody closes it" \
    || not_ok "window ($browser): ends when somebody closes it"
  ended 30
  : >"$work/out" # at a terminal the two are one
  has_recorded "window ($browser)" window-$browser
done

# What cannot work says what to do, and makes nothing.
refuses() {
  equal "$1: ends with status 1" "$status" 1
  says "$@"
  equal "$1: makes no collection" "$(find collections/none 2>/dev/null)" ''
}
browse env PATH=/nonexistent "$work/warcorder" browser --headless --collection none $page
refuses 'no browser' '--browser PATH'
browse go run . browser --collection none $page
refuses 'no display' '--headless'

# A recorder that runs already, at a terminal.
at_terminal 'go run .'
is_recording() { shown 'Stop with Ctrl-C'; }
wait_for 60 is_recording || not_ok "go run .: $(tail -n 3 "$work/terminal")"
recorder=$job recorder_keys=$keys
begin
browse go run . browser --headless $page
has_recorded 'beside a recorder' default "$chatter"
browse go run . status
cat "$work/out" >"$work/status"
equal 'status: ends with status 0, and says nothing on standard error' "$status $(cat "$work/err")" '0 '
grep -q 'is recording' "$work/status" && ok 'status: is recording' || not_ok "status: $(head -n 3 "$work/status")"
equal 'status: lines of 80 columns at most, the path of the collection apart' \
  "$(grep -v '/collections/default$' "$work/status" | grep -E '.{81}' || true)" ''
try 'rotate' go run . rotate
equal 'rotate: no file is open' "$(find collections/default -name '*.open')" ''
try 'export beside a recorder' go run . export
collection=default
if start_pywb "$checkout"; then
  curl --silent "${pywb}/mp_/$page" >"$work/replayed" || true
  grep -q 'the page' "$work/replayed" && ok 'pywb shows the page while the recorder runs' \
    || not_ok "pywb shows the page while the recorder runs: $(head -c 200 "$work/replayed")"
fi
job=$recorder keys=$recorder_keys
press '\003'
ended 30
[[ $status == hangs ]] && not_ok 'the recorder ends at Ctrl-C' || ok 'the recorder ends at Ctrl-C' # go run with 1
says 'the recorder' '11 exchanges in ' 'collections/default/archive' '1 gap        tunnelled'
equal 'what it says at a terminal fits 80 columns, remarks and the path of the archive apart' \
  "$(grep -v '/collections/default/archive$\|[0-9]:[0-9][0-9]:[0-9][0-9] ' "$work/err" | grep -E '.{81}' || true)" ''
browse go run . status
grep -q 'nobody is recording' "$work/out" && ok 'status of a collection at rest' \
  || not_ok "status of a collection at rest: $(head -n 3 "$work/out") $(said)"

# Seconds from the command to the first capture in the export.
seconds() {
  local begin now
  begin=$(date +%s%N)
  in_background "${@:2}" --headless --browser "$1" --collection "times-$((++times))" $page </dev/null >/dev/null 2>&1
  first() { "$work/warcorder" export --collection "times-$times" -o - 2>/dev/null | grep -q '^org,example'; }
  wait_for 60 first || not_ok "seconds: $*"
  now=$(date +%s%N)
  kill -INT -- "-$job"
  wait_for 20 gone || true
  end_job
  printf '%d.%02d\n' $(((now - begin) / 1000000000)) $(((now - begin) / 10000000 % 100))
}
times=0
for browser in chromium firefox-esr; do
  for command in 'go run .' "$work/warcorder"; do
    rounds=()
    for ((round = 0; round < ${CI_LONG:+4}+1; round++)); do
      seconds $browser $command browser >"$work/seconds"
      rounds+=("$(<"$work/seconds")")
    done
    mapfile -t rounds < <(printf '%s\n' "${rounds[@]}" | sort -n)
    echo "# ${command##*/} browser --browser $browser: ${rounds[${#rounds[@]} / 2]} s to the first" \
      "capture (${rounds[*]})"
  done
done
