#!/usr/bin/env bash
# warcorder trust and untrust on a fresh account: Chromium and Firefox, told of nothing but the proxy,
# refuse what goes through the recorder, take it after trust and refuse it again after untrust; the
# databases list what they listed before. Then the system's store, on a copy of its directories.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

work=$T/trust
mkdir -p "$work/home"
https=https://localhost:$(field "$T/ports" https)
SSL_CERT_FILE=$T/site.pem start_recorder trusted
# as ACCOUNT COMMAND...: as that account, whose root is the recorder's.
as() {
  env -u XDG_DATA_HOME -u XDG_CONFIG_HOME "HOME=$work/$1" "WARCORDER_CA_DIR=$T/config/warcorder" \
    "${@:2}"
}

visit_chromium() {
  as "$1" timeout 60 chromium --headless --no-sandbox "--proxy-server=http://$address" \
    '--proxy-bypass-list=<-loopback>' --dump-dom "$https/search?$2"
}
visit_firefox() {
  as "$1" timeout 60 node "$here/trust/visit.mjs" "$address" "$profile" "$https/search?$2"
}
# captured WORD: how many captures there are of a page with it.
captured() { export_lines | grep -c "search?$1\"" || true; }
distrusted() {
  "$WARCORDER" gaps --dir "$T/collections" --collection trusted --json -n 0 \
    | grep -c 'trust the certificate' || true
}

# refuses NAME ACCOUNT BROWSER WORD: it asks for the page, and does not trust what it is shown.
refuses() {
  local before
  before=$(distrusted)
  "visit_$3" "$2" "$4" >"$work/out" 2>&1 || true
  more() { (($(distrusted) > before)); }
  if wait_for 20 more; then equal "$3 refuses $1" "$(captured "$4")" 0
  else not_ok "$3 refuses $1: no gap says so; $(tail -n 2 "$work/out" | tr '\n' ' ')"; fi
}
# takes NAME ACCOUNT BROWSER WORD. A browser that hangs is started once more.
takes() {
  "visit_$3" "$2" "$4" >"$work/out" 2>&1 || "visit_$3" "$2" "$4" >"$work/out" 2>&1 || true
  if (($(captured "$4"))); then ok "$3 takes $1"
  else not_ok "$3 takes $1: $(head -n 2 "$work/out" | tr "\n" " ")"; fi
}
# lists ACCOUNT: what each database of an account lists.
lists() {
  find "$work/$1" -name cert9.db -printf '%h\n' | sort | while IFS= read -r dir; do
    echo "$dir"
    certutil -d "sql:$dir" -L
  done
}
trusts() { grep -o 'trusted now.*\|already trusted.*\|NOT DONE.*' "$work/said" | wc -l; }

# A profile where this version of Firefox has them.
as home firefox-esr --headless -CreateProfile interop >"$work/out" 2>&1 || true
profile=$(find "$work/home" -name profiles.ini -printf '%h\n')
profile=$profile/$(sed -n 's/^Path=\(.*\.interop\)$/\1/p' "$profile/profiles.ini")

for browser in chromium firefox; do refuses 'before trust' home $browser "before-$browser"; done
lists home >"$work/before"
as home "$WARCORDER" trust --dry-run >"$work/said"
equal 'a dry run changes nothing' "$(lists home)" "$(<"$work/before")"
if as home "$WARCORDER" trust >"$work/said" 2>&1; then ok "trust: $(trusts) databases"
else not_ok "trust: $(tail -n 5 "$work/said" | tr '\n' ' ')"; fi
for browser in chromium firefox; do takes 'after trust' home $browser "with-$browser"; done
as home "$WARCORDER" trust >"$work/said" 2>&1
equal 'trust again: all are trusted already' "$(grep -c 'already trusted' "$work/said")" "$(trusts)"
if as home "$WARCORDER" untrust >"$work/said" 2>&1; then ok "untrust: $(grep -c removed "$work/said") databases"
else not_ok "untrust: $(tail -n 5 "$work/said" | tr '\n' ' ')"; fi
for browser in chromium firefox; do refuses 'after untrust' home $browser "after-$browser"; done
# What trust has made where none was stays, and is empty.
lists home >"$work/after"
equal 'the databases list what they listed before' \
  "$(diff "$work/before" "$work/after" | grep '^<\|^> .*C,' || true)" ''
equal 'no root of warcorder is in any' "$(grep -c 'warcorder CA' "$work/after" || true)" 0

# An account on which Chromium has made its database where newer versions do.
mkdir -p "$work/newer/.local/share/pki/nssdb"
certutil -d "sql:$work/newer/.local/share/pki/nssdb" -N --empty-password
as newer "$WARCORDER" trust >"$work/said" 2>&1 || true
takes 'a root in the newer place' newer chromium newer-place
equal 'and no older database hides it' "$(find "$work/newer" -path '*/.pki/*' | wc -l)" 0

# With the root and the notes gone it is found by its name, and nothing else goes.
certutil -d "sql:$work/newer/.local/share/pki/nssdb" -A -t C,, -n other -i "$T/site.pem"
as newer env "WARCORDER_CA_DIR=$work/nowhere" "$WARCORDER" untrust >"$work/said" 2>&1 || true
left=$(certutil -d "sql:$work/newer/.local/share/pki/nssdb" -L | grep -c 'C,,')
equal 'without its directory a root is found by its name' "$(grep -c removed "$work/said") $left" \
  '1 1'

# The system's store, in a mount namespace with copies of what changes in it.
cat >"$work/system.sh" <<'SYSTEM'
set -euo pipefail
for dir in /etc/ssl /usr/local/share/ca-certificates; do
  cp -a $dir "$work/$(basename $dir)"
  mount --bind "$work/$(basename $dir)" $dir
done
sums() {
  find -L /etc/ssl/certs ! -name cacerts -type f -exec sha256sum {} + | sort
  ls /etc/ssl/certs /usr/local/share/ca-certificates
  keytool -list -keystore /etc/ssl/certs/java/cacerts -storepass changeit 2>/dev/null | sort
}
fetch() {
  curl --disable --silent --show-error --max-time 30 --noproxy '' --proxy "http://$address" \
    --output /dev/null "$1/plain.json" 2>&1 && echo taken || echo refused
}
update-ca-certificates --fresh >/dev/null 2>&1
sums >"$work/sums"
fetch "$https"
"$WARCORDER" trust --system
fetch "$https"
"$WARCORDER" trust --system
"$WARCORDER" untrust
"$WARCORDER" untrust --system
fetch "$https"
sums | diff "$work/sums" - && echo same
SYSTEM
export work address https WARCORDER
as home unshare --mount bash "$work/system.sh" >"$work/system" 2>&1 || echo broken >>"$work/system"
equal 'the system: curl refuses, takes after trust --system, and refuses after untrust --system' \
  "$(grep -x 'refused\|taken\|same\|broken\|[<>] .*' "$work/system" | tr '\n' ' ')" \
  'refused taken refused same '
for word in 'trusted now' 'already trusted' 'untrust --system --ca-dir' 'removed'; do
  try "the system: it says $word" grep -q -- "$word" "$work/system"
done
stop_recorder
check_warcs
