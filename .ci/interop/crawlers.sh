#!/usr/bin/env bash
# doc/crawlers.md, executed: each file that it shows is written, and each command
# that it shows is run as it stands there, on a fresh account in a network of its
# own in which example.org is a server of this script. What each leaves is counted
# in the export and held against what example.org was asked for. Then the wrong
# ways: a client without trust fails with the words of the page and is a gap that
# says what to do; what goes past the proxy leaves nothing, and the page names it.
set -euo pipefail
. "$(dirname "$0")/fresh.sh"

cat >"$work/site.py" <<'SITE'
import http.server, ssl, sys, threading

TITLE = b'.then(() => { document.title = "with a worker" }, (e) => { document.title = e.message })'
PAGES = {
    '/': ('text/html', b'<!DOCTYPE html><title>page</title><link rel=icon href="data:,">'
          b'<link rel=stylesheet href=/style.css><h1>the page</h1><script src=/script.js></script>'),
    '/style.css': ('text/css', b'h1 { color: green }'),
    '/script.js': ('text/javascript',
                   b'fetch("/data.json"); navigator.serviceWorker.register("/worker.js")' + TITLE),
    '/data.json': ('application/json', b'{}'),
    '/worker.js': ('text/javascript', b'fetch("/by-worker.json")'),
    '/by-worker.json': ('application/json', b'[]'),
    '/film.mp4': ('video/mp4', b'\0\0\0\x20ftypisom' + bytes(1000)),
    '/robots.txt': ('text/plain', b'User-agent: *\nAllow: /\n'),
}

worked = threading.Event()  # the service worker has asked

class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        sys.stdout.write('asked\n')
        kind, body = PAGES.get(self.path, ('text/plain', b''))
        if self.path == '/':
            worked.clear()
        elif self.path == '/by-worker.json':
            worked.set()
        elif self.path == '/data.json':
            worked.wait(3)  # so that no page is at rest before
        self.send_response(200 if body else 404)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        sys.stdout.write(f'{self.command} {self.path}\n')  # one write, so that threads share no line
        sys.stdout.flush()

plain, secure = (http.server.ThreadingHTTPServer(('127.0.0.1', port), Page) for port in (80, 443))
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(*sys.argv[1:])
secure.socket = context.wrap_socket(secure.socket, server_side=True)
threading.Thread(target=plain.serve_forever, daemon=True).start()
print('up', flush=True)
secure.serve_forever()
SITE
start_site "$work/site.py"

page=$checkout/doc/crawlers.md
mkdir "$work/bin" "$work/crawl"
ln -s "$WARCORDER" "$work/bin/warcorder"
cd "$work/crawl"
unset SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS JAVA_TOOL_OPTIONS
ln -s "$CRAWLERS/node_modules" node_modules
older=$work/bin:$CRAWLERS/python/bin:$CRAWLERS/node_modules/.bin:$PATH # Debian's Node.js
export PATH=$CRAWLERS/node/bin:$older

# The files of the page: each begins with a comment that is its name.
awk '/^```(python|js|java|go)$/ { head = 1; next } /^```/ { file = "" }
  head { file = $2; head = 0 } file != "" { print > file }' "$page"

captured() { warcorder export --collection "$collection" -o - 2>>"$T/crawlers.log" | grep -c '^org,example)' || true; }
asked() { grep -c '^[A-Z]* /' "$work/site.log" || true; }
refused() {
  warcorder gaps --collection "$collection" --reason refused 2>>"$T/crawlers.log" \
    | grep -c 'trust the certificate' || true
}
abandoned() {
  warcorder gaps --collection "$collection" --reason cut 2>>"$T/crawlers.log" | grep -c '//example.org/' || true
}
# What a client has left behind counts for nobody: the site has answered it before the next begins.
answered() { (($(grep -c '^asked$' "$work/site.log") <= $(asked))); }
begin() {
  wait_for 10 answered || true
  captures=$(captured) requests=$(asked) refusals=$(refused) gaps=$(abandoned)
}
more_captures() { (($(captured) - captures >= $1)); }
more_refusals() { (($(refused) > refusals)); }
said() { grep -v '^\s*at ' "$work/out" | tail -n 3 | tr '\n' ' '; }

# section NAME: what the page says under that heading.
section() { awk -v name="$1" '/^##/ { inside = $0 ~ "^##+ " name "$" } inside' "$page"; }

# page_has SECTION WORDS: wherever its lines break.
page_has() { section "$1" | tr -s ' \n' ' ' | grep -qF -- "$2"; }

# attempt COMMAND: sets status. single-file asks its page before Chromium has it ready, now and then
# on a busy machine: it says so, does nothing more, and ends with 0. It is started again.
attempt() {
  local tries=0
  while ((tries++ < 10)); do
    status=0
    begin
    timeout 120 bash -c "$1" </dev/null >"$work/out" 2>&1 || status=$?
    grep -qF 'Execution context not found for SingleFile world' "$work/out" || break
  done
}

# leaves WANT SECTION COMMAND: it succeeds, and so many captures come of it: all that example.org
# was asked for. WANT is a number, or one with a + behind it where the client may end early: what it
# no longer waited for then is a gap.
leaves() {
  local name status least=${1%+} left=0
  name="$2: $(head -n 1 <<<"$3")"
  attempt "set -e; $3"
  all_captured() {
    [[ $1 != *+ ]] || left=$(($(abandoned) - gaps))
    more_captures "$least" && more_captures $(($(asked) - requests - left))
  }
  wait_for 10 all_captured "$1" || true
  came=$(($(captured) - captures)) went=$(($(asked) - requests))
  if ((status == 0 && came <= went && came + left >= went && came >= least)) \
    && [[ $1 == *+ || $came == "$1" ]]; then
    ok "$name: $came captures"
  else
    not_ok "$name: status $status, $came captures of $went, not $1: $(said)"
  fi
}

# fails SECTION WORDS COMMAND: a client without trust. It says the words, which the page has; nothing
# is captured; a gap says what to do.
fails() {
  local name="$1 without trust says $2" status
  attempt "$3"
  if ! grep -qF -- "$2" "$work/out"; then
    not_ok "$name: $(said)"
  elif ! page_has "$1" "$2"; then
    not_ok "$name: the page does not say so"
  elif ! wait_for 20 more_refusals || (($(captured) != captures)); then
    not_ok "$name: $(($(refused) - refusals)) gaps, $(($(captured) - captures)) captures"
  else
    ok "$name, and is a gap"
  fi
}

# passes SECTION WORDS CAPTURES PAST COMMAND: it succeeds; of what example.org is asked for, PAST
# requests are not captured, and the recorder knows nothing of them. The page has the words.
passes() {
  local name="$1: $2 goes past the proxy" status=0
  begin
  timeout 120 bash -c "$5" </dev/null >"$work/out" 2>&1 || status=$?
  wait_for 10 more_captures "$3" || true
  if ! page_has "$1" "$2"; then
    not_ok "$name: the page does not say so"
  elif ((status == 0 && $(captured) - captures == $3 && $(asked) - requests == $3 + $4)) \
    && (($(refused) == refusals)); then
    ok "$name: $3 captures of $(($3 + $4))"
  else
    not_ok "$name: status $status, $(($(captured) - captures)) captures of $(($(asked) - requests)): $(said)"
  fi
}

# want_of COMMAND: what an example leaves: a page with what it pulls in, the service worker's request
# included.
want_of() {
  case $1 in
    *brozzle-page*) echo 9 ;;
    *single-file*) echo 7 ;;
    *browse.py) echo 3+ ;;
    *playwright.mjs | *puppeteer.mjs | *browsertrix.mjs) echo 6 ;;
    *wget*) echo 4 ;;
    *yt-dlp*) echo 2 ;;
    'warcorder run'*) echo 1 ;;
    'warcorder '* | 'go build'*) echo 0 ;;
    *) echo 1 ;;
  esac
}

# run_section NAME LEAST: its commands, in order; there are LEAST or more.
run_section() {
  local command count=0
  while IFS= read -r -d '' -u 3 command; do
    count=$((count + 1))
    case $command in
      export*) eval "$command" ;;
      'warcorder record'*) in_background $command </dev/null >"$work/recorder" 2>&1
        recording() { [[ -e collections/$collection/recorder.json ]]; }
        wait_for 20 recording && ok "$command" || { not_ok "$command: $(tail -n 2 "$work/recorder")"; exit 1; } ;;
      *) leaves "$(want_of "$command")" "$1" "$command" ;;
    esac
  done 3< <(commands <(section "$1"))
  ((count >= $2)) || not_ok "$1 has $2 commands: are its blocks still marked sh?"
}

# variant FILE SED...: the program FILE with these changes, in a file of the same kind: sets changed.
variant() {
  local name=$1
  changed=changed-$name
  shift
  sed "$@" "$name" >"$changed"
  ! cmp --silent "$name" "$changed" || not_ok "the change of $name: $*"
}

# The general way: each starts a recorder of its own, for programs that name no proxy and no trust.
collection=default
for file in playwright.mjs puppeteer.mjs browse.py; do
  variant "$file" -e /spki-list/d -e /proxy/d
  mv "$file" "by-hand-$file"
  mv "$changed" "$file"
done
go build fetch.go
run_section 'The general way' 14
PATH=$older leaves 1 'The general way with Debian'"'"'s Node.js' 'warcorder run -- node fetch.mjs'
# tells WORDS COMMAND: run says so itself, and the page too.
tells() {
  begin
  bash -c "$2" </dev/null >"$work/out" 2>&1 || true
  if grep -q "^warcorder: .*$1" "$work/out" && page_has 'The general way' "$1" && (($(captured) == captures)); then
    ok "The general way: run says $1"
  else
    not_ok "The general way: run says $1: $(said)"
  fi
}
variant fetch.go -e 's|http.Get|(\&http.Client{Transport: \&http.Transport{}}).Get|'
go build "$changed"
tells 'it went past the recorder' 'warcorder run -- ./changed-fetch'
variant page.py -e "s|org/'|&, verify='/etc/ssl/certs/ca-certificates.crt'|"
tells refused "warcorder run -- python $changed"
# What brozzler leaves out without --proxy.
passes 'The general way' 'fetches the scripts of service workers past all proxies' 8 1 \
  'warcorder run -- brozzle-page https://example.org/'
for file in playwright.mjs puppeteer.mjs browse.py; do mv "by-hand-$file" "$file"; done
rm film*

collection=crawl
proxy=https_proxy=http://127.0.0.1:8080
run_section 'Set up by hand' 3

run_section curl 1
fails curl 'SSL certificate problem: self-signed certificate in certificate chain' \
  'curl --proxy http://127.0.0.1:8080 https://example.org/'
passes curl no_proxy 0 1 'no_proxy=.org curl --proxy http://127.0.0.1:8080 https://example.org/'
leaves 1 curl "no_proxy=.org curl --noproxy '' --proxy http://127.0.0.1:8080 --cacert ca.pem https://example.org/"
leaves 1 curl "$proxy CURL_CA_BUNDLE=ca.pem curl https://example.org/"
passes 'What goes wrong' HTTP_PROXY 0 1 'HTTP_PROXY=http://127.0.0.1:8080 curl http://example.org/'

# GnuTLS, Node.js and Java close without a word: they are told of while none of their kind has
# shown trust, so they come before their examples.
fails wget 'The certificate of ‘example.org’ is not trusted' \
  "LC_ALL=C.UTF-8 SSL_CERT_FILE=ca.pem $proxy wget --tries 1 -O - https://example.org/"
run_section wget 1
passes wget no_proxy 0 1 \
  'no_proxy=.org wget -e https_proxy=http://127.0.0.1:8080 --ca-certificate=ca.pem -O - https://example.org/'

run_section 'Python requests' 1
fails 'Python requests' CERTIFICATE_VERIFY_FAILED "$proxy SSL_CERT_FILE=ca.pem python page.py"
variant page.py -e 's/^import.*/&\nsession = requests.Session()/' -e 's/requests.get/session.get/'
cp "$changed" session.py
variant session.py -e "s/^session.*/&\nsession.verify = 'ca.pem'/"
fails 'Python requests' CERTIFICATE_VERIFY_FAILED \
  "$proxy REQUESTS_CA_BUNDLE=/etc/ssl/certs/ca-certificates.crt python $changed"
leaves 1 'Python requests' "$proxy python $changed"
variant session.py -e 's/^session.*/&\nsession.trust_env = False/' \
  -e "s|^session.*|&\nsession.verify = '/etc/ssl/certs/ca-certificates.crt'|"
passes 'Python requests' trust_env 0 1 "$proxy REQUESTS_CA_BUNDLE=ca.pem python $changed"

run_section httpx 1
fails httpx CERTIFICATE_VERIFY_FAILED "$proxy REQUESTS_CA_BUNDLE=ca.pem python client.py"
variant client.py -e 's/^import.*/&\nimport ssl/' \
  -e "s|httpx.get(|httpx.Client(trust_env=False, verify=ssl.create_default_context()).get(|"
passes httpx trust_env=False 0 1 "$proxy python $changed"
variant client.py -e 's/^import.*/&\nimport ssl/' \
  -e "s|httpx.get(|httpx.Client(proxy='http://127.0.0.1:8080', verify=trust).get(|" \
  -e "s/^$/trust = ssl.create_default_context(cafile='ca.pem')/"
leaves 1 httpx "no_proxy=.org python $changed"

run_section Scrapy 1
scrapy="$proxy scrapy runspider spider.py"
fails Scrapy 'certificate verify failed' "$scrapy -s DOWNLOAD_VERIFY_CERTIFICATES=1"
leaves 2 Scrapy "SSL_CERT_FILE=ca.pem $scrapy -s DOWNLOAD_VERIFY_CERTIFICATES=1 -s ROBOTSTXT_OBEY=1"
passes Scrapy HTTPPROXY_ENABLED=0 0 1 "$scrapy -s HTTPPROXY_ENABLED=0"
leaves 1 Scrapy "$scrapy -s HTTPCACHE_ENABLED=1 -s HTTPCACHE_DIR=$work/cache"
leaves 0 Scrapy "$scrapy -s HTTPCACHE_ENABLED=1 -s HTTPCACHE_DIR=$work/cache"

run_section yt-dlp 1
fails yt-dlp CERTIFICATE_VERIFY_FAILED \
  'SSL_CERT_FILE=ca.pem yt-dlp --proxy http://127.0.0.1:8080 https://example.org/film.mp4 --output fails'
leaves 2 yt-dlp \
  'yt-dlp --no-check-certificates --proxy http://127.0.0.1:8080 https://example.org/film.mp4 --output unchecked'
passes yt-dlp "--proxy ''" 0 2 \
  "$proxy yt-dlp --compat-options no-certifi --proxy '' https://example.org/film.mp4 --output passes"

fails 'Node.js fetch' SELF_SIGNED_CERT_IN_CHAIN "NODE_USE_ENV_PROXY=1 $proxy node fetch.mjs"
run_section 'Node.js fetch' 2
system=NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
passes 'Node.js fetch' 'without `NODE_USE_ENV_PROXY=1`' 0 1 "$proxy $system node fetch.mjs"
passes 'Node.js fetch' 'Older ones' 0 1 "PATH=$older; NODE_USE_ENV_PROXY=1 $proxy $system node fetch.mjs"
leaves 1 'Node.js fetch' "PATH=$older; $proxy NODE_EXTRA_CA_CERTS=ca.pem node undici.mjs"

fails 'Java HttpClient' 'PKIX path building failed' \
  'java -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=8080 Fetch.java'
run_section 'Java HttpClient' 2
keytool -importcert -noprompt -file "$work/root.pem" -keystore "$work/system.p12" -storetype PKCS12 \
  -storepass changeit 2>>"$T/crawlers.log"
passes 'Java HttpClient' 'neither `https_proxy` nor `SSL_CERT_FILE`' 0 1 \
  "$proxy SSL_CERT_FILE=ca.pem java -Djavax.net.ssl.trustStore=$work/system.p12 \
    -Djavax.net.ssl.trustStorePassword=changeit Fetch.java"

run_section Go 2
fails Go 'certificate signed by unknown authority' "$proxy ./fetch"
variant fetch.go -e 's|http.Get|(\&http.Client{Transport: \&http.Transport{}}).Get|'
passes Go 'http.Transport{}' 0 1 "go build $changed && $proxy ./changed-fetch"
variant fetch.go -e 's|https://example.org|http://localhost|'
passes Go 'localhost and loopback addresses' 0 1 \
  "go build $changed && http_proxy=http://127.0.0.1:8080 ./changed-fetch"

untrusting=(-e /spki-list/d)
run_section Playwright 1
variant playwright.mjs "${untrusting[@]}"
fails Playwright net::ERR_CERT_AUTHORITY_INVALID "node $changed"
variant playwright.mjs "${untrusting[@]}" -e 's/newPage()/newPage({ ignoreHTTPSErrors: true })/'
begin
node "$changed" >"$work/out" 2>&1 || true
if grep -q 'Failed to register a ServiceWorker' "$work/out" && wait_for 10 more_captures 4; then
  ok 'Playwright with ignoreHTTPSErrors loads the page and no service worker'
else
  not_ok "Playwright with ignoreHTTPSErrors loads the page and no service worker: $(said)"
fi
variant playwright.mjs -e "s|^await page.goto.*|await page.request.get('https://example.org/')|"
fails Playwright 'self-signed certificate in certificate chain' "node $changed"
leaves 1 Playwright "NODE_EXTRA_CA_CERTS=ca.pem node $changed"
variant playwright.mjs \
  -e "s|^await page.goto|await page.route('**/style.css', (route) => route.fulfill({ body: '' }))\n&|"
leaves 5 Playwright "node $changed"

run_section Puppeteer 1
variant puppeteer.mjs "${untrusting[@]}"
fails Puppeteer net::ERR_CERT_AUTHORITY_INVALID "node $changed"
variant puppeteer.mjs -e 's|https://example.org|http://localhost|'
passes Puppeteer 'pages of localhost' 0 6 "node $changed"

run_section Selenium 1
variant browse.py "${untrusting[@]}"
fails Selenium 'Privacy error' "python $changed"

run_section single-file-cli 1
# It takes the rest of the empty page before for the page's, and then waits: where a second does not do,
# the browser's refusal comes too late.
fails single-file-cli 'Unreachable URL' 'single-file --browser-executable-path=/usr/bin/chromium \
  --browser-wait-until-delay=30000 --http-proxy-server=http://127.0.0.1:8080 \
  https://example.org/ unreachable.html'

run_section brozzler 1
passes brozzler 'the page'"'"'s head, and yt-dlp. Without it they go past the proxy' 7 2 \
  'BROZZLER_EXTRA_CHROME_ARGS=--ignore-certificate-errors-spki-list=$SPKI \
    brozzle-page --proxy 127.0.0.1:8080 https://example.org/'
fails brozzler PageConnectionError 'brozzle-page --skip-youtube-dl --proxy 127.0.0.1:8080 https://example.org/'

run_section Browsertrix 1

# A root that all browsers of the account trust, and programs that have nothing but the variable.
run_section 'Crawlers with a browser' 1
variant playwright.mjs "${untrusting[@]}" -e '/proxy: /d'
leaves 6 Playwright "$proxy node $changed"
variant browse.py "${untrusting[@]}" -e /proxy-server/d
leaves 3+ Selenium "$proxy python $changed"
try 'warcorder untrust' warcorder untrust
fails Playwright net::ERR_CERT_AUTHORITY_INVALID "$proxy node changed-playwright.mjs"

leaves 1 'Running a crawl' "curl --proxy http://127.0.0.1:8080 --cacert ca.pem \
  -H 'Warcprox-Meta: {\"warc-prefix\": \"-\"}' -H 'Recorder-Skip: 1' https://example.org/"
run_section 'Running a crawl' 3
open=collections/crawl/recorder.json
kill -INT "$(field "$open" pid)"
job_status=0
wait "$job" || job_status=$?
equal 'the recorder ends with status 0' "$job_status" 0
try 'the collection is whole' warcorder verify --collection crawl
