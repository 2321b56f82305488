"""WARC files that others make, and what our index says of them. Like check.py.

    foreign.py capture ORIGIN FOLDER          warcio's capture_http, of answers of the site
    foreign.py write FOLDER                   warcio's writer: 1.0 and 1.1, plain and gzip, records of every type
    foreign.py heritrix FOLDER                in bytes, as Heritrix, Browsertrix and less careful ones write
    foreign.py compare OURS THEIRS WITH_BODIES  our lines == cdxj-indexer's, file by file
    foreign.py faults OUTPUT                  what verify finds in them
    foreign.py replay OURS ARCHIVE URL        what pywb replays with our index == the records' bodies
    foreign.py old_gzip FROM TO               a 0.9 file with a gzip member for each record
    foreign.py old ARCHIVE TYPES FILE...      the 1.1 records that import made of 0.9 files
    foreign.py old_again ARCHIVE ARCHIVE HOW  two collections hold the same records
"""
import base64
import collections
import glob
import gzip
import hashlib
import http.client
import io
import json
import os
import re
import sys
import urllib.parse

from warcio.capture_http import capture_http  # before anything that imports http.client's classes
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

import warcs
from check import decoded, read_cdxj, report

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


# --- comparing


def known_difference(field, ours, theirs, f):
    """Why a field may differ from cdxj-indexer's, or None."""
    if f.get("method") == "PUT" and (theirs == "__wb_post_data=" and not ours
                                     or field == "key" and theirs == ours + "&__wb_post_data="):
        return "cdxj-indexer writes a parameter for the body of a request that has none (canon/SPEC.md)"
    return None


def compare(ours, theirs, theirs_with_bodies):
    """Keys, methods and request bodies with -p; the rest without: with -p, the digest of a record
    that has none is wrong."""
    mine, others, asked = ({(f["filename"], f["offset"]): (key, ts, f)
                            for key, ts, f in read_cdxj(path)}
                           for path in (ours, theirs, theirs_with_bodies))
    reasons = collections.Counter()
    for name in sorted({name for name, _ in mine.keys() | others.keys()}):
        problems, lines = [], 0
        for where in sorted((w for w in mine.keys() | others.keys() if w[0] == name),
                            key=lambda w: int(w[1])):
            if where not in mine or where not in others:
                problems.append(
                    f"{(mine.get(where) or others[where])[2]['url']} at {where[1]} "
                    f"is only in {'ours' if where in mine else 'theirs'}"
                )
                continue
            lines += 1
            key, ts, f = mine[where]
            their_key, _, their_request = asked[where]
            _, their_ts, their_f = others[where]
            fields = [("key", key, their_key), ("timestamp", ts, their_ts)]
            fields += [(n, f.get(n), their_f.get(n))
                       for n in ("url", "mime", "status", "digest", "length")]
            fields += [(n, f.get(n), their_request.get(n)) for n in ("method", "requestBody")]
            for field, a, b in fields:
                if (a or None) == (b or None):
                    continue
                if reason := known_difference(field, a, b, f):
                    reasons[reason] += 1
                else:
                    problems.append(f"{f['url']} at {where[1]}: {field} is {a!r}, theirs {b!r}")
        report(f"{name}: our {lines} lines equal cdxj-indexer's",
               problems if lines else ["there are none"])
    for reason, n in reasons.items():
        print(f"# {n} times {reason}")


# What is wrong with the files of others, and is meant to be found: file, finding, reason.
FAULTS = [
    (r"wget-again\.warc\.gz", r"the block digest is sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ, and .*",
     "wget gives revisits the block digest of nothing"),
    (r"wget(-plain|-again)?\.warc(\.gz)?", r"the chunks of the body are not complete.*",
     "wget leaves out the end of a chunked body that has a trailer"),
    (r"rec-\S+\.warc\.gz", r"the chunks of the body are broken at its byte 0.*",
     "pywb takes the chunks away and leaves Transfer-Encoding"),
]


def faults(output):
    """What verify finds in them: these, each at least once, and nothing else."""
    problems, reasons = [], collections.Counter()
    with open(output, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            found = re.match(r"(\S+?):\d+: (?!note: )(.*)", line)
            if not found:
                continue
            reason = next((why for file, finding, why in FAULTS
                           if re.fullmatch(file, found[1]) and re.match(finding, found[2])), None)
            if reason:
                reasons[reason] += 1
            else:
                problems.append(line.strip())
    problems += [f"nothing of this: {why}" for _, _, why in FAULTS if not reasons[why]]
    report(
        "warcorder verify finds in these files only: " +
        "; ".join(f"{why} ({n})" for why, n in reasons.items()), problems)


# --- replaying


def bodies(archive):
    """Each record's status and body, by file and offset, as warcio reads them; a revisit's is its original's."""
    found, originals = {}, {}
    for path in sorted(glob.glob(os.path.join(archive, "*.warc*"))):
        with open(path, "rb") as file:
            records = ArchiveIterator(file)
            for record in records:
                if record.rec_type not in ("response", "revisit", "resource", "metadata"):
                    continue
                fields = record.rec_headers
                status = record.http_headers.get_statuscode() if record.http_headers else "200"
                digest, revisit = fields["WARC-Payload-Digest"], record.rec_type == "revisit"
                body = None if revisit else record.content_stream().read()
                found[os.path.basename(path),
                      str(records.get_record_offset())] = status, digest if revisit else body
                if record.rec_type == "response":
                    originals.setdefault(digest, body)
    for where, (status, body) in found.items():
        if isinstance(body, str):  # pywb gives no body to any 3xx, a 304 as well
            found[where] = status, b"" if status.startswith("3") else originals.get(body)
    return found


def replay(ours, archive, url):
    stored, parts = bodies(archive), urllib.parse.urlsplit(url)
    captures = collections.defaultdict(list)
    for _, ts, f in read_cdxj(ours):
        if f["url"].startswith("http") and f.get("method", "GET") == "GET":
            captures[ts, f["url"]].append((f, *stored[f["filename"], f["offset"]]))
    problems, revisits = [], 0
    for (ts, target), candidates in captures.items():
        if all(body is None for _, _, body in candidates):
            continue  # a revisit of what nobody has
        connection = http.client.HTTPConnection(parts.netloc, timeout=20)
        connection.request("GET", f"{parts.path}/{ts}id_/{target}",
                           headers={"Accept-Encoding": "gzip, deflate, br"})
        response = connection.getresponse()
        got = decoded(response.read(), response.getheader("Content-Encoding"))
        connection.close()
        revisits += any(f.get("mime") == "warc/revisit" for f, _, _ in candidates)
        if not any(got == body for _, _, body in candidates):
            problems.append(
                f"{ts} {target}: {response.status} {got[:80]!r}, "
                f"want {[(f['filename'], s, b and b[:80]) for f, s, b in candidates]}"
            )
    report(
        f"pywb replays {len(captures)} captures of others with our index, {revisits} revisits among them",
        problems if captures and revisits else ["too few"])


# --- WARC 0.9


def old_records(path):
    """The records of a 0.9 file, by its data-lengths alone: type, record-id, fields, block, and all of it."""
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        version, length, kind, uri, date, content_type, record_id = data[at:data.index(b"\r\n", at
                                                                                       )].split()
        record = data[at:at + int(length)]
        at += int(length)
        following = re.compile(rb"[\r\n]*").match(data, at).end()  # "tolerate more or fewer"
        if version != b"warc/0.9" or len(record) < int(length) or data[following:following +
                                                                       8] not in (b"warc/0.9", b""):
            raise ValueError(f"{path}: the record at {at - int(length)} is not whole")
        whole, at = record + data[at:following], following
        line, _, rest = record.partition(b"\r\n")
        fields, _, block = (b"", b"",
                            rest[2:]) if rest.startswith(b"\r\n") else rest.partition(b"\r\n\r\n")
        fields = {
            name.strip().lower(): value.strip()
            for name, _, value in (f.partition(":") for f in fields.decode().split("\r\n"))
        }
        yield kind.decode(), record_id.decode(), fields, block, whole


def new_records(archive):
    """The records of our files, without those that say what the files are."""
    found = []
    for path in sorted(glob.glob(os.path.join(archive, "*.warc.gz"))):
        found += list(warcs.records(path))
    return found


def old_gzip(source, target):
    with open(target, "wb") as out:
        for *_, whole in old_records(source):
            out.write(gzip.compress(whole))


def old(archive, wanted, *files):
    records, types, want, segments = new_records(
        archive), collections.Counter(), {}, collections.defaultdict(dict)
    for path in files:
        for kind, record_id, fields, block, _ in old_records(path):
            types[kind] += 1
            name = "<urn:" + record_id + ">"
            if "segment-number" in fields:
                origin = fields.get("segment-origin-id") or record_id
                segments[f"<urn:{origin}>"][int(fields["segment-number"])] = block
            else:
                want[name] = block
    for name, parts in segments.items():
        want[name] = b"".join(block for _, block in sorted(parts.items()))
    got = {r.get("WARC-Record-ID"): r for r in records}
    problems = [
        f"{r}: {p}" for r in records for p in r.problems  # a checksum keeps its spelling
        if not p.startswith("WARC-Block-Digest is not ")
        or warcs.plain(r.get("WARC-Block-Digest")) != warcs.plain(p.split()[-1])
    ]
    problems += [f"{r}: {r.version}" for r in records if r.version != "WARC/1.1"]
    problems += [f"no {kind} in the 0.9 files" for kind in wanted.split(",") if kind not in types]
    problems += [
        f"{name}: the block is not that of 0.9" for name, block in want.items()
        if name not in got or got[name].block != block
    ]
    report(
        f"import makes {len(want)} records of WARC/1.1 of 0.9's " +
        ", ".join(f"{n} {kind}" for kind, n in sorted(types.items())) + ", with their blocks",
        problems)


def old_again(archive, again, how):
    def told(folder):
        return {
            r.get("WARC-Record-ID"): (sorted(f
                                             for f in r.fields
                                             if f[0] not in ("WARC-Warcinfo-ID", "WARC-Filename")),
                                      r.block)
            for r in new_records(folder)
        }

    first, second = told(archive), told(again)
    imported = {
        name
        for name, (fields, _) in first.items()
        if dict(fields)["WARC-Type"] != "warcinfo" or name in second
    }
    problems = [f"{name} is lost" for name in imported - second.keys()]
    problems += [
        f"{name}: {first[name]} and {second[name]}" for name in imported & second.keys()
        if first[name] != second[name]
    ]
    report(f"{len(imported)} records are the same {how}",
           problems if imported else ["there are none"])


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
