#!/usr/bin/env bash
# 2 GB of pages (20 with CI_LONG=1) are recorded and packed in bounded memory, beside cp and
# sha256sum; replayweb.page opens the file.
#
# The load of proxy/testdata/speed, in which every capture is a page: some 70,000 in 2 GB. Only
# one page of a hundred has a title, so that all of the other HTML is read for one. Packing is to be at
# least 0.8 times as fast as the slower of cp and sha256sum. How fast it is on a busy machine says
# nothing: the figures are printed, and held to that in a long run alone, as medians. Memory is held to
# its bound in each. What 100 GB take is arithmetic (doc/handing-on.md).
set -euo pipefail
. "$(dirname "$0")/recorder.sh"
work=$T/wacz-large
mkdir "$work"
judge() { "$VENV/bin/python" "$here/wacz/check.py" "$@" || not_ok "wacz/check.py $1 broke off"; }

gigabytes=2 rounds=1
[[ ${CI_LONG-} != 1 ]] || gigabytes=20 rounds=3
free=$(df --output=avail --block-size=1G "$T" | tail -n 1)
needed=$((gigabytes * 9 / 4))
if ((free < needed)); then
  not_ok "wacz-large: $free GB are free below the temporary folder, $needed are needed (set TMPDIR)"
  exit 1
fi
(cd "$here/../.." && CGO_ENABLED=0 go build -o "$T/speed" ./proxy/testdata/speed)
start_recorder large --dedup off --insecure-upstream
# Of ten bytes of bodies seven are left in the WARC files.
said=$("$T/speed" fill -proxy "$address" -bytes $((gigabytes * 10000000000 / 7)) 2>&1) || {
  not_ok "the load broke off: $said"
  exit 1
}
count=$(sed -n 's/^speed: \([0-9]*\) bodies.*/\1/p' <<<"$said")
stop_recorder
equal 'all of the load is recorded' "$(export_lines | grep -c '"status":"200"')" "$count"

# cost NAME COMMAND...: keeps under NAME how long it took in nanoseconds, the seconds of the processors,
# and its memory in MB: with the files that it has mapped, which the system takes back when it wants, and
# without.
cost() {
  "$VENV/bin/python" - "${@:2}" >>"$work/cost-$1" <<'PYTHON' || { not_ok "$1: it broke off"; exit 1; }
import re, resource, subprocess, sys, threading, time
own, ended = [0], threading.Event()


def sample(pid):
    while not ended.wait(0.05):
        try:
            with open(f"/proc/{pid}/status") as status:
                own.extend(map(int, re.findall(r"RssAnon:\s*(\d+)", status.read())))
        except OSError:  # it has just ended
            return


begin = time.monotonic_ns()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
threading.Thread(target=sample, args=[process.pid], daemon=True).start()
status = process.wait()
took, used = time.monotonic_ns() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
ended.set()
print(took, f"{used.ru_utime + used.ru_stime:.1f}", used.ru_maxrss >> 10, max(own) >> 10)
sys.exit(status)
PYTHON
}
# copy NAME: cp and sync. What is written where as much has just been removed takes half as long as the
# first time on a virtual machine, whose host takes back memory that was free for some seconds. So a copy
# that does not count goes before, and the others follow at once.
copy() {
  mkdir "$work/copy"
  cost "$1" sh -c 'cp "$0"/* "$1" && sync "$1"/*' "$archive" "$work/copy"
  rm -r "$work/copy"
}
for ((round = 0; round < rounds; round++)); do
  rm -f "$work/large.wacz"
  cost sha256sum sha256sum "$archive"/*
  copy first
  copy cp
  cost wacz "$WARCORDER" wacz --dir "$T/collections" --collection large -o "$work/large.wacz"
done
# median NAME: what the round of the median time has kept.
median() { sort -n "$work/cost-$1" | sed -n "$(((rounds + 1) / 2))p"; }
# most FIELD: the greatest of the rounds of packing.
most() { cut -d ' ' -f "$1" "$work/cost-wacz" | sort -n | tail -n 1; }
read -r copied copied_cpu _ < <(median cp)
read -r hashed hashed_cpu _ < <(median sha256sum)
read -r packed packed_cpu _ < <(median wacz)
own=$(most 4) mapped=$(most 3)
bytes=$(cat "$archive"/*.warc.gz | wc -c)
rate() { echo "$((bytes * 1000 / $1)) MB/s in $2 s of the processors"; }
echo "# wacz: $((bytes / 1000000)) MB with $count pages packed at $(rate "$packed" "$packed_cpu"), with" \
  "$own MB of memory, $mapped MB with what it has mapped; cp and sync $(rate "$copied" "$copied_cpu")," \
  "sha256sum $(rate "$hashed" "$hashed_cpu"); rounds: $rounds"
try "a collection of $gigabytes GB is packed with less than 100 MB of memory" test "$own" -lt 100
if [[ ${CI_LONG-} == 1 ]]; then
  slower=$((copied > hashed ? copied : hashed))
  name='packing is at least 0.8 times as fast as the slower of cp and sha256sum'
  if ((packed * 8 <= slower * 10)); then
    ok "$name"
  else
    not_ok "$name: $((slower * 100 / packed)) of a hundred"
  fi
fi
rm -r "$T/collections/large"

judge form "$work/large.wacz"
# A page in the middle, in 20 GB at a place that takes more than 32 bits. replayweb.page copies the whole
# list of pages into a database of the browser before it shows anything. It took 0.6 ms for a page on a
# busy machine with two processors, as many as there were: 190 s until one of 345,000 was shown.
url=$(judge middle "$work/large.wacz")
HOME=$work timeout $((300 + gigabytes * 120)) \
  node "$here/wacz/large.mjs" "$work/large.wacz" "$count" "$url" "Page ${url##*=}" "$T/profile-wacz-large" \
  || not_ok 'replayweb.page over large.wacz broke off'
rm -rf "$work" "$T/profile-wacz-large"
