"""What others find in our WARC files, held against what is known of them.

    referees.py spoil FROM TO                 a copy of the first records, one byte of a body changed
    referees.py judge FINDINGS COLLECTION...  a line for each referee and collection

FINDINGS is a folder with the output of each referee over all files, by its
name. A COLLECTION is FOLDER:SENSE:DIGEST:VERSION:SL, what was asked of the
recorder, as archive:wire:sha1:1.1:sl, or FOLDER:spoiled. A finding that ALLOWED
does not explain, record by record, is `not ok`.
"""
import collections
import glob
import gzip
import os
import re
import sys

import warcs
from check import report

REFEREES = "warcio", "gowarc", "jwarc", "jwat"


def wrong_sense(record, finding):
    """A chunked message, its digest right in the sense that the referee does not take."""
    wire, entity = record.payloads()
    return wire != entity and record.get("WARC-Payload-Digest") == (wire,
                                                                    entity)[warcs.SENSES.index(
                                                                        record.sense)]


def names_both(record, finding):
    """The two digests that the finding names are those of the two senses."""
    digests = re.findall(r"sha(?:1|256):\w+", finding)
    return wrong_sense(record, finding) and {*map(warcs.plain, digests)
                                             } == {*map(warcs.plain, record.payloads())}


def spaced_extension(record, finding):
    """A chunk's size with a space before its extension, which RFC 9112 (7.1.1) lets pass."""
    body = record.block[len(record.head):] if warcs.CHUNKED.search(record.head) else b""
    while size := re.match(rb"([0-9a-fA-F]+)([ \t]*;)?.*\r\n", body):
        if size[2] not in (None, b";"):
            return True
        body = body[size.end() + int(size[1], 16) + 2:]
    return False


def is_head(record, finding):
    """An answer to HEAD with a Content-Length, and so without a body."""
    return record.type == "response" and record.request and record.request.block.startswith(
        b"HEAD ")


def bad_escape(record, finding):
    """A request whose target is not a URI, and which is kept as it was sent."""
    target = record.block.split(b" ", 2)[1].decode()
    return record.type == "request" and re.search("%(?![0-9a-fA-F]{2})",
                                                  target) and f'parse "{target}"' in finding


# Whose, the whole finding, which records, which collections' payload digest, and the reason.
CHUNKED = "the sense of a chunked message's payload digest"
ALLOWED = [
    ("jwarc", r"payload digest failed: .*", names_both, "wire", CHUNKED),
    ("gowarc", r"payload: wrong digest: .*", names_both, "entity", CHUNKED),
    ("warcio", r"payload digest failed.*", wrong_sense, "entity", CHUNKED),
    ("jwat", r"error INVALID_EXPECTED Incorrect payload digest .*", wrong_sense, "entity", CHUNKED),
    ("jwarc", r"payload digest failed: .*", spaced_extension, None,
     "jwarc stops at a space before a chunk extension"),
    ("jwarc", r"invalid HTTP header Content-Length: \d+", is_head, None,
     "jwarc misses the body of HEAD"),
    ("gowarc", r'error in http request block: parse ".*": invalid URL escape ".*"', bad_escape,
     None, "gowarc parses the target of a request, which is kept as sent"),
]


def explained(referee, finding, record):
    return next(
        (reason for whose, pattern, which, sense, reason in ALLOWED if whose == referee and sense in
         (None, record.sense) and re.fullmatch(pattern, finding) and which(record, finding)), None)


def tabbed(lines):
    """File, offset and finding of gowarc and JWAT."""
    for line in lines:
        parts = line.split("\t", 2)
        yield tuple(parts) if len(parts) == 3 else ("?", "-", line)


def of_warcio(lines):
    file, offset = "?", "-"
    for line in lines:
        if not line.startswith(" "):
            file, offset = line, "-"
            if not os.path.isabs(line):
                yield "?", "-", line
        elif line.startswith("  offset "):
            offset = line.split()[1]
        elif line.strip() != "digest present but not checked":
            yield file, offset, line.strip()


def of_jwarc(lines):
    file, offset, count = "?", "-", 0
    for line in lines:
        if line.startswith("Validating "):
            file, offset, count = line[len("Validating "):], "-", 0
        elif where := re.fullmatch(r"\S+:   offset (\d+) \(length .*", line):
            offset, count = where[1], count + 1
        elif line.startswith(
                "Failed to validate ") or line.startswith("    ") and "ERROR" not in line:
            continue
        else:
            yield file, offset, line.strip().removeprefix("ERROR: ")
        yield file, "-", f"{count} records"


def findings(folder, referee):
    """All of a referee by base name of the file, and how many records it read of each."""
    parse = {"warcio": of_warcio, "jwarc": of_jwarc}.get(referee, tabbed)
    found, counts = collections.defaultdict(list), {}
    with open(os.path.join(folder, referee)) as lines:
        for file, offset, finding in parse(line.rstrip("\n") for line in lines if line.strip()):
            file = os.path.basename(file)
            if counted := re.fullmatch(r"(\d+) records", finding):
                counts[file] = int(counted[1])
            elif (offset, finding) != ("-", "not compliant"):  # JWAT's sum of the others
                found[file].append((offset, finding))
    return found, counts


def read(archive, sense):
    """The records of each file, responses with their requests."""
    files = {}
    for path in sorted(glob.glob(os.path.join(archive, "*.warc.gz"))):
        records = files[os.path.basename(path)] = list(warcs.records(path, sense))
        for record, following in zip(records, records[1:] + [None]):
            record.request = following if following and following.type == "request" else None
    return files


def judge_ours(name, files, digest, version, sl):
    """What was asked of the recorder is what is there."""
    problems = [f"{r}: {p}" for records in files.values() for r in records for p in r.problems]
    for record in (r for records in files.values() for r in records):
        if record.version != f"WARC/{version}":
            problems.append(f"{record}: {record.version}")
        if (record.sl is not None) != (sl == "sl"):
            problems.append(f"{record}: sl is {record.sl}")
        for field in "WARC-Block-Digest", "WARC-Payload-Digest":
            if not (record.get(field) or f"{digest}:").startswith(f"{digest}:"):
                problems.append(f"{record}: {field} is {record.get(field)}")
    count = collections.Counter(r.type for records in files.values() for r in records)
    report(
        f"{name}: WARC/{version}, {digest}, {sl}: " +
        ", ".join(f"{n} {kind}" for kind, n in sorted(count.items())), problems)


def judge_theirs(name, files, referee, found, counts):
    problems, reasons, seen = [], collections.Counter(), 0
    for file, records in files.items():
        at = {str(r.offset): r for r in records}
        seen += len(records)
        if referee != "warcio" and counts.get(file) != len(records):
            problems.append(f"{file}: it read {counts.get(file)} records of {len(records)}")
        for offset, finding in found[file]:
            record = at.get(offset)
            reason = record and explained(referee, finding, record)
            if reason:
                reasons[reason] += 1
            else:
                problems.append(
                    f"{file}:{offset} {record and record.type} {record and record.get('WARC-Target-URI')}: {finding}"
                )
    but = "".join(f", but {n} times {reason}" for reason, n in reasons.items())
    report(f"{name}: {referee} finds nothing in {seen} records{but}", problems)


def judge(folder, *collections_):
    names = set()
    theirs = {referee: findings(folder, referee) for referee in REFEREES}
    for asked in collections_:
        archive, sense, *rest = asked.split(":")
        name = os.path.basename(os.path.dirname(archive))
        spoiled = sense == "spoiled"
        files = read(archive, "wire" if spoiled else sense)
        names |= set(files)
        if not spoiled:
            judge_ours(name, files, *rest)
        for referee, (found, counts) in theirs.items():
            if not spoiled:
                judge_theirs(name, files, referee, found, counts)
                continue
            (file, records), = files.items()
            bad = [str(r.offset) for r in records if r.problems]
            at = {str(r.offset): r for r in records}
            got = sorted({
                offset
                for offset, finding in found[file]
                if offset not in at or not explained(referee, finding, at[offset])
            })
            report(f"{referee} finds the one byte that was changed",
                   [] if got == bad and len(bad) == 1 else [f"it is in {bad}, found {got}"])
    for referee, (found, _) in theirs.items():
        left = [
            f"{file} {offset} {finding}" for file in found if file not in names
            for offset, finding in found[file]
        ]
        report(f"{referee} says nothing else", left)


def spoil(source, target):
    with open(source, "rb") as file:
        data = file.read()
    done = False
    with open(target, "wb") as out:
        for number, record in enumerate(warcs.records(source)):
            member = data[record.offset:record.offset + record.length]
            if not done and record.type == "response" and record.size > len(
                    record.head) and record.keep and not warcs.CHUNKED.search(record.head):
                plain = bytearray(gzip.decompress(member))
                plain[-5] ^= 1  # the last byte of the body
                member, done = gzip.compress(bytes(plain)), True
            out.write(member)
            if done and number > 10:
                break
    if not done:
        sys.exit(f"{source}: nothing to spoil")


if __name__ == "__main__":
    {"judge": judge, "spoil": spoil}[sys.argv[1]](*sys.argv[2:])
