"""WARC files that others make: makes some with warcio, and some byte by byte. Like check.py.

    others.py capture ORIGIN FOLDER          warcio's capture_http, of answers of the site
    others.py write FOLDER                   warcio's writer: 1.0 and 1.1, plain and gzip, records of every type
    others.py heritrix FOLDER                in bytes, as Heritrix, Browsertrix and less careful ones write
    others.py decoded FOLDER                 in bytes, bodies that are not what the head above them says
"""
import base64
import gzip
import hashlib
import http.client
import io
import os
import sys
import urllib.parse

from warcio.capture_http import capture_http  # before anything that imports http.client's classes
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

FORMATS = [("1.0", True), ("1.0", False), ("1.1", True), ("1.1", False)]


def name_of(folder, tool, version, compress):
    return os.path.join(folder, f"{tool}-{version}.warc" + (".gz" if compress else ""))


def capture(origin, folder):
    host = urllib.parse.urlsplit(origin).netloc
    for version, compress in FORMATS:
        with open(name_of(folder, "capture", version, compress), "wb") as out:
            with capture_http(WARCWriter(out, gzip=compress, warc_version=version)):
                connection = http.client.HTTPConnection(host)
                for method, path, body, headers in [
                    ("GET", "/plain.json", None, {}),
                    ("GET", "/gzip.json", None, {"Accept-Encoding": "gzip"}),
                    ("GET", "/chunked", None, {}),
                    ("GET", "/missing", None, {}),
                    ("GET", "/search?b=%7e&a=A", None, {}),
                    ("GET", "/logo.png", None, {}),
                    ("POST", "/echo", b"a=1&b=%7e",
                     {"Content-Type": "application/x-www-form-urlencoded"}),
                    ("POST", "/echo", b'{"b": 1, "a": "x"}', {"Content-Type": "application/json"}),
                    ("PUT", "/echo", b"", {}),
                ]:
                    connection.request(method, path, body=body,
                                       headers={"X-Format": version, **headers})
                    connection.getresponse().read()
                connection.close()
    print(f"ok - warcio's capture_http wrote {len(FORMATS)} files")


def write(folder):
    for version, compress in FORMATS:
        path = name_of(folder, "writer", version, compress)
        with open(path, "wb") as out:
            write_records(WARCWriter(out, gzip=compress, warc_version=version),
                          os.path.basename(path))
    print(f"ok - warcio's writer wrote {len(FORMATS)} files")


def write_records(writer, name):
    site = "http://writer.example.org/"

    def record(url, kind, block, head=None, content_type=None, **fields):
        fields = {"WARC-" + k.replace("_", "-"): v for k, v in fields.items()}
        fields["WARC-Date"] = fields.get("WARC-Date", "2026-01-02T03:04:05Z")
        headers = StatusAndHeaders(head[0], head[1:], protocol="HTTP/1.1") if head else None
        return writer.create_warc_record(url, kind, payload=io.BytesIO(block), length=len(block),
                                         http_headers=headers, warc_content_type=content_type or "",
                                         warc_headers_dict=fields)

    def pair(url, head, body, request, asked=b""):
        response = record(url, "response", body, head=["200 OK", *head])
        method, *request = request
        target = url[len(site) - 1:]
        headers = StatusAndHeaders(f"{method} {target} HTTP/1.1", request, is_http_request=True)
        request = writer.create_warc_record(url, "request", payload=io.BytesIO(asked),
                                            length=len(asked), http_headers=headers,
                                            warc_headers_dict={"WARC-Date": "2026-01-02T03:04:05Z"})
        writer.write_request_response_pair(request, response)
        return response

    writer.write_record(
        writer.create_warcinfo_record(name,
                                      {"software": "foreign.py", "format": "WARC File Format"}))
    text = [("Content-Type", "text/plain; charset=utf-8")]
    original = pair(site + "one", text, b"one", ["GET", ("Host", "writer.example.org")])
    pair(site + "form", text, b"form",
         ["POST", ("Content-Type", "application/x-www-form-urlencoded"),
          ("Content-Length", "5")], b"b=2&a")
    pair(site + "json", text, b"json",
         ["POST", ("Content-Type", "application/json"),
          ("Content-Length", "16")], b'{"n": 1, "s": 2}')
    packed = gzip.compress(b"packed " * 100)
    pair(site + "gzip?z=1&A=2",
         [*text, ("Content-Encoding", "gzip"),
          ("Content-Length", str(len(packed)))], packed, ["GET"])
    chunked = b"5\r\none, \r\n6;x=y\r\ntwo, .\r\n0\r\n\r\n"
    pair(site + "chunked", [*text, ("Transfer-Encoding", "chunked")], chunked, ["GET"])
    writer.write_record(record(site + "alone", "response", b"no request", head=["200 OK", *text]))
    writer.write_record(record(site + "no-type", "response", b"?", head=["200 OK"]))
    writer.write_record(
        record(site + "moved", "response", b"", head=["302 Found", ("Location", "/one")]))
    revisit = writer.create_revisit_record(
        site + "two", original.rec_headers["WARC-Payload-Digest"], site + "one",
        "2026-01-02T03:04:05Z", http_headers=StatusAndHeaders("200 OK", text, protocol="HTTP/1.1"),
        warc_headers_dict={"WARC-Date": "2026-01-02T03:04:06Z"})
    writer.write_record(revisit)
    writer.write_record(
        record(site + "page.txt", "resource", b"a resource", content_type="text/plain"))
    writer.write_record(
        record("dns:writer.example.org", "resource",
               b"20260102030405\nwriter.example.org. 600 IN A 192.0.2.1\n",
               content_type="text/dns"))
    writer.write_record(
        record("urn:text:" + site + "one", "resource", b"one", content_type="text/plain"))
    writer.write_record(
        record(site + "one", "metadata", b"outlink: http://example.org/ L a/@href\r\n",
               content_type="application/warc-fields",
               Concurrent_To=original.rec_headers["WARC-Record-ID"]))
    writer.write_record(
        record("metadata://example.org/x", "metadata", b'{"x": 1}',
               content_type="application/json"))
    writer.write_record(
        record(site + "one", "conversion", b"<p>one", content_type="text/html",
               Refers_To=original.rec_headers["WARC-Record-ID"]))


def sha1(block):
    return "sha1:" + base64.b32encode(hashlib.sha1(block).digest()).decode()


def raw(version, block, *fields):
    return "\r\n".join([version, *fields, f"Content-Length: {len(block)}", "", ""
                        ]).encode() + block + b"\r\n\r\n"


def heritrix(folder):
    """Files in bytes: the order and spelling of records that these programs have, or had."""
    url, date = "http://bytes.example.org/", "WARC-Date: 2026-01-02T03:04:05Z"
    ids = (f"<urn:uuid:00000000-0000-4000-8000-{n:012d}>" for n in range(1000))

    def answer(status, body, *fields):
        return "\r\n".join([
            f"HTTP/1.1 {status}", "Content-Type: text/html; charset=UTF-8", *fields, "", ""
        ]).encode() + body

    def exchange(path, version="WARC/1.0", first="response", status="200 OK", body=b"<p>hello",
                 asked="GET", extra=(), payload_digest=True):
        answered, request_id = next(ids), next(ids)
        block = answer(status, body)
        digest = [f"WARC-Payload-Digest: {sha1(body)}"] if payload_digest else []
        about = [f"WARC-Target-URI: {url}{path}", date, "WARC-IP-Address: 192.0.2.1", *extra]
        response = raw(version, block, "WARC-Type: response", *about, *digest,
                       f"WARC-Record-ID: {answered}",
                       "Content-Type: application/http; msgtype=response")
        request = raw(version,
                      f"{asked} /{path} HTTP/1.0\r\nHost: bytes.example.org\r\n\r\n".encode(),
                      "WARC-Type: request", *about[:2], f"WARC-Concurrent-To: {answered}",
                      f"WARC-Record-ID: {request_id}",
                      "Content-Type: application/http; msgtype=request")
        metadata = raw(version, b"via: http://bytes.example.org/\r\nfetchTimeMs: 12\r\n",
                       "WARC-Type: metadata", *about[:2], f"WARC-Concurrent-To: {answered}",
                       f"WARC-Record-ID: {next(ids)}", "Content-Type: application/warc-fields")
        return [response, request, metadata
                ] if first == "response" else [request, response, metadata]

    def warcinfo(version):
        return raw(version, b"software: bytes\r\nformat: WARC File Format\r\n",
                   "WARC-Type: warcinfo", date, f"WARC-Record-ID: {next(ids)}",
                   "Content-Type: application/warc-fields")

    def keep(name, members):
        with open(os.path.join(folder, name), "wb") as out:
            out.write(b"".join(members))

    def crawl():
        dns = raw("WARC/1.0", b"20260102030405\nbytes.example.org.\t600\tIN\tA\t192.0.2.1\n",
                  "WARC-Type: response", "WARC-Target-URI: dns:bytes.example.org", date,
                  f"WARC-Record-ID: {next(ids)}", "Content-Type: text/dns")
        unmodified = raw(
            "WARC/1.0", b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n', "WARC-Type: revisit",
            f"WARC-Target-URI: {url}heritrix", "WARC-Date: 2026-01-03T03:04:05Z",
            "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/server-not-modified",
            f"WARC-Payload-Digest: {sha1(b'<p>hello')}", f"WARC-Record-ID: {next(ids)}",
            "Content-Type: application/http; msgtype=response")
        return [
            warcinfo("WARC/1.0"), dns, *exchange("robots.txt", status="404 Not Found"),
            *exchange("heritrix"), *exchange("heritrix?b=2&a=1"), unmodified
        ]

    keep("heritrix.warc.gz", map(gzip.compress, crawl()))
    keep("heritrix-plain.warc", crawl())
    keep("request-first.warc.gz",
         map(gzip.compress, [warcinfo("WARC/1.0"), *exchange("request-first", first="request")]))
    page = [
        "WARC-Page-ID: 6b2a", "WARC-Resource-Type: document",
        'WARC-JSON-Metadata: {"ipType":"Public","cert":{"issuer":"X","ctc":"1"}}',
        "WARC-Protocol: h2"
    ]
    info = b'{"pageid":"6b2a","urls":{}}'
    about = raw("WARC/1.1", info, "WARC-Type: resource",
                f"WARC-Target-URI: urn:pageinfo:{url}browsertrix", date,
                f"WARC-Record-ID: {next(ids)}", "Content-Type: application/json",
                f"WARC-Payload-Digest: {sha1(info)}")
    keep(
        "browsertrix.warc.gz",
        map(gzip.compress,
            [warcinfo("WARC/1.1"), *exchange("browsertrix", "WARC/1.1", extra=page)[:2], about]))
    folded = exchange("folded", extra=["X-Folded: one", " two", "x-no-space:three"])
    keep("folded.warc.gz", map(gzip.compress, folded))
    keep("no-digest.warc.gz", map(gzip.compress, exchange("no-digest", payload_digest=False)))
    keep("stored.warc.gz", (gzip.compress(r, compresslevel=0) for r in exchange("stored")))
    print(f"ok - {len(os.listdir(folder))} files in bytes")


def decoded(folder):
    """As tools write that ask a browser for its bodies: without the codings, under the head of HTTP/2
    or of HTTP/1.1 that the origin sent."""
    body = b"<p>a body without what its head says\n" * 40
    heads = {
        "plain": "HTTP/1.1 200 OK",
        "length": f"HTTP/1.1 200 OK\r\nContent-Length: {len(body) // 3}",
        "negative": "HTTP/1.1 200 OK\r\nContent-Length: -1",
        "two-lengths": "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5",
        "chunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked",
        "gzip": f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(body) // 3}",
        "br-chunked": "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nTransfer-Encoding: chunked",
        "http2": "HTTP/2 200",
        "http2-gzip": f"HTTP/2 200\r\ncontent-encoding: gzip\r\ncontent-length: {len(body) // 3}",
        "http2-missing": "HTTP/2 404",
        "http3": "HTTP/3 200 OK",
    }
    with open(os.path.join(folder, "decoded.warc.gz"), "wb") as out:
        for n, (path, head) in enumerate(heads.items()):
            block = f"{head}\r\nContent-Type: text/html\r\n\r\n".encode() + body
            out.write(gzip.compress(raw(
                "WARC/1.1", block, "WARC-Type: response", f"WARC-Target-URI: http://decoded.example.org/{path}",
                "WARC-Date: 2026-01-02T03:04:05Z", f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-9000-{n:012d}>",
                "Content-Type: application/http; msgtype=response")))
    print(f"ok - {len(heads)} bodies that are not what their heads say")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
