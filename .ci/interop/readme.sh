#!/usr/bin/env bash
# The commands of README and of the pages in doc/ as they stand there, and those
# that the recorder prints at its start: on a fresh account, in a network of its
# own in which example.org is a server of this script. A command is a line of an
# `sh` block, with what it goes on with behind a backslash. README comes first:
# its recorder runs while the commands of the other pages do. Only what the pages
# leave open is given: the token and a picture; and Chromium gets from the system
# what it needs to run without a screen, not from the command (to which a screen is
# only named).
#
# The tests and the measure of speed, which .ci/run has in a form of its own, are
# run here with CI_LONG=1 only: they take long.
set -euo pipefail
. "$(dirname "$0")/fresh.sh"

cat >"$work/site.py" <<'SITE'
import http.server, ssl, sys, threading

class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b'<!DOCTYPE html><title>page</title><h1>the page of example.org</h1>'
        if '-by-script' not in self.path:  # what asks for this has run the page
            body += b'<script>fetch(location.pathname + "-by-script")</script>'
        self.send_response(200)
        self.send_header('Content-Type', 'text/html')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        print(self.path, self.headers.get('User-Agent'), flush=True)

plain, secure = (http.server.ThreadingHTTPServer(('127.0.0.1', port), Page) for port in (80, 443))
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(*sys.argv[1:])
secure.socket = context.wrap_socket(secure.socket, server_side=True)
threading.Thread(target=plain.serve_forever, daemon=True).start()
print('up', flush=True)
secure.serve_forever()
SITE
start_site "$work/site.py"

export TOKEN=the-token-of-this-run
head -c 1000 /dev/urandom >"$checkout/shot.png"
cd "$checkout"

# record COMMAND: the recorder, at a terminal, for it greets people alone.
record() {
  WARCORDER_API_TOKEN=$TOKEN in_background script --quiet --return --flush \
    --command "$1" "$work/terminal" </dev/null >/dev/null
  recorder=$job
  greeted() { grep -q 'Stop with Ctrl-C' "$work/terminal" 2>/dev/null; }
  if wait_for 120 greeted; then
    ok "$page: $1"
  else
    not_ok "$page: $1: $(tail -n 3 "$work/terminal" | tr '\n' ' ')"
    exit 1
  fi
}

# browse NAME SCRIPT PATH: a command that opens a browser, which never ends: until the page has run.
browse() {
  : >"$work/site.log"
  in_background bash -c "$2" </dev/null >"$T/readme-browser.log" 2>&1
  asked="^$3-by-script .*Chrome"
  has_run() { grep -q "$asked" "$work/site.log"; }
  if wait_for 60 has_run; then
    ok "$1"
  else
    not_ok "$1: $(grep -i 'cert\|ssl' "$T/readme-browser.log" | tail -n 2 | tr '\n' ' ')"
  fi
  end_job
}

# look NAME SCRIPT: a command that opens a browser on the archive, which never ends: until Ctrl-C.
look() {
  timeout --signal=INT 20 bash -c "$2" </dev/null >"$work/out" 2>"$work/err" || true
  grep -Eq '^[0-9]+ requests in .* [1-9][0-9]* answered, ' "$work/err" && ok "$1" \
    || not_ok "$1: $(tail -n 3 "$work/err" | tr '\n' ' ')"
}

# run_one COMMAND: any other, with what is to be in its output.
run_one() {
  local want='' name
  name=$(head -n 1 <<<"$1")
  case $1 in
    curl*/record*) want=recordID ;;
    curl*https://example.org/*) want='the page of example.org' ;;
    *' export '*' -o -' | *' lookup '*) want='^org,example)/ .*"status":"200"' ;;
    *' key '*) want='^urlkey.org,example)/' ;;
    *' verify') want='0 findings' ;;
    curl*/status*) want='"recording": true' ;;
    curl*/gaps*) want='"counts"' ;;
  esac
  if timeout "${long:-300}" bash -c "set -e; $1" </dev/null >"$work/out" 2>"$work/err" \
    && { [[ -z $want ]] || grep -q -- "$want" "$work/out"; }; then
    ok "$page: $name"
  else
    not_ok "$page: $name: $(tail -n 3 "$work/err" "$work/out" | tr '\n' ' ')"
  fi
}

# run_page PAGE LEAST: all of its commands, in order; there are LEAST or more.
run_page() {
  local count=0 command
  page=$1
  while IFS= read -r -d '' -u 3 command; do
    count=$((count + 1))
    case $command in
      'go run .' | 'warcorder' | 'warcorder record') record "$command" ;;
      chromium*) browse "$page: chromium" "$command" / ;;
      'go run . browser https'*) DISPLAY=:0 browse "$page: $command" "$command" / ;;
      'go run . replay https'*) DISPLAY=:0 look "$page: $command" "$command" ;;
      'go test '* | *./proxy/testdata/*) # which also leaves programs in /tmp
        if [[ ${CI_LONG-} == 1 ]]; then long=3000 run_one "$command"; else echo "# with CI_LONG=1: $command"; fi
        ;;
      *) run_one "$command" ;;
    esac
  done 3< <(commands "$page")
  ((count >= $2)) && ok "$page has $count commands" \
    || not_ok "$page has $count commands: are its blocks still marked sh?"
}
run_page README.md 5
run_page doc/operating.md 9
run_page doc/performance.md 2

# What the recorder has printed: commands stand alone on lines that are indented by ten spaces.
# The program that they name is the one that operating.md has built.
tr -d '\r' <"$work/terminal" >"$work/greeting"
while IFS= read -r -u 3 command; do
  said=$(PATH=$checkout:$PATH bash -c "$command" </dev/null 2>&1) && ok "printed: ${command%% *}" \
    || not_ok "printed: $command: $said"
done 3< <(sed -n 's/^ \{10\}\([^ ].*\)/\1/p' "$work/greeting")
browse 'a browser that was told to trust the certificate, as printed, records' \
  'chromium --proxy-server=http://127.0.0.1:8080 https://example.org/everyday' /everyday
status=$(sed -n 's/^  status  \(http[^ ]*\).*/\1/p' "$work/greeting")
try 'printed: the address of the status' curl --silent --fail "$status"
if grep -q 'does not.* trust' "$work/greeting"; then
  not_ok 'no client was taken for one that does not trust the certificate'
fi

kill -INT "$(field collections/default/recorder.json pid)" # as Ctrl-C does
job=$recorder
wait_for 30 gone || true
status=0
wait "$recorder" || status=$?
open=$(find collections -name '*.open' | wc -l)
if ((status == 0 && open == 0)) && compgen -G 'collections/default/archive/*.warc.gz' >/dev/null; then
  ok 'Ctrl-C ends with status 0 and finishes the files'
else
  not_ok "Ctrl-C ends with status $status and leaves $open files open"
fi
