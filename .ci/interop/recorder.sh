# shellcheck shell=bash
# Shell functions of the interop run, sourced by its scripts: start and stop a
# recorder, run a check. They expect T (the temporary folder), WARCORDER (the
# binary) and VENV (where warcio and the others are installed).

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# What the environment calls a proxy is no way out for a recorder that is tried.
unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY

pids=() # what this script has started and not seen end, by pid; ended when it exits
end_all() {
  kill "${pids[@]}" 2>/dev/null || true
  all_ended() { ! kill -0 "${pids[@]}" 2>/dev/null; }
  wait_for 5 all_ended || kill -KILL "${pids[@]}" 2>/dev/null || true
}
trap end_all EXIT

ok() { echo "ok - $*"; }
not_ok() { echo "not ok - $*"; }

# try NAME COMMAND...: ok if the command succeeds, else not ok with what it said.
try() {
  local name=$1 said
  shift
  if said=$("$@" 2>&1); then ok "$name"; else not_ok "$name: $(tail -n 3 <<<"$said" | tr '\n' ' ')"; fi
}

# equal NAME GOT WANT: ok if they are, else not ok with both.
equal() { if [[ $2 == "$3" ]]; then ok "$1"; else not_ok "$1: ${2:0:300}, not ${3:0:100}"; fi; }

# check and client print the verdict themselves; they fail only by breaking off.
check() { "$VENV/bin/python" "$here/check.py" "$@" || not_ok "check.py $1 broke off"; }
client() { "$VENV/bin/python" "$here/client.py" "$@" || not_ok "client.py $1 broke off"; }

# wait_for SECONDS COMMAND...: until it succeeds, at most so long.
wait_for() {
  local deadline=$((SECONDS + $1))
  until "${@:2}"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.05
  done
}

# field FILE NAME: the first string or number under NAME in a JSON file.
field() {
  "$VENV/bin/python" -c '
import json, sys
value = json.load(open(sys.argv[1]))[sys.argv[2]]
print(value[0] if isinstance(value, list) else value)' "$@" 2>/dev/null
}

# start_recorder COLLECTION FLAG...: sets pid, address and archive.
start_recorder() {
  collection=$1
  archive=$T/collections/$collection/archive
  "$WARCORDER" record --listen 127.0.0.1:0 --dir "$T/collections" --collection "$collection" --log json "${@:2}" \
    </dev/null >>"$T/$collection.log" 2>&1 &
  pid=$!
  pids[pid]=$pid
  is_up() { [[ $(field "$T/collections/$collection/recorder.json" pid) == "$pid" ]]; }
  is_up_or_gone() { is_up || has_ended; }
  if ! wait_for 20 is_up_or_gone || has_ended; then
    not_ok "the recorder of $collection starts: $(tail -n 3 "$T/$collection.log" | tr '\n' ' ')"
    exit 1
  fi
  address=$(field "$T/collections/$collection/recorder.json" addresses)
}

has_ended() { ! kill -0 "$pid" 2>/dev/null; }

# has_recorded_all waits until the recorder is idle: no client waits, and it fetches nothing by itself.
is_idle() {
  local status
  status=$(curl --disable --silent --noproxy '*' "http://$address/status" | tr -d ' \n') \
    && [[ $status == *'"inFlight":0,'*'"completions":{"waiting":0,"running":0,"alone":0,'* ]]
}
has_recorded_all() { wait_for 60 is_idle || not_ok "the recorder of $collection has all"; }

# stop_recorder: SIGTERM; it must exit 0 and leave no file open. One that does
# not end tells where it stands (SIGQUIT) in its log.
stop_recorder() {
  local status=0 open
  kill "$pid"
  wait_for 30 has_ended || kill -QUIT "$pid"
  wait "$pid" || status=$?
  unset "pids[$pid]"
  open=$(find "$archive" -name '*.open' | wc -l)
  if [[ $status == 0 && $open == 0 ]]; then
    ok "the recorder of $collection exits 0 at SIGTERM, no .open file left"
  else
    not_ok "the recorder of $collection exits $status at SIGTERM, $open .open files left"
  fi
}

export_lines() { export_replayed --all; }

# export_replayed [FLAG]: those that pywb gets: without 304s, and without parts of what is there whole.
export_replayed() {
  "$WARCORDER" export "$@" --dir "$T/collections" --collection "$collection" -o - 2>>"$T/$collection.log"
}

# check_warcs: every WARC of the collection stands up to gzip, warcio and zlib.
check_warcs() {
  try "$collection: gzip -t" gzip -t "$archive"/*.warc.gz
  try "$collection: warcio check" "$VENV/bin/warcio" check "$archive"/*.warc.gz
}

# fetch NAME PATH OPTION...: over HTTP and HTTPS, the answer kept in the folder
# client as it came.
fetch() {
  local scheme said
  for scheme in http https; do
    said=$(curl --disable --silent --show-error --max-time 30 \
      --raw --include --suppress-connect-headers --path-as-is --globoff \
      --noproxy '' --proxy "http://$address" --cacert "${CA:-$T/ca.pem}" --header "X-Interop: $scheme-$1" \
      --output "$client/$scheme-$1" "${@:3}" "$scheme://localhost:$(field "$T/ports" "$scheme")$2" 2>&1) \
      || not_ok "curl $scheme $2: $said"
  done
}

# fetch_all FOLDER: answers of every kind that the site has.
fetch_all() {
  local client=$1
  mkdir -p "$client"
  fetch plain /plain.json
  fetch gzip /gzip.json --header 'Accept-Encoding: gzip'
  fetch br /br.json --header 'Accept-Encoding: br'
  fetch head /plain.json --head
  fetch post /echo --json '{"b": 1, "a": "größer"}'
  fetch delete /echo --request DELETE
  fetch put-expect /form --upload-file "$T/upload" --header 'Expect: 100-continue'
  fetch post-chunked /form --data-binary "@$T/upload" --header 'Transfer-Encoding: chunked' --header 'Expect:'
  fetch query '/search?q=größer|{}&A=1&a=0'
  fetch escapes '/search/%zz/../%7Euser;v=1?x=%e4'
  fetch redirect /redirect
  fetch empty /empty
  fetch missing /missing
  fetch range /range --range 100-199
  fetch chunked /chunked
  fetch odd /odd
  fetch early /early
  fetch close /close
  fetch large /big.png
  fetch http10 /plain.json --http1.0 --no-alpn
}

# fetch_same FOLDER: the same bodies at two addresses each, and one not modified.
fetch_same() {
  local client=$1 name number
  mkdir -p "$client"
  for number in 1 2; do
    for name in plain gzip chunked other-chunks gzip-chunked; do fetch "$name-$number" "/same/$number/$name"; done
  done
  fetch tagged /tagged
  fetch not-modified /tagged --header 'If-None-Match: "one"'
}

# new_home FOLDER: a home for a browser that trusts the recorder's root and no
# switch. CA is its certificate: T/ca.pem, which gets there at once, since scripts run
# side by side; or, of one with a root of its own (fresh.sh), what only that one sees.
new_home() {
  [[ ! -e $1/.pki ]] || { not_ok "$1 is another script's"; return 1; } # certutil would ask for a password, for ever
  mkdir -p "$1/.pki/nssdb"
  "$WARCORDER" ca >"$1/ca.pem"
  certutil -d "sql:$1/.pki/nssdb" -N --empty-password
  certutil -d "sql:$1/.pki/nssdb" -A -t C,, -n warcorder -i "$1/ca.pem"
  CA=$1/ca.pem
  if [[ -n ${XDG_CONFIG_HOME-} ]]; then
    mv "$CA" "$T/ca.pem"
    CA=$T/ca.pem
  fi
}

# free_port prints one that nobody listens on.
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

# start_storage FOLDER BUCKET: object storage with a bucket, as the environment of what comes after says.
start_storage() {
  local gateway
  mkdir -p "$1/buckets/$2" "$1/meta"
  gateway=$(cd "$here/../fleet/tools" && CGO_ENABLED=0 go tool -n versitygw)
  export AWS_ENDPOINT_URL AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=interop AWS_SECRET_ACCESS_KEY=interop-secret \
    AWS_EC2_METADATA_DISABLED=true
  AWS_ENDPOINT_URL=http://127.0.0.1:$(free_port)
  "$gateway" --port "${AWS_ENDPOINT_URL#http://}" --quiet --access "$AWS_ACCESS_KEY_ID" \
    --secret "$AWS_SECRET_ACCESS_KEY" posix --sidecar "$1/meta" "$1/buckets" </dev/null >"$1/log" 2>&1 &
  pids[$!]=$!
  storage_answers() { curl --disable --silent --noproxy '*' --output /dev/null "$AWS_ENDPOINT_URL"; }
  wait_for 20 storage_answers || not_ok "object storage answers: $(tail -n 3 "$1/log" | tr '\n' ' ')"
}
listens() { : 2>/dev/null <>"/dev/tcp/127.0.0.1/$1"; }

# start_pywb [FOLDER OPTION...]: on the collections as they are, with the indexes
# that export writes into them. Sets pywb, the URL of this collection in it.
start_pywb() {
  local port folder=${1:-$T}
  port=$(free_port)
  (cd "$folder" && exec "$VENV/bin/wayback" --bind 127.0.0.1 --port "$port" "${@:2}" </dev/null >"$T/pywb.log" 2>&1) &
  pids[$!]=$!
  pywb=http://127.0.0.1:$port/$collection
  pywb_is_up() { curl --disable --silent --noproxy '*' --output /dev/null "$pywb/"; }
  wait_for 60 pywb_is_up && return
  not_ok "pywb starts: $(tail -n 3 "$T/pywb.log" | tr '\n' ' ')"
  return 1
}
