# shellcheck shell=bash
# Sourced by the scripts that run the commands of pages. The script starts again in
# a network of its own, in which example.org is 127.0.0.1, and on a fresh account:
# nothing is known of ours in the environment. Sets work, a folder of the script's
# own, and checkout, a copy of the project. Chromium gets from the system what it
# needs to run without a screen, and nothing from the commands.
if [[ ${1-} != inside ]]; then
  users=()
  unshare -nm true 2>/dev/null || users=(--user --map-root-user)
  exec unshare "${users[@]}" --net --mount bash "$0" inside
fi
. "$(dirname "${BASH_SOURCE[0]}")/recorder.sh"

ip link set lo up
work=$T/$(basename "$0" .sh)
checkout=$work/checkout
mkdir -p "$work/home" "$checkout"
tar -C "$here/../.." --exclude=./.git -cf - . | tar -C "$checkout" -xf -

GOMODCACHE=$(go env GOMODCACHE) GOCACHE=$(go env GOCACHE)
export GOMODCACHE GOCACHE GOPROXY=off GOTOOLCHAIN=local HOME=$work/home
unset XDG_CONFIG_HOME "${!WARCORDER_@}" https_proxy http_proxy HTTPS_PROXY HTTP_PROXY

# Debian's chromium takes flags of the system from this folder.
cp -a /etc/chromium.d "$work/chromium.d"
echo 'export CHROMIUM_FLAGS="$CHROMIUM_FLAGS --headless --no-sandbox --disable-gpu --no-first-run"' \
  >"$work/chromium.d/fresh"
mount --bind "$work/chromium.d" /etc/chromium.d

# example.org, and whatever else is in names, has a certificate that this machine trusts.
: "${names:=example.org}"
(cd "$work" \
  && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=fresh-root \
    -addext basicConstraints=critical,CA:TRUE -keyout root.key -out root.pem \
  && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
    -subj /CN=example.org -CA root.pem -CAkey root.key \
    -addext "subjectAltName=DNS:${names// /,DNS:}" -addext basicConstraints=CA:FALSE \
    -keyout site.key -out site.pem) 2>/dev/null
cat /etc/ssl/certs/ca-certificates.crt "$work/root.pem" >"$work/bundle.pem"
mount --bind "$work/bundle.pem" /etc/ssl/certs/ca-certificates.crt
printf '127.0.0.1 localhost %s\n127.0.0.1 %s\n' "$(hostname)" "$names" >"$work/hosts"
mount --bind "$work/hosts" /etc/hosts

# start_site PROGRAM: a Python program that serves example.org at 80 and 443, with
# the certificate and the key as its arguments, and prints `up` once it does. What
# it prints is appended to work/site.log.
start_site() {
  "$VENV/bin/python" "$1" "$work/site.pem" "$work/site.key" >>"$work/site.log" 2>"$work/site.err" &
  pids[$!]=$!
  wait_for 20 grep -qx up "$work/site.log"
}

# in_background COMMAND...: sets job, which is the leader of a group of its own.
in_background() {
  setsid "$@" &
  job=$!
  pids[job]=$job
}
gone() { ! kill -0 -- "-$job" 2>/dev/null; }
end_job() {
  kill -TERM -- "-$job" 2>/dev/null || true
  wait_for 20 gone || kill -KILL -- "-$job"
  unset "pids[$job]"
}

# commands PAGE: the commands of its sh blocks, each ended by a NUL. A command is a
# line, with what it goes on with behind a backslash.
commands() {
  awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 }
    inside && NF { printf "%s", $0; if (/\\$/) printf "\n"; else printf "%c", 0 }' "$1"
}
