"""Captures of several years and hosts, as a crawler would have left them.

    make.py FILE     a WARC file by warcio
"""
import base64
import datetime
import hashlib
import io
import sys

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"


class Crawl:
    def __init__(self, file):
        self.writer = WARCWriter(file, gzip=True)
        self.seen = {}

    def capture(self, url, date, status="200 OK", kind="text/html", body=None, again=False):
        """One capture; again: as a revisit, if the body has been there."""
        body = f"{url} {date}".encode() if body is None else body
        fields = [("Content-Length", str(len(body)))] + ([("Content-Type", kind)] if kind else [])
        head = StatusAndHeaders(status, fields, protocol="HTTP/1.1")
        digest = "sha1:" + base64.b32encode(hashlib.sha1(body).digest()).decode()
        if again and digest in self.seen:
            record = self.writer.create_revisit_record(
                url, digest, *self.seen[digest], http_headers=head,
                warc_headers_dict={"WARC-Date": date, "WARC-Profile": PROFILE})
        else:
            record = self.writer.create_warc_record(url, "response", payload=io.BytesIO(body),
                                                    http_headers=head,
                                                    warc_headers_dict={"WARC-Date": date})
            self.seen.setdefault(digest, (url, date))
        return record

    def get(self, *what, **how):
        self.writer.write_record(self.capture(*what, **how))

    def post(self, url, date, kind, body, answer):
        head = StatusAndHeaders("POST / HTTP/1.1", [("Content-Type", kind),
                                                    ("Content-Length", str(len(body)))],
                                is_http_request=True)
        request = self.writer.create_warc_record(url, "request", payload=io.BytesIO(body),
                                                 http_headers=head,
                                                 warc_headers_dict={"WARC-Date": date})
        self.writer.write_request_response_pair(request, self.capture(url, date, body=answer))


def iso(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def main(path):
    with open(path, "wb") as file:
        crawl = Crawl(file)
        first = datetime.datetime(2019, 3, 1, 12, 0, 0)
        for n in range(48):  # one page through the years, often the same, sometimes something else
            status = {7: "301 Moved Permanently", 19: "404 Not Found", 31: "503 Busy"}.get(n, "200 OK")
            body = b"an edition, " * 30 + b"%d" % (n // 5)
            scheme = "https" if n % 3 else "http"
            www = "www." if n % 4 == 1 else ""
            crawl.get(f"{scheme}://{www}example.test/page", iso(first + n * datetime.timedelta(days=41, seconds=7)),
                      status, body=body, again=n % 2)
        for n in range(6):  # an hour of it, minute by minute
            crawl.get("http://example.test/hourly", iso(first + n * datetime.timedelta(minutes=17)))
        for n in range(3):  # in one second
            crawl.get("http://example.test/second", "2021-05-05T05:05:05Z", body=b"%d" % n)
        for n, offset in enumerate((-30, -10, 10, 30)):  # two are as near as each other, twice
            crawl.get("http://example.test/even", iso(first + datetime.timedelta(seconds=offset)), body=b"%d" % n)
        for n, (url, kind) in enumerate((
            ("http://example.test/", "text/html"),
            ("http://www.example.test/", "text/html"),
            ("https://example.test:8443/secure", "text/html"),
            ("https://example.test:8443/", "text/html"),
            ("http://example.test/a", "text/html"),
            ("http://example.test/a/", "text/html"),
            ("http://example.test/a/b", "text/plain"),
            ("http://example.test/a/b/c?x=1&y=2", "text/html"),
            ("http://example.test/a/b/c?y=2&x=1", "text/html"),
            ("http://example.test/a?z=2&a=1", "application/json"),
            ("http://example.test/a?", "text/html"),
            ("http://example.test/A/B.HTML", "text/html"),
            ("http://example.test/ab", "text/html"),
            ("http://example.test/a-z", "text/html"),
            ("http://example.test/star/b*c", "text/html"),
            ("http://example.test/%C3%A4?q=%C3%B6", "text/html"),
            ("http://example.test/q?sid=0123456789abcdef0123456789abcdef&x=1", "text/html"),
            ("http://example.test/img/one.png", "image/png"),
            ("http://example.test/img/two.png", "image/png"),
            ("http://example.test/img/none", None),
            ("http://example.test/style.css", "text/css; charset=utf-8"),
            ("http://sub.example.test/", "text/html"),
            ("http://sub.example.test/a", "text/html"),
            ("http://deep.sub.example.test/a", "text/html"),
            ("http://sub.example.test:8080/a", "text/html"),
            ("http://example-two.test/", "text/html"),
            ("http://other.test/", "text/html"),
            ("http://shop.other.test/basket", "text/html"),
            ("http://192.168.1.1/", "text/html"),
            ("http://192.168.1.1:8080/a", "text/html"),
        )):
            for again in range(1 + n % 3):
                crawl.get(url, iso(first + datetime.timedelta(days=200 * again + n, hours=n)), kind=kind)
        for n, (kind, body) in enumerate((
            ("application/json", b'{"query": {"page": 1, "words": ["a", "b"]}, "on": true}'),
            ("application/json", b'{"query": {"page": 2, "words": ["a", "b"]}, "on": true}'),
            ("application/x-www-form-urlencoded", b"a=1&b=two+words"),
            ("application/octet-stream", bytes(range(200))),
            ("text/plain", b"some words"),
        )):
            crawl.post("http://example.test/form", f"2020-0{n + 1}-01T00:00:00Z", kind, body, b"%d" % n)
        crawl.get("http://example.test/form", "2020-06-01T00:00:00Z")
        for n in range(7000):  # more than two blocks of pages
            crawl.get(f"http://many.example/{n}", iso(first + n * datetime.timedelta(minutes=1)), body=b"")


if __name__ == "__main__":
    main(*sys.argv[1:])
