"""A site for capture.sh: pages that are good, and pages that try what a page can.

site.py PORT-FILE    serves 127.0.0.1; localhost at the same port is another host
"""
import http.server
import os
import struct
import sys
import time
import zlib


def png():
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    head = struct.pack('>IIBBBBB', 8, 8, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(9 * 8))
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', head) + chunk(b'IDAT', pixels) + chunk(b'IEND', b'')


def pdf():
    objects = ['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[3 0 R]/Count 1>>',
               '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]>>']
    text = '%PDF-1.4\n' + ''.join(f'{n} 0 obj{body}endobj\n' for n, body in enumerate(objects, 1))
    return (text + 'trailer<</Root 1 0 R>>\n').encode()


HTML = 'text/html; charset=utf-8'
PAGES = {
    # The good ones. Each host that a page names is made of the port.
    '/': '''<!DOCTYPE html><title>Größe &lt;b&gt;</title><link rel=icon href=/dot.png>
<h1>Erste Seite</h1><p>Der sichtbare <b>Text</b>.</p><p style="display:none">unsichtbar</p>
<script>document.body.append("geschrieben")</script>
<a href=/long#part>long</a> <a href="/frames">frames</a> <a href="/long">again</a>
<a href="http://localhost:PORT/outside">outside</a> <a href="javascript:alert(1)">script</a>
<a href="data:text/html,x">data</a><svg><a href="/frames"><text>svg</text></a></svg>''',
    '/long': '''<!DOCTYPE html><title>long</title><body style="margin:0;height:9000px">top
<img loading=lazy src=/lazy.png style="position:absolute;top:8900px">
<script>new IntersectionObserver((all) => all[0].isIntersecting && fetch("/seen.png"))
.observe(document.querySelector("img"))</script>''',
    '/frames': '''<!DOCTYPE html><title>frames</title>frames<iframe src=/framed></iframe>
<iframe src="http://localhost:PORT/framed"></iframe><img src=/denied>
<script>new Worker("/worker.js")</script>''',
    '/framed': '<p>framed<img src="/dot.png?framed">',
    '/box': '''<!DOCTYPE html><body style="margin:0;height:100vh;overflow:hidden"><div
style="height:100vh;overflow:auto"><div style="height:5000px">box</div><img loading=lazy src=/boxed.png></div>''',
    # What pages try.
    '/dialogs': '<title>before</title><script>alert(1);confirm(2);prompt(3);document.title="answered"</script>',
    '/stay': '<h1>stay</h1><script>onbeforeunload = (e) => { e.preventDefault(); return "stay" }</script>',
    '/windows': '<h1>windows</h1><script>setInterval(() => open("/framed"), 50)</script>',
    '/script-away': '<h1>here</h1><script>setTimeout(() => location = "http://localhost:PORT/outside", 300)</script>',
    '/worker-of-all': '''<h1>service</h1><script>navigator.serviceWorker.register("/service.js")
.then(() => navigator.serviceWorker.ready).then((it) => document.body.append("ready"))</script>''',
    '/prints': '<h1>prints</h1><script>print()</script>',
    '/closes': '<h1>closes</h1><script>setTimeout(() => close(), 300)</script>',
    '/calls': '<h1>calls</h1><script>setTimeout(() => location = "tel:1", 100)</script>',
    '/ahead': '''<h1>ahead</h1><script type=speculationrules>{"prerender": [{"urls": ["/script-away?ahead"]}]}</script>
<script>setTimeout(() => location = "/script-away?ahead", 500)</script>''',
    '/hides': '''<title>hides</title><img name=body><form name=links><input name=href></form><img name=title>
<img name=scrollingElement><form name=querySelectorAll></form><p>in sight<a href=/framed>a</a><script>
Object.defineProperty(Document.prototype, "title", {get() { return "false" }});
Object.defineProperty(HTMLElement.prototype, "innerText", {get() { return "false" }});
JSON.stringify = () => "false"; String.prototype.slice = () => "false"; Array.from = () => ["false"]</script>''',
    '/alerts': '<h1>alerts</h1><script>while (true) alert(1)</script>',
    '/loop': '<h1>loop</h1><script>setTimeout(() => { while (true); }, 200)</script>',
    '/polls': '<h1>polls</h1><script>setInterval(() => fetch("/dot.png?" + Math.random()), 300)</script>',
    '/endless': '''<body><script>const more = () => { for (let i = 0; i < 50; i++)
document.body.append(Object.assign(document.createElement("p"), {textContent: "row"})) }; more();
onscroll = () => { if (scrollY + innerHeight > document.documentElement.scrollHeight - 500) more() }</script>''',
    '/full': '''<h1>full</h1><script>const all = []; setTimeout(() => { while (true)
all.push(new Array(1e7).fill(1.1)) }, 200)</script>''',
    '/many': '<script>for (let i = 0; i < 2e5; i++) document.write(`<a href=/link${i}>l</a>`)</script>',
    '/much': '<pre></pre><script>document.querySelector("pre").textContent = "much text ".repeat(45e4)</script>',
    '/stream-page': '<h1>stream</h1><script>new EventSource("/stream")</script>',
    '/mute': '<h1>mute</h1><script>setTimeout(() => location.reload(), 1)</script>',
}


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *args):
        pass

    def reply(self, status, body, kind=HTML, **fields):
        self.send_response(status)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(body)))
        for name, value in fields.items():
            self.send_header(name.replace('_', '-'), value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        port = self.server.server_address[1]
        path = self.path.split('?')[0]
        if path in PAGES:
            self.reply(200, PAGES[path].replace('PORT', str(port)).encode())
        elif path.endswith('.png'):
            self.reply(200, png(), 'image/png')
        elif path == '/worker.js':
            self.reply(200, b'fetch("/dot.png?worker")', 'text/javascript')
        elif path == '/service.js':
            answers = b'onfetch = (e) => e.respondWith(new Response("of the service worker"))'
            self.reply(200, answers, 'text/javascript')
        elif path == '/denied':
            self.reply(401, b'<h1>who are you?</h1>', WWW_Authenticate='Basic realm="x"')
        elif path == '/away':
            self.reply(302, b'', Location=f'http://localhost:{port}/outside')
        elif path == '/outside':
            self.reply(200, b'<h1>outside</h1>')
        elif path == '/plain':
            self.reply(200, 'nur Text: größer'.encode(), 'text/plain; charset=utf-8')
        elif path == '/pdf':
            self.reply(200, pdf(), 'application/pdf')
        elif path == '/empty':
            self.send_response(204)
            self.end_headers()
        elif path == '/file':
            self.send_response(200)
            self.send_header('Content-Type', 'application/octet-stream')
            self.send_header('Content-Disposition', 'attachment; filename=file.exe')
            self.send_header('Content-Length', '500000')
            self.end_headers()
            for _ in range(5):  # slower than a page is quiet
                self.wfile.write(b'MZ' * 50000)
                self.wfile.flush()
                time.sleep(0.4)
        elif path == '/stream':
            self.send_response(200)
            self.send_header('Content-Type', 'text/event-stream')
            self.end_headers()
            self.wfile.write(b'data: 1\n\n')
            time.sleep(600)
        else:
            self.reply(404, b'<h1>404</h1>')


site = http.server.ThreadingHTTPServer(('', 0), Site)
site.daemon_threads = True
with open(sys.argv[1] + '.new', 'w') as out:
    out.write(str(site.server_address[1]))
os.rename(sys.argv[1] + '.new', sys.argv[1])
site.serve_forever()
