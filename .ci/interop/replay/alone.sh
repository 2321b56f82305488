#!/usr/bin/env bash
# Replays what record.sh has recorded, in the network that this script is started in, which must be
# one that has nothing but loopback, and in which no host of the sites is known.
#
#   unshare --net --mount alone.sh SITE...
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../recorder.sh"
. "$here/replay/walking.sh"
work=$T/alone
mkdir -p "$work"
ip link set lo up
echo '127.0.0.1 localhost' >"$work/hosts"
mount --bind "$work/hosts" /etc/hosts
equal 'the network of the replay has no route' "$(ip -4 route; ip -6 route | grep -v 'dev lo ')" ''
equal 'the network of the replay knows no host of the sites' "$(getent ahosts wiki.example.org)" ''

# flags SITE: what a user gives for a site that shows its clock and its dice.
flags() { if [[ $1 == clock ]]; then echo --inject; fi; }

# replay_into FOLDER SITE: the walk again.
replay_into() {
  local status=0
  "$WARCORDER" replay --listen 127.0.0.1:8080 --dir "$T/collections" --collection "replay-$2" \
    --report "$T/seen/$2/report.json" $(flags "$2") </dev/null >>"$T/replay-$2.log" 2>&1 &
  pid=$!
  pids[pid]=$pid
  listens() { : 2>/dev/null <>/dev/tcp/127.0.0.1/8080; }
  listens_or_gone() { listens || has_ended; }
  if wait_for 20 listens_or_gone && ! has_ended; then
    walk "$2" 127.0.0.1:8080 "$T/seen/$2/$1" || true
  fi
  kill "$pid" || true
  wait_for 30 has_ended || kill -KILL "$pid"
  wait "$pid" || status=$?
  unset "pids[$pid]"
  equal "$2: the replay ends with status 0 at SIGTERM" "$status" 0
}

for site in "$@"; do
  # Each replay gives the same clock and the same dice, which the recording had not.
  if [[ -n $(flags "$site") ]]; then replay_into recorded "$site"; fi
  replay_into replayed "$site"
  node "$here/replay/compare.mjs" "$site" "$T/seen/$site" || not_ok "$site: compare.mjs broke off"
done
