"""The origin of cdx.sh: every name of it leads here, and each of its hosts has the same paths.

    origin.py PORTS   HTTP at two ports of 127.0.0.1 and one of 127.0.0.2, which warcprox does not take for
                      itself, and a name server; PORTS tells them: {"http": N, "other": N, "second": N, "dns": N}

What it sends can be had again by whoever checks it: see answer.
"""
import hashlib
import http.server
import itertools
import json
import os
import socket
import sys
import threading

times = itertools.count()  # each answer of /counter is another one


def noise(name, size):
    """Bytes that follow from a name, which nothing compresses."""
    blocks = (hashlib.sha256(f"{name} {n}".encode()).digest() for n in range(size // 32 + 1))
    return b"".join(blocks)[:size]


def answer(host, path, body=b""):
    """Status, type and body of an answer; host without its port."""
    name = path.split("?")[0].strip("/").split("/")[0]
    if name == "":
        text = f"<!doctype html><title>{host}</title><p>the page of {host}" + "<p>text" * 900
        return 200, "text/html; charset=utf-8", text.encode()
    if name == "same":
        return 200, "text/plain", noise("same", 6000).hex().encode()
    if name == "logo.png":
        return 200, "image/png", noise(name, 6000)
    if name == "chunked":
        return 200, "text/plain", noise(f"{host} {path}", 6000)
    if name == "counter":
        return 200, "application/json", json.dumps({"n": next(times)}).encode()
    if name == "post":
        said = {"length": len(body), "sha1": hashlib.sha1(body).hexdigest()}
        return 200, "application/json", json.dumps(said).encode()
    if name == "moved":
        return 302, "text/html", b"moved"
    if name == "missing":
        return 404, "text/html", b"not here"
    return 200, "text/plain", f"{host} {path} ".encode() * 300


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        size = int(self.headers.get("Content-Length", 0))
        host = self.headers["Host"].split(":")[0]
        status, kind, body = answer(host, self.path, self.rfile.read(size))
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if status == 302:
            self.send_header("Location", "/")
        if self.path.startswith("/chunked"):
            self.send_header("Transfer-Encoding", "chunked")
            body = b"".join(b"%x\r\n%s\r\n" % (len(part), part)
                            for part in (body[:1000], body[1000:])) + b"0\r\n\r\n"
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_PUT = do_GET

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


def names(server):
    """A for every name, and no AAAA."""
    while True:
        question, client = server.recvfrom(512)
        end = question.index(b"\0", 12) + 5
        is_a = question[end - 4:end - 2] == b"\0\1"
        head = question[:2] + b"\x81\x80\0\1" + (b"\0\1" if is_a else b"\0\0") + b"\0\0\0\0"
        record = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x7f\0\0\1" if is_a else b""
        server.sendto(head + question[12:end] + record, client)


def main(path):
    dns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    dns.bind(("127.0.0.1", 0))
    servers = [Server((host, 0), Handler) for host in ("127.0.0.1", "127.0.0.1", "127.0.0.2")]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    with open(path + ".new", "w") as file:
        ports = [server.server_port for server in servers] + [dns.getsockname()[1]]
        json.dump(dict(zip(("http", "other", "second", "dns"), ports)), file)
    os.rename(path + ".new", path)
    names(dns)


if __name__ == "__main__":
    main(*sys.argv[1:])
