"""Goes through the table of access.sh as a client that writes every byte itself, since curl and
others would put a host's spelling right.

    stranger.py PROXY TABLE COLUMN ASKED [USER:PASSWORD]

TABLE has the lines "what | form | target | column..."; its first line names the columns. COLUMN is
the one whose expectations hold. ASKED is what the witnesses of world.py have noted. An expectation
is the witness that is asked, a status, or "none" (nobody is asked, with whatever status of an
error); "-" leaves the row out. But for the witness that is expected none may see as much as a
connection. Each row has a path of its own, by which the witnesses know it. Prints for each row
"RESULT | EXPECTED | OUTCOME | PATH | WHAT".

Forms: get TARGET is the host in absolute-form, https the same for https; connect is a tunnel with
plain HTTP in it, tls one with TLS; page asks for a path that is given, not for one of its own;
to A B is a redirect of A to B, followed; sni A B is a tunnel to A with the name B in TLS; host A B
one with the field Host B; inner A B one in which http://B is asked for in absolute-form; mixed A B
is absolute-form for A with the field Host B.
"""
import base64
import re
import socket
import ssl
import sys

proxy, table, column, asked = sys.argv[1:5]
login = sys.argv[5] if len(sys.argv) > 5 else ""
basic = base64.b64encode(login.encode()).decode()
field = f"Proxy-Authorization: Basic {basic}\r\n" if login else ""
proxy_host, proxy_port = proxy.rsplit(":", 1)
anything = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
anything.check_hostname, anything.verify_mode = False, ssl.CERT_NONE


def head(connection):
    """An answer, as far as it has come when its head is whole."""
    got = b""
    while b"\r\n\r\n" not in got:
        piece = connection.recv(65536)
        if not piece:
            break
        got += piece
    return got.decode("latin-1")


def status(answer):
    found = re.match(r"HTTP/1\.[01] (\d\d\d)", answer)
    return found[1] if found else "closed"


def connected():
    return socket.create_connection((proxy_host, int(proxy_port)), timeout=15)


def get(target, path, name, scheme="http"):
    """One request in absolute-form."""
    with connected() as connection:
        connection.sendall(f"GET {scheme}://{target}{path} HTTP/1.1\r\nHost: {name}\r\n{field}"
                           "Connection: close\r\n\r\n".encode())
        return head(connection)


def tunnel(target, path, name, secure=False, inner=""):
    """One request in a tunnel, for the host name."""
    with connected() as connection:
        connection.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{field}\r\n".encode())
        answer = head(connection)
        if status(answer) != "200":
            return answer
        if secure:
            bare = re.sub(r":\d+$", "", name).strip("[]")
            connection = anything.wrap_socket(connection, server_hostname=bare)
        connection.sendall(f"GET {inner}{path} HTTP/1.1\r\nHost: {name}\r\n"
                           "Connection: close\r\n\r\n".encode())
        return head(connection)


def ask(form, first, last, path):
    """What is answered in that form; first and last are the target, if there is but one."""
    port = 443 if form in ("tls", "sni") else 80
    with_port = first if re.search(r":\d+$", first) else f"{first}:{port}"
    if form == "page":
        return get(*re.fullmatch(r"([^/]*)(/.*)", first).groups(), first.split("/")[0])
    if form in ("get", "mixed"):
        return get(first, path, last)
    if form == "https":
        return get(first, path, last, scheme="https")
    if form == "to":
        answer = get(first, f"/to?http://{last}{path}", first)
        onward = re.search(r"(?im)^Location: http://([^/]*)(/.*?)\r?$", answer)
        return get(onward[1], onward[2], onward[1]) if onward else answer
    if form in ("tls", "sni"):
        return tunnel(with_port, path, last, secure=True)
    return tunnel(with_port, path, last, inner=f"http://{last}" if form == "inner" else "")


def noted():
    with open(asked) as lines:
        return [line.split() for line in lines]


def outcome(form, targets, path):
    """Who was asked, or was connected to at least, or else what was answered; and that answer."""
    before = len(noted())
    try:
        answer = ask(form, targets[0], targets[-1], path)
        said = answer.split("\r\n\r\n", 1)[-1][:80]
    except (OSError, UnicodeError) as problem:
        answer, said = "", str(problem)
    since = noted()[before:]
    reached = {name for name, what in since if what == path}
    touched = {name for name, what in since if what == "-"} - reached
    if form == "to":  # who sent on is no matter
        touched -= {name for name, what in since if what.startswith("/to?")}
    got = sorted(reached) + [f"connection to {name}" for name in sorted(touched)]
    return ", ".join(got) or status(answer), said


def fits(got, want):
    nobody = got == "closed" or re.fullmatch(r"[45]\d\d", got)
    return got == want or want == "none" and nobody


def rows():
    with open(table) as lines:
        cells = [[cell.strip() for cell in line.split("|")] for line in lines if "|" in line]
    for number, row in enumerate(cells[1:], 1):
        yield number, dict(zip(cells[0], row))


for number, row in rows():
    want, path = row[column], f"/{column}-{number}"
    if want == "-":
        continue
    got, said = outcome(row["form"], row["target"].split(), path)
    result = "ok" if fits(got, want) else "not ok"
    print(f"{result} | {want} | {got} | {path} | {row['what']}: {row['form']} {row['target']}"
          + ("" if result == "ok" else f" ({said!r})"), flush=True)
