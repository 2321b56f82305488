# The site of newcomer.sh: a page that pulls in what pages are made of, and asks for
# /done when all of that has come; and the host that Chromium asks for updates, which
# its page asks for by itself. It prints METHOD HOST PATH of what it is asked for.
#
#   python site.py CERTIFICATE KEY    at 80 and 443 of loopback
import base64, hashlib, http.server, ssl, sys, threading

# A picture of one pixel.
PIXEL = base64.b64decode('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7')
PAGE = b'''<!DOCTYPE html><title>page</title><link rel=icon href="data:,">
<link rel=stylesheet href=/style.css><h1>the page</h1><img src=/image.gif><script src=/script.js></script>'''
SCRIPT = b'''
const image = new Promise((got) => addEventListener("load", got));
const posted = fetch("/post", { method: "POST", body: "a=1&b=2",
  headers: { "Content-Type": "application/x-www-form-urlencoded" } });
const byWorker = new Promise((got) => navigator.serviceWorker.addEventListener("message", got));
const worker = navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready)
  .then((registered) => registered.active.postMessage("fetch"));
const socket = new Promise((got) => {
  new WebSocket("wss://example.org/socket").onmessage = got;
});
const events = new Promise((got) => {
  const source = new EventSource("/events");
  source.onerror = () => { source.close(); got(); };  // the server has ended it
});
const chatter = fetch("https://update.googleapis.com/of-the-page", { mode: "no-cors" });
Promise.all([image, posted, byWorker, worker, socket, events, chatter]).then(() => fetch("/done"));
'''
WORKER = b'''onmessage = (asked) => asked.waitUntil(
  fetch("/by-worker.json").then(() => asked.source.postMessage("done")));'''
FILES = {
    '/': ('text/html', PAGE),
    '/style.css': ('text/css', b'h1 { color: green }'),
    '/script.js': ('text/javascript', SCRIPT),
    '/image.gif': ('image/gif', PIXEL),
    '/worker.js': ('text/javascript', WORKER),
    '/by-worker.json': ('application/json', b'[]'),
    '/done': ('text/plain', b'done'),
    '/of-the-page': ('text/plain', b'no update'),
    '/waiting': ('text/html', b'<!DOCTYPE html><title>waiting</title><link rel=icon href="data:,">'
                 b'<script>fetch("/never")</script>'),
}
WEBSOCKET = b'258EAFA5-E914-47DA-95CA-C5AB0DC85B11'  # RFC 6455 section 1.3
ended = threading.Event()


class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        if self.path == '/socket':
            return self.socket()
        if self.path == '/never':  # its answer begins and does not end
            self.head('text/plain', None)
            return ended.wait()
        if self.path == '/events':
            self.head('text/event-stream', None)
            return self.wfile.write(b'data: one\n\ndata: two\n\n')
        kind, body = FILES.get(self.path, ('text/plain', b''))
        self.head(kind, body, 200 if body else 404)
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers['Content-Length']))
        self.head('application/json', b'{}')
        self.wfile.write(b'{}')

    def head(self, kind, body, status=200):
        self.send_response(status)
        self.send_header('Content-Type', kind)
        if body is None:
            self.send_header('Connection', 'close')
        else:
            self.send_header('Content-Length', str(len(body)))
        self.end_headers()

    def socket(self):
        key = self.headers['Sec-WebSocket-Key'].encode()
        self.send_response(101)
        self.send_header('Upgrade', 'websocket')
        self.send_header('Connection', 'Upgrade')
        self.send_header('Sec-WebSocket-Accept',
                         base64.b64encode(hashlib.sha1(key + WEBSOCKET).digest()).decode())
        self.end_headers()
        self.wfile.write(b'\x81\x05hello')
        self.rfile.read()  # until the browser leaves
        self.close_connection = True

    def log_message(self, *_):
        sys.stdout.write(f'{self.command} {self.headers["Host"]} {self.path}\n')  # one write
        sys.stdout.flush()


plain, secure = (http.server.ThreadingHTTPServer(('127.0.0.1', port), Page) for port in (80, 443))
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(*sys.argv[1:])
secure.socket = context.wrap_socket(secure.socket, server_side=True)
threading.Thread(target=plain.serve_forever, daemon=True).start()
print('up', flush=True)
secure.serve_forever()
