"""What our index and verify say of WARC files that others make. Like check.py.

    foreign.py compare OURS THEIRS WITH_BODIES  our lines == cdxj-indexer's, file by file
    foreign.py faults OUTPUT                  what verify finds in them
    foreign.py replay OURS ARCHIVE URL        what pywb replays with our index == the records' bodies
    foreign.py through OURS ARCHIVE PROXY     what warcorder replay answers == the records' statuses, bodies
    foreign.py old_gzip FROM TO               a 0.9 file with a gzip member for each record
    foreign.py old ARCHIVE TYPES FILE...      the 1.1 records that import made of 0.9 files
    foreign.py old_again ARCHIVE ARCHIVE HOW  two collections hold the same records
"""
import collections
import datetime
import email.utils
import glob
import gzip
import http.client
import os
import re
import sys
import urllib.parse

from warcio.archiveiterator import ArchiveIterator

import warcs
from check import decoded, read_cdxj, report

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


def captures_of(ours, archive):
    """Line, status and body of each capture of a GET, by timestamp and URL."""
    stored, captures = bodies(archive), collections.defaultdict(list)
    for _, ts, f in read_cdxj(ours):
        if f["url"].startswith("http") and f.get("method", "GET") == "GET":
            captures[ts, f["url"]].append((f, *stored[f["filename"], f["offset"]]))
    return captures


def replay(ours, archive, url):
    captures, parts = captures_of(ours, archive), urllib.parse.urlsplit(url)
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


TRAILER = re.compile(rb"0\r\nChecksum: abc\r\n(\r\n)?$")  # warcio takes it for a part of the body


def through(ours, archive, proxy):
    captures, problems = captures_of(ours, archive), []

    def answers(candidates):
        """What those that answer by themselves were: no 304s, and no revisits of what nobody has."""
        return [(int(status), TRAILER.sub(b"", body)) for _, status, body in candidates
                if body is not None and status != "304"]

    of_url = collections.defaultdict(list)
    for (_, target), candidates in captures.items():
        of_url[target] += answers(candidates)
    for (ts, target), candidates in captures.items():
        at = datetime.datetime.strptime(ts, "%Y%m%d%H%M%S").replace(tzinfo=datetime.timezone.utc)
        connection = http.client.HTTPConnection(proxy, timeout=20)
        connection.request("GET", target, headers={
            "Accept-Datetime": email.utils.format_datetime(at, usegmt=True),
            "Accept-Encoding": "gzip, deflate, br"})
        response = connection.getresponse()
        why = response.getheader("X-Warcorder-Miss")
        try:
            body = response.read()
        except http.client.IncompleteRead as cut: # in the record as well, and shown to be so
            body, why = cut.partial, "cut short"
        got = response.status, decoded(body, response.getheader("Content-Encoding"))
        connection.close()
        want = answers(candidates) or of_url[target] or [(404, b"")]
        if got not in want:
            problems.append(f"{ts} {target}: {got[0]} {why} {got[1][:80]!r}, want "
                            f"{[(status, body[:80]) for status, body in want]}")
    report(f"warcorder replay answers {len(captures)} captures of others as they were recorded",
           problems if captures else ["there are none"])


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
