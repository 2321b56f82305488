"""Makes a WACZ file whose list of pages, names and records are hostile: pack.py FILE."""
import io
import json
import sys
import zipfile

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

URL = "http://wacz.hostile.test/\"><svg/onload=window.HOSTILE=1>"
TITLE = "\u202e<script>window.HOSTILE=1</script><img src=http://wacz.hostile.test/title onerror=window.HOSTILE=1>"


def records():
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True)
    head = StatusAndHeaders("200 <script>window.HOSTILE=1</script>", [("Content-Type", "text/html")],
                            protocol="HTTP/1.1")
    body = f"<!doctype html><title>{TITLE}</title><script>window.HOSTILE=1;alert(1)</script>".encode()
    writer.write_record(writer.create_warc_record(URL, "response", payload=io.BytesIO(body), http_headers=head))
    png = bytes.fromhex("89504e470d0a1a0a0000000d49484452000186a0000186a00806000000") + bytes(500)
    for kind, picture in (("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"),
                          ("image/png", png)):
        writer.write_record(writer.create_warc_record("urn:thumbnail:" + URL, "resource", payload=io.BytesIO(picture),
                                                      warc_content_type=kind))
    return out.getvalue()


def pages():
    lines = [{"format": "json-pages-1.0", "id": "pages", "title": TITLE}]
    for number in range(3):
        lines.append({"url": URL, "ts": f"2026-05-01T12:0{number}:00Z", "title": TITLE, "text": TITLE,
                      "id": f"\"><script>{number}"})
    return "\n".join(map(json.dumps, lines)) + "\n"


with zipfile.ZipFile(sys.argv[1], "w") as file:
    file.writestr("archive/<img src=x onerror=alert(1)>.warc.gz", records())
    file.writestr("pages/pages.jsonl", pages())
    file.writestr("datapackage.json", json.dumps({"profile": "data-package", "wacz_version": "1.1.1", "title": TITLE,
                                                  "resources": []}))
