#!/usr/bin/env bash
# A response and an upload of 256 MiB each (2 GiB with CI_LONG=1) go through one recorder, which stays
# under 100 MB of memory (its peak, VmHWM), and both are in the WARC, whole.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

size=$((256 << 20))
if [[ ${CI_LONG-} == 1 ]]; then size=$((2 << 30)); fi
what="$((size >> 20)) MiB"
free=$(df --output=avail --block-size=1 "$T" | tail -n 1)
if ((free < 5 * size)); then # two bodies in the WARC, one spilled beside it, and air
  not_ok "bodies of $what: $((free >> 20)) MiB are free below the temporary folder," \
    "$((5 * size >> 20)) are needed (set TMPDIR)"
  exit 1
fi
head -c 1M /dev/urandom >"$T/block" # further apart than gzip looks back
body() { for ((i = 0; i < size >> 20; i++)); do cat "$T/block"; done; }

SSL_CERT_FILE=$T/site.pem start_recorder big --warc-max-size 10GB
"$WARCORDER" ca >"$T/ca.pem"
origin=localhost:$(field "$T/ports" http)
secure=localhost:$(field "$T/ports" https)
through() {
  curl --disable --silent --show-error --max-time 280 --noproxy '' --proxy "http://$address" \
    --cacert "$T/ca.pem" "$@"
}
peak() { awk '/^VmHWM/ { print int($2 / 1000) }' "/proc/$pid/status"; }

begin=$SECONDS
down=$(through "https://$secure/big/$size" | sha1sum | cut -d ' ' -f 1)
echo "# $what response: $((SECONDS - begin)) s, peak $(peak) MB"
begin=$SECONDS
answer=$(body | through --upload-file - --header 'Transfer-Encoding:' \
  --header "Content-Length: $size" "http://$origin/big")
echo "# $what upload: $((SECONDS - begin)) s, peak $(peak) MB"
up=$(body | sha1sum | cut -d ' ' -f 1)
if [[ $answer == *"\"length\":$size"*"\"sha1\":\"$up\""* ]]; then
  ok "an upload of $what arrives"
else
  not_ok "an upload of $what arrives: $answer"
fi
both_indexed() { (($(export_lines | grep -c /big) == 2)); } # beside them there is the chain of certificates
wait_for 120 both_indexed || not_ok 'both are in the index within two minutes'
memory=$(peak)
if ((memory < 100)); then
  ok "$what each way in $memory MB of memory"
else
  not_ok "$what each way in less than 100 MB of memory: $memory MB"
fi
stop_recorder

check big "$archive" "https://$secure/big/$size" "$size" "$down"
check big "$archive" "http://$origin/big" "$size" "$up"
try 'big: warcio check' "$VENV/bin/warcio" check "$archive"/*.warc.gz
rm -rf "$T/collections/big" "$T/block"
