# shellcheck shell=bash
# Shell functions of the fleet run: servers and recorders by name, ended by pid when it exits. They
# expect T, VENV, TOOLS, WARCORDER, LOAD and FLEET.

unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
declare -A pid_of # what was started, by name
declare -A flags_of address_of
end_all() {
  local name
  for name in "${!pid_of[@]}"; do
    kill -CONT "${pid_of[$name]}" 2>/dev/null || true
    kill -KILL "${pid_of[$name]}" 2>/dev/null || true
  done
  wait 2>/dev/null || true
}
trap end_all EXIT

ok() { echo "ok - $*"; }
not_ok() { echo "not ok - $*"; }
figure() { echo "figure: $*"; }
try() {
  local name=$1 said
  shift
  if said=$("$@" 2>&1); then ok "$name"; else not_ok "$name: $(tail -n 4 <<<"$said" | tr '\n' ' ' | cut -c 1-400)"; fi
}
equal() { if [[ $2 == "$3" ]]; then ok "$1"; else not_ok "$1: ${2:0:300}, not ${3:0:100}"; fi; }
# holds NAME EXPRESSION: ok if python finds it true.
holds() { if [[ $("$VENV/bin/python" -c "print($2)") == True ]]; then ok "$1"; else not_ok "$1: $2"; fi; }
wait_for() {
  local deadline=$((SECONDS + $1))
  until "${@:2}"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.1
  done
}

# start NAME COMMAND...: in the background, with a log of its own.
start() {
  local name=$1
  shift
  "$@" </dev/null >>"$T/$name.log" 2>&1 &
  pid_of[$name]=$!
}
alive() { kill -0 "${pid_of[$1]}" 2>/dev/null; }
# ends NAME [SIGNAL]: and waits for it.
ends() {
  local pid=${pid_of[$1]}
  kill "-${2:-TERM}" "$pid"
  gone() { ! kill -0 "$pid" 2>/dev/null; }
  wait_for 60 gone || { not_ok "$1 ends at ${2:-TERM}"; kill -KILL "$pid"; }
  { wait "$pid" || true; } 2>/dev/null # the shell says what was killed
  unset "pid_of[$1]"
}

free_port() {
  "$VENV/bin/python" -c '
import random, socket
while True:
    try:
        with socket.socket() as s: # a port that no system gives to who asks for none
            s.bind(("127.0.0.1", random.randrange(10000, 32000)))
            print(s.getsockname()[1])
            break
    except OSError:
        pass'
}

# json NAME [FILE]: a value of a JSON text by the names on the way to it, with dots.
json() {
  "$VENV/bin/python" -c '
import json, sys
value = json.load(open(sys.argv[2]) if len(sys.argv) > 2 else sys.stdin)
for name in sys.argv[1].split("."):
    value = value[int(name)] if isinstance(value, list) else value.get(name, "")
print(value)' "$@" 2>/dev/null
}

# start_recorder NAME FLAG...: a recorder of the collection NAME, with the one authority.
start_recorder() {
  local name=$1
  shift
  flags_of[$name]="$*"
  # shellcheck disable=SC2086
  start "$name" "$WARCORDER" record --listen 127.0.0.1:0 --dir "${DIR:-$T/collections}" --collection "$name" \
    --log json --quiet --ca-dir "$T/ca" --warc-prefix "$name" --min-free-space 0 ${flags_of[$name]}
  local running=${DIR:-$T/collections}/$name/recorder.json
  is_up() { [[ $(json pid "$running") == "${pid_of[$name]}" ]] || ! alive "$name"; }
  wait_for 60 is_up
  if ! alive "$name"; then
    not_ok "$name starts: $(tail -n 3 "$T/$name.log" | tr '\n' ' ')"
    exit 1
  fi
  address_of[$name]=$(json addresses.0 "$running")
}
# shellcheck disable=SC2086
again() { start_recorder "$1" ${flags_of[$1]}; }
status_of() { curl --disable --silent --noproxy '*' --max-time 10 "http://${address_of[$1]}/status"; }
metric() {
  curl --disable --silent --noproxy '*' --max-time 10 "http://${address_of[$1]}/metrics" \
    | awk -v n="$2" '$1 == n { print $2 }'
}

# command NAME COMMAND FLAG...: warcorder's, of the collection NAME.
of() { "$WARCORDER" "$2" --dir "${DIR:-$T/collections}" --collection "$1" "${@:3}"; }

# toxiproxy by its API.
toxi() {
  curl --disable --silent --show-error --fail --noproxy '*' --max-time 10 "http://127.0.0.1:$TOXI/$1" "${@:2}" \
    >/dev/null
}
between() { toxi proxies --json "{\"name\":\"$1\",\"listen\":\"127.0.0.1:$2\",\"upstream\":\"$3\",\"enabled\":true}"; }
poison() {
  toxi "proxies/$1/toxics" --json "{\"name\":\"$2\",\"type\":\"$2\",\"stream\":\"${4:-downstream}\",\"attributes\":$3}"
}
cure() { toxi "proxies/$1/toxics/$2" --request DELETE; }
sever() { toxi "proxies/$1" --json '{"enabled":false}'; }
mend() { toxi "proxies/$1" --json '{"enabled":true}'; }
