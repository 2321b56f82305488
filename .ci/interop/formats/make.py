"""make.py FILE: a WARC of URLs that a table has other columns for: names of other alphabets, addresses,
ports, suffixes of two labels, a suffix that is private, a lookup, and what is no URL of a host."""
import io
import sys

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

URLS = [
    "http://xn--bcher-kva.example/a", "https://xn--bcher-kva.de:8443/?q=1", "http://192.0.2.7/x",
    "http://[2001:db8::1]:8080/x", "https://www.news.co.uk/a/b?c=d&e", "https://me.github.io/",
    "https://a.b.c.d.e.example.org/deep", "http://localhost/", "https://example.com/?", "https://example.com/",
]

with open(sys.argv[1], "wb") as out:
    writer = WARCWriter(out, gzip=True)
    for n, url in enumerate(URLS):
        headers = StatusAndHeaders(f"{200 if n % 3 else 404} OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        writer.write_record(writer.create_warc_record(
            url, "response", payload=io.BytesIO(b"<p>%d" % n), http_headers=headers,
            warc_headers_dict={"WARC-Date": f"2026-01-02T03:04:{n:02}Z"}))
    writer.write_record(writer.create_warc_record(
        "dns:www.example.com", "resource", payload=io.BytesIO(b"192.0.2.1"), warc_content_type="text/dns"))
