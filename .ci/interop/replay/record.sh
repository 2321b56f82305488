# shellcheck shell=bash
# Sourced by the scripts that need the sites of replay/ recorded. Those run in a network of their
# own (fresh.sh), in which the sites' hosts are this machine. A recording is the collection
# replay-SITE in T/collections, and what was seen while it was made, in T/seen/SITE/recorded
# (replay/walk.mjs says what that is). What is recorded already is not recorded again.
sites=(forms scroll graphql policy spa wiki media interop)
if [[ -n ${REPLAY_SITES-} ]]; then read -ra sites <<<"$REPLAY_SITES"; fi
names='clock.example.org forms.example.org scroll.example.org books.example.org graphql.example.org
  policy.example.org assets.example.org spa.example.org wiki.example.org media.example.org
  visits.example.org elsewhere.example.org third.example.org'
names=$(echo $names)
. "$(dirname "${BASH_SOURCE[0]}")/../fresh.sh"
. "$here/replay/walking.sh"

rm "$work/chromium.d/fresh" # walk.mjs gives Chromium what it needs
export REPLAY_PORTS=$work/interop-ports REPLAY_PASSWORD='long enough for a wiki'
export REPLAY_WIKI=http://127.0.0.1:8001 REPLAY_MEDIA
has() { [[ " ${sites[*]} " == *" $1 "* ]]; }

# start_origins: all of the sites. stop_origins ends them, and whatever they need.
origins=()
start_origins() {
  mkdir -p "$T/seen"
  if has wiki; then
    "$here/replay/wiki.sh" "$work/wiki" 8001 "$REPLAY_PASSWORD" >"$T/wiki.log" 2>&1 &
    origins+=($!)
    wiki_is_up() { curl --disable --silent --noproxy '*' --output /dev/null "$REPLAY_WIKI/load.php"; }
    wait_for 60 wiki_is_up || not_ok "MediaWiki starts: $(tail -n 3 "$T/wiki.log")"
  fi
  if has media; then
    "$here/whole/media.sh" "$work/media" 20
    node "$here/whole/site.mjs" "$work/site.pem" "$work/site.key" "$work/media" "$PLAYERS" \
      "$work/media-asked" "$work/media-port" &
    origins+=($!)
    media_is_up() { [[ -e $work/media-port ]]; }
    wait_for 20 media_is_up || not_ok "the films are served"
    REPLAY_MEDIA=https://127.0.0.1:$(<"$work/media-port")
  fi
  if has interop; then
    node "$here/site.mjs" "$T/site.pem" "$T/site.key" "$work/interop-log" "$REPLAY_PORTS" &
    origins+=($!)
    interop_is_up() { [[ -e $REPLAY_PORTS ]]; }
    wait_for 20 interop_is_up || not_ok "the interop site is served"
  fi
  : >"$work/served"
  node "$here/replay/serve.mjs" "$work/site.pem" "$work/site.key" "${sites[@]}" \
    >"$work/served" 2>"$T/served.log" &
  origins+=($!)
  served() { grep -qx up "$work/served"; }
  wait_for 20 served || not_ok "the sites are served: $(tail -n 3 "$T/served.log")"
  for origin in "${origins[@]}"; do pids[origin]=$origin; done
}
stop_origins() {
  local origin
  for origin in "${origins[@]}"; do
    pkill -P "$origin" 2>/dev/null || true # PHP's workers
    kill "$origin"
    wait "$origin" 2>/dev/null || true
    unset "pids[$origin]"
  done
}

# is_recorded SITE: the interop site has other ports in each script.
is_recorded() {
  [[ -e $T/seen/$1/recorded/asked.json ]] && { [[ $1 != interop ]] || cmp -s "$REPLAY_PORTS" "$T/seen/$1/ports"; }
}

record_site() {
  if is_recorded "$1"; then return; fi
  SSL_CERT_FILE=$work/trusted.pem start_recorder "replay-$1"
  walk "$1" "$address" "$T/seen/$1/recorded" || tail -n 5 "$T/replay-$1.log" | cut -c 1-300 | sed 's/^/# /'
  stop_recorder
  if [[ $1 == interop ]]; then cp "$REPLAY_PORTS" "$T/seen/$1/ports"; fi
}

# record_sites [COMMAND]: all that are not recorded yet; COMMAND gets each of them while its origin runs.
record_sites() {
  cat /etc/ssl/certs/ca-certificates.crt "$T/site.pem" >"$work/trusted.pem"
  new_home "$HOME"
  start_origins
  local site
  for site in "${sites[@]}"; do
    record_site "$site"
    ${1:+"$1" "$site"}
  done
  stop_origins
}
