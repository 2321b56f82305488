"""What the origin of odd.sh sends, and how it is asked for: framing and heads that are seldom seen."""
import gzip
import zlib

import brotli

BODY = b"body of the odd one\n"


def head(*fields, status="200 OK", version="HTTP/1.1", end="\r\n"):
    lines = [f"{version} {status}", "X-Before: 1", "Content-Type: text/plain", *fields, "X-After: 2", "", ""]
    return end.join(lines).encode("latin-1")


def length(body=BODY, *fields, **how):
    return head(f"Content-Length: {len(body)}", *fields, **how) + body


def chunks(*parts, trailers=b"", extension=b""):
    return b"".join(b"%x%s\r\n%s\r\n" % (len(p), extension, p) for p in parts) + b"0\r\n" + trailers + b"\r\n"


def chunked(*fields, body=None, coding="Transfer-Encoding: chunked", **how):
    return head(coding, *fields, **how) + (chunks(BODY[:7], BODY[7:]) if body is None else body)


def packed(body):
    return gzip.compress(body, mtime=0)


def zstd(body):
    """A frame with one block that is stored as it is (RFC 8878), for a body below 256 bytes."""
    size = len(body) << 3 | 1
    return b"\x28\xb5\x2f\xfd\x20" + bytes([len(body)]) + size.to_bytes(3, "little") + body


class Case:
    """One answer. entity is its body as a browser shows it; method, body and fields are what a page asks
    with, raw a request that no browser sends. close says that the connection ends the answer, hint what comes
    before it, after what follows and is no part of it, live what a page sees of it at the origin."""

    def __init__(self, answer, entity=BODY, method="GET", body=None, fields=None, close=False, raw=None,
                 hint=b"", after=b"", live="as sent"):
        self.answer, self.entity, self.close, self.raw = answer, entity, close, raw
        self.hint, self.after = hint, after
        self.method, self.body, self.fields, self.live = method, body, fields or {}, live


def get(*fields):
    return lambda host, path: "\r\n".join([f"GET {path} HTTP/1.1", f"Host: {host}", *fields, "", ""]).encode()


def post(fields, body):
    return lambda host, path: (f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
                               f"{fields}\r\n\r\n").encode() + body


JSON = '{"a":1,"b":"two"}'
MANY = bytes(65 + i % 26 for i in range(3000))
FAILS = "TypeError: Failed to fetch"
LATIN = "X-Latin: caf\xe9"
CASES = {
    # heads
    "length": Case(length()),
    "lf-only": Case(length(end="\n")),
    "no-reason": Case(length(status="200")),
    "fold": Case(length(BODY, "X-Fold: one\r\n two")),
    "colonless": Case(length(BODY, "no colon in this line")),
    "name-case": Case(length(BODY, "x-oDD-cASE: kept")),
    "twice": Case(length(BODY, "X-Twice: a", "X-Twice: b")),
    "cookies": Case(length(BODY, "Set-Cookie: one=1; Path=/", "Set-Cookie: two=2; Path=/")),
    "latin-1": Case(length(BODY, LATIN)),
    "utf-8": Case(length(BODY, "X-Utf: caf\xc3\xa9")),
    "long-field": Case(length(BODY, "X-Long: " + 100_000 * "x")),
    "many-fields": Case(length(BODY, *(f"X-Many-{i}: {i}" for i in range(300)))),
    "link": Case(length(BODY, "Link: </case/length>; rel=preload; as=fetch", "Content-Location: /elsewhere")),
    "hint-103": Case(length(), hint=b"HTTP/1.1 103 Early Hints\r\nX-Hint: 1\r\n\r\n"),
    # framing
    "chunked": Case(chunked()),
    "trailers": Case(chunked("Trailer: X-Sum", body=chunks(BODY, trailers=b"X-Sum: 12345\r\n"))),
    "extensions": Case(chunked(body=chunks(BODY[:7], BODY[7:], extension=b';name="a value"'))),
    "long-extension": Case(chunked(body=chunks(BODY, extension=b";name=" + 100 * b"x"))),
    "lf-chunks": Case(chunked(body=b"14\n" + BODY + b"\r\n0\r\n\r\n")),
    "te-mixed-case": Case(chunked(coding="Transfer-Encoding: Chunked")),
    "te-upper-case": Case(chunked(coding="TRANSFER-ENCODING: CHUNKED")),
    "leading-zeros": Case(chunked(body=b"0000014\r\n" + BODY + b"\r\n000\r\n\r\n")),
    "many-chunks": Case(chunked(body=chunks(*(bytes([c]) for c in MANY))), entity=MANY),
    "empty-chunked": Case(chunked(body=b"0\r\n\r\n"), entity=b""),
    "gzip-chunked": Case(chunked(coding="Transfer-Encoding: gzip, chunked", body=chunks(packed(BODY))),
                         entity=packed(BODY)), # as a browser shows it
    "empty-length": Case(length(b""), entity=b""),
    "close-1.0": Case(head(version="HTTP/1.0") + BODY, close=True),
    "close-1.1": Case(head("Connection: close") + BODY, close=True),
    "204": Case(head(status="204 No Content"), entity=b""),
    "204-length": Case(head("Content-Length: 0", status="204 No Content"), entity=b""),
    "204-chunked": Case(head("Transfer-Encoding: chunked", "Connection: close", status="204 No Content"),
                        entity=b"", close=True, after=b"0\r\n\r\n"),
    "205": Case(head("Content-Length: 0", status="205 Reset Content"), entity=b""),
    "cut-length": Case(head("Content-Length: 1000") + BODY, close=True, live=FAILS),
    "cut-chunked": Case(chunked(body=b"3e8\r\n" + BODY), close=True, live=FAILS),
    # codings
    "gzip": Case(length(packed(BODY), "Content-Encoding: gzip")),
    "gzip-upper-case": Case(length(packed(BODY), "Content-Encoding: GZIP")),
    "br": Case(length(brotli.compress(BODY), "Content-Encoding: br")),
    "deflate": Case(length(zlib.compress(BODY), "Content-Encoding: deflate")),
    "deflate-raw": Case(length(zlib.compress(BODY)[2:-4], "Content-Encoding: deflate")),
    "zstd": Case(length(zstd(BODY), "Content-Encoding: zstd")),
    # compressed with a dictionary (RFC 9842), which the browser has and no reader
    "dcb": Case(length(b"\xffDCB" + 40 * b"d", "Content-Encoding: dcb"), raw=get("Accept-Encoding: dcb")),
    "dcz": Case(length(b"\x5e\x2a\x4d\x18\x20\0\0\0" + 40 * b"d", "Content-Encoding: dcz"),
                raw=get("Accept-Encoding: dcz")),
    "gzip-twice": Case(length(packed(packed(BODY)), "Content-Encoding: gzip, gzip")),
    "gzip-lie": Case(length(BODY, "Content-Encoding: gzip"), live=FAILS),
    "br-lie": Case(length(BODY, "Content-Encoding: br"), live=FAILS),
    "unknown-coding": Case(length(BODY, "Content-Encoding: odd")),
    # methods, requests
    "head": Case(head("Content-Length: 20"), entity=b"", method="HEAD"),
    "options": Case(length(), method="OPTIONS"),
    "delete": Case(length(), method="DELETE"),
    "put": Case(length(), method="PUT", body=JSON),
    "post": Case(length(), method="POST", body=JSON),
    "post-chunked": Case(length(), method="POST", body=JSON, raw=post(
        "Transfer-Encoding: chunked", chunks(JSON[:5].encode(), JSON[5:].encode()))),
    "post-expect": Case(length(), method="POST", body=JSON, raw=post(
        f"Content-Length: {len(JSON)}\r\nExpect: 100-continue", JSON.encode())),
    "te-trailers": Case(chunked("Trailer: X-Sum", body=chunks(BODY, trailers=b"X-Sum: 1\r\n")),
                        raw=get("TE: trailers", "Connection: TE")),
    "206": Case(head("Content-Length: 5", "Content-Range: bytes 0-4/20", status="206 Partial Content")
                + BODY[:5], entity=BODY[:5], fields={"Range": "bytes=0-4"}),
}
