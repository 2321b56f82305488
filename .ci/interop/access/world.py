"""What lies around the recorder in access.sh: servers that note who was asked, and a name server.

    world.py witness ASKED CERT KEY NAME=ADDRESS:PORT...   a server; on port 443 with TLS
    world.py names ADDRESS:PORT ZONE                       a name server on UDP

A witness writes a line "NAME -" to ASKED for each connection and "NAME PATH" for each request,
which it answers with "here is NAME"; /to?URL is answered with a redirect to URL. A line of ZONE is
a name and its addresses; of a line with "then" in it each question gets the next part, the last one
all further questions. Both print "up" once they listen.
"""
import ipaddress
import socket
import socketserver
import ssl
import struct
import sys
import threading


class Witness(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, name, address, context, asked):
        self.name, self.context, self.asked = name, context, asked
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, Answer)

    def handle_error(self, request, client_address):
        pass  # a client that went away, or sent no TLS


class Answer(socketserver.BaseRequestHandler):
    def note(self, path):
        with open(self.server.asked, "a") as asked:
            asked.write(f"{self.server.name} {path}\n")

    def handle(self):
        self.note("-")
        self.request.settimeout(20)
        if self.server.context:
            self.request = self.server.context.wrap_socket(self.request, server_side=True)
        with self.request.makefile("rb") as lines:
            while line := lines.readline():
                while lines.readline() not in (b"\r\n", b""):
                    pass
                path = line.split()[1].decode("latin-1")
                self.note(path)
                body, more = f"here is {self.server.name}\n", ""
                if path.startswith("/to?"):
                    more = f"Location: {path[4:]}\r\n"
                answer = (f"HTTP/1.1 {'302 Found' if more else '200 OK'}\r\n{more}"
                          f"Content-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n{body}")
                self.request.sendall(answer.encode("latin-1"))


def witness(asked, certificate, key, *servers):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    for one in servers:
        name, address = one.split("=")
        host, port = address.rsplit(":", 1)
        address = host.strip("[]"), int(port)
        server = Witness(name, address, context if port == "443" else None, asked)
        threading.Thread(target=server.serve_forever).start()
    print("up", flush=True)


def names(address, zone):
    known, turn = {}, {}
    with open(zone) as lines:
        for line in filter(str.strip, lines):
            name, *rest = line.split()
            known[name] = [part.split() for part in " ".join(rest).split("then")]
    host, port = address.rsplit(":", 1)
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((host, int(port)))
    print("up", flush=True)
    while True:
        question, client = server.recvfrom(4096)
        at, labels = 12, []
        while question[at]:
            labels.append(question[at + 1:at + 1 + question[at]].decode("latin-1").lower())
            at += 1 + question[at]
        name, kind = ".".join(labels), struct.unpack(">H", question[at + 1:at + 3])[0]
        addresses = known.get(name)
        found = []
        if addresses is not None and kind in (1, 28):
            n = turn.get((name, kind), 0)
            turn[name, kind] = n + 1
            found = [a for a in map(ipaddress.ip_address, addresses[min(n, len(addresses) - 1)])
                     if a.version == (4 if kind == 1 else 6)]
        answer = question[:2] + struct.pack(">HHHHH", 0x8180 if addresses is not None else 0x8183,
                                            1, len(found), 0, 0) + question[12:at + 5]
        for a in found:
            answer += struct.pack(">HHHIH", 0xC00C, kind, 1, 0, len(a.packed)) + a.packed
        server.sendto(answer, client)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
