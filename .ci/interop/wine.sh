#!/usr/bin/env bash
# The command line on Windows, as far as Wine is Windows: help, a recorder on loopback that curl asks over
# HTTP and HTTPS, reading beside it and at rest, the lock of the directory, Ctrl-C, a kill and what comes
# after it, files of others, paths with blanks and backslashes. The records are those that the program
# makes on Linux of the same exchanges, and each of the two reads the other's collection.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

W=$T/wine
export WINEPREFIX=$W/prefix WINEDEBUG=-all WINEARCH=win64 XDG_RUNTIME_DIR=$W
mkdir -p "$W"
unset DISPLAY WAYLAND_DISPLAY # no window of Wine's own
end_wine() {
  wineserver=$(command -v wineserver || echo /usr/lib/wine/wineserver64)
  "$wineserver" -k >/dev/null 2>&1 || true # the server of this prefix alone
  end_all
}
trap end_wine EXIT
wine wineboot --init >"$W/boot" 2>&1 </dev/null || true
windows=$WINEPREFIX/drive_c
if [[ ! -d $windows/windows/system32 ]]; then
  not_ok "Wine makes its folder: $(tail -n 3 "$W/boot" | tr '\n' ' ')"
  exit 1
fi
# Go asks this file for random bytes, and Wine 8 does not have it.
if [[ ! -e $windows/windows/system32/bcryptprimitives.dll ]]; then
  python3 "$here/wine/forward.py" "$windows/windows/system32/bcryptprimitives.dll" \
    ProcessPrng=advapi32.SystemFunction036
fi
home="$windows/a home"
mkdir -p "$home"
(cd "$here/../.." && GOOS=windows CGO_ENABLED=0 go build -o "$home/warcorder.exe" .)
win() { (cd "$home" && WARCORDER_CA_DIR='C:\a home\ca' wine warcorder.exe "$@" </dev/null); }
places=(--dir 'C:\a home\my collections' --collection 'two words')
dir="$home/my collections/two words"

[[ $(win --help) == *'Usage: warcorder'* ]] && ok '--help' || not_ok '--help'
[[ $(win version) == "warcorder "*"windows/"* ]] && ok 'version' || not_ok "version: $(win version)"

# start FLAG...: a recorder; sets pid (of Linux), address.
start() {
  rm -f "$dir/recorder.json"
  (
    cd "$home"
    export WARCORDER_CA_DIR='C:\a home\ca'
    exec wine warcorder.exe record --listen 127.0.0.1:0 --log json "${places[@]}" "$@"
  ) </dev/null >>"$W/record.log" 2>&1 &
  pid=$!
  pids[pid]=$pid
  is_up() { [[ $(field "$dir/recorder.json" addresses) == 127.0.0.1:* ]]; }
  is_up_or_gone() { is_up || has_ended; }
  if ! wait_for 30 is_up_or_gone || has_ended; then
    not_ok "the recorder starts: $(tail -n 3 "$W/record.log" | tr '\n' ' ')"
    exit 1
  fi
  address=$(field "$dir/recorder.json" addresses)
}
ended() {
  wait_for 30 has_ended || { not_ok "$1: it does not end"; kill -KILL "$pid"; }
  status=0
  wait "$pid" || status=$?
  unset "pids[$pid]"
}
get_all() {
  for scheme in http https; do
    for path in /plain.json /style.css /chunked; do
      curl --disable --silent --show-error --max-time 30 --noproxy '' --proxy "http://$address" --cacert "$1" \
        --output /dev/null "$scheme://localhost:$(field "$T/ports" "$scheme")$path" || not_ok "curl $scheme $path"
    done
  done
}
# On Linux, twice: how many captures there are after each.
SSL_CERT_FILE=$T/site.pem start_recorder wine-linux
"$WARCORDER" ca >"$W/linux.pem"
get_all "$W/linux.pem"
has_recorded_all
stop_recorder
once=$(export_lines | wc -l)
SSL_CERT_FILE=$T/site.pem start_recorder wine-linux
get_all "$W/linux.pem"
has_recorded_all
stop_recorder
twice=$(export_lines | wc -l)

cp "$T/site.pem" "$home/site.pem"
start --upstream-ca 'C:\a home\site.pem'
win ca | tr -d '\r' >"$W/ca.pem"
get_all "$W/ca.pem"
[[ $(win status "${places[@]}") == *'is recording into two words'*'C:\a home\my collections\two words'* ]] \
  && ok 'status beside the recorder' \
  || not_ok "status: $(win status "${places[@]}" 2>&1 | head -n 5 | tr '\n' ' ')"
equal 'export beside the recorder' "$(win export -o - "${places[@]}" 2>>"$W/log" | wc -l)" "$once"

# refused NAME COMMAND...: by the lock, in a sentence.
refused() {
  local said
  if said=$(win "${@:2}" 2>&1); then not_ok "$1 is refused"; return; fi
  [[ $said == *'recorded by process'* ]] && ok "$1 is refused" || not_ok "$1: $said"
}
refused 'a second recorder' record --listen 127.0.0.1:0 "${places[@]}"
mv "$dir/index.bolt" "$dir/index.aside" 2>/dev/null || true # the lock is not the index's
refused 'a recovery beside it' recover "${places[@]}"
[[ ! -e $dir/index.aside ]] || mv "$dir/index.aside" "$dir/index.bolt"

kill -INT "$pid"
ended 'Ctrl-C'
equal 'Ctrl-C ends it, and it has all' "$status $(find "$dir/archive" -name '*.open' | wc -l)" '0 0'
try 'verify' win verify "${places[@]}"
win export --all -o 'C:\a home\lines.cdxj' "${places[@]}" 2>>"$W/log"
equal 'export at rest' "$(wc -l <"$home/lines.cdxj")" "$once"

start --upstream-ca 'C:\a home\site.pem'
get_all "$W/ca.pem"
win export -o - "${places[@]}" >/dev/null 2>&1 # which waits for what was fetched
kill -KILL "$pid"
status=0
wait "$pid" || status=$?
unset "pids[$pid]"
equal 'a kill leaves a file open' "$(find "$dir/archive" -name '*.open' | wc -l)" 1
try 'recover after a kill: the lock has gone' win recover "${places[@]}"
equal 'nothing is open then' "$(find "$dir/archive" -name '*.open' | wc -l)" 0
equal 'all captures are there' "$(win export --all -o - "${places[@]}" 2>>"$W/log" | wc -l)" "$twice"
[[ $(win gaps "${places[@]}") == *crash* ]] && ok 'the crash is a gap' || not_ok 'the crash is a gap'

# The same exchanges, and each of the two systems reads the other's.
first() { find "$1" -name '*.warc.gz' | sort | head -n 1; }
"$VENV/bin/python" "$here/wine/same.py" "$(first "$dir/archive")" "$(first "$archive")" \
  || not_ok 'same.py broke off'
try "Linux takes the collection of Windows" "$WARCORDER" verify --dir "$home/my collections" --collection 'two words'
"$WARCORDER" export --all -o - --dir "$home/my collections" --collection 'two words' >"$W/linux" 2>>"$W/log"
win export --all -o - "${places[@]}" >"$W/windows" 2>>"$W/log"
try 'its lines are those that Windows wrote' cmp "$W/linux" "$W/windows"
mkdir "$home/from linux"
cp -r "$(dirname "$archive")" "$home/from linux/one"
try 'Windows takes the collection of Linux' win verify --dir 'C:\a home\from linux' --collection one

# Files of others, a rebuild, and what is made of it.
cp "$(first "$archive")" "$home/brought along.warc.gz"
try 'index of a file whose name has a blank' win index 'C:\a home\brought along.warc.gz' "${places[@]}"
try 'rebuild' win rebuild "${places[@]}"
equal 'its captures are there' "$(win export --all -o - "${places[@]}" 2>>"$W/log" | wc -l)" $((twice + once))
try 'wacz' win wacz -o 'C:\a home\all of it.wacz' "${places[@]}"
try 'import of it' win import 'C:\a home\all of it.wacz' --dir 'C:\a home\my collections' --collection imported
try 'verify of all' win verify "${places[@]}"
