"""The origin of odd.sh, on a raw socket of 127.0.0.1, and the requests that no browser sends.

    origin.py serve PORT_FILE     /page, and /case/NAME for each case; a WebSocket at /socket
    origin.py ask PROXY PORT      the cases with a request of their own, through the proxy
    origin.py cases               what a page asks for, as JSON
"""
import base64
import hashlib
import json
import os
import socket
import sys
import threading

from cases import CASES

PAGE = open(os.path.join(os.path.dirname(__file__), "page.html"), "rb").read()


def read_head(stream):
    lines = []
    while (line := stream.readline()) not in (b"\r\n", b"\n", b""):
        lines.append(line.decode("latin-1").rstrip("\r\n"))
    fields = dict(line.split(":", 1) for line in lines[1:] if ":" in line)
    return lines, {name.strip().lower(): value.strip() for name, value in fields.items()}


def skip_body(stream, fields):
    if "chunked" not in fields.get("transfer-encoding", ""):
        return stream.read(int(fields.get("content-length", 0)))
    while size := int(stream.readline().split(b";")[0], 16):
        stream.read(size + 2)
    while stream.readline() not in (b"\r\n", b""):
        pass


def answer(connection):
    with connection, connection.makefile("rb") as stream:
        while True:
            lines, fields = read_head(stream)
            if not lines:
                return
            path = lines[0].split()[1]
            if "expect" in fields:
                connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            skip_body(stream, fields)
            if path == "/socket":
                return speak(connection, stream, fields)
            case = CASES.get(path.removeprefix("/case/"))
            if path == "/page":
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s"
                                   % (len(PAGE), PAGE))
            elif case is None:
                connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            else:
                connection.sendall(case.hint + case.answer + case.after)
                if case.close:
                    return


def speak(connection, stream, fields):
    """A WebSocket that says one word (RFC 6455)."""
    key = fields["sec-websocket-key"]
    accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
    connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n\x81\x04word")
    stream.read(1)


def serve(port_file):
    server = socket.create_server(("127.0.0.1", 0))
    with open(port_file + ".new", "w") as out:
        out.write(str(server.getsockname()[1]))
    os.rename(port_file + ".new", port_file)
    while True:
        connection, _ = server.accept()
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


def ask(proxy, port):
    host, number = proxy.rsplit(":", 1)
    for name, case in CASES.items():
        if case.raw is None:
            continue
        with socket.create_connection((host, int(number)), timeout=20) as connection:
            connection.sendall(case.raw(f"127.0.0.1:{port}", f"http://127.0.0.1:{port}/case/{name}"))
            with connection.makefile("rb") as stream:
                got, _ = read_head(stream)
                if got[0].startswith("HTTP/1.1 100"):
                    got, _ = read_head(stream)
                print(f"# {name}: {got[0]}")


def cases():
    print(json.dumps([{"name": name, "path": f"/case/{name}", "method": c.method, "body": c.body,
                       "headers": c.fields, "live": c.raw is None} for name, c in CASES.items()]))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
