"""Reads .warc.gz files with zlib alone: a second opinion beside warcio, which
lets a cut last member and a wrong Content-Length pass.

What it insists on, for each member: one record, whole, whose Content-Length
and closing CRLFCRLF fill it to the last byte; `sl` lengths that are right;
block and payload digests that match, in SHA-1 (base32) or SHA-256 (hex) as they
say themselves. Bodies are streamed; blocks above KEEP bytes are digested and not
kept.
"""
import base64
import hashlib
import re
import struct
import zlib

KEEP = 32 << 20
PIECE = 64 << 10
HTTP_HEAD = re.compile(rb"\r?\n\r?\n")
CHUNKED = re.compile(rb"(?im)^transfer-encoding:.*chunked")

SENSES = "wire", "entity"  # of a chunked message's payload digest: the bytes as they came, or without the chunks


def spelled(digest):
    """A digest as the recorder writes it."""
    if digest.name == "sha1":
        return "sha1:" + base64.b32encode(digest.digest()).decode()
    return f"{digest.name}:{digest.hexdigest()}"


def plain(digest):
    """The digest's bytes, from hex or base32."""
    value = digest.partition(":")[2]
    return bytes.fromhex(value) if len(value) in (40, 64) else base64.b32decode(value + "=" *
                                                                                (-len(value) % 8))


class Record:
    """One record: where it lies, its header fields, its block and its digests."""
    def __init__(self, path, offset, sense):
        self.path, self.offset, self.length, self.sense = path, offset, 0, sense
        self.fields, self.start = None, b""
        self.head, self.in_payload = b"", False
        self.size, self.plain = 0, 0
        self.payload = hashlib.sha1()
        self.sl, self.kept, self.tail, self.problems = None, [], b"", []

    def get(self, name):
        return next((v for k, v in self.fields if k.lower() == name.lower()), None)

    @property
    def type(self):
        return self.get("WARC-Type")

    @property
    def block(self):
        return b"".join(self.kept)

    def feed(self, piece):
        self.plain += len(piece)
        if self.fields is None:
            self.start += piece
            end = self.start.find(b"\r\n\r\n")
            if end < 0:
                return
            self.version, *lines = self.start[:end].decode().split("\r\n")
            if self.version not in ("WARC/1.0", "WARC/1.1"):
                self.problems.append(f"version {self.version}")
            self.fields = [tuple(line.split(": ", 1)) for line in lines]
            self.left = int(self.get("Content-Length"))
            self.keep = self.left <= KEEP
            self.is_http = (self.get("Content-Type") or "").startswith("application/http")
            self.block_digest = self.hash("WARC-Block-Digest")
            self.payload_digest = self.hash("WARC-Payload-Digest")
            piece = self.start[end + 4:]
        block, tail = piece[:self.left], piece[self.left:]
        self.left -= len(block)
        self.tail += tail
        self.size += len(block)
        self.block_digest.update(block)
        if self.keep:
            self.kept.append(block)
        self.digest_payload(block)

    def digest_payload(self, block):
        if self.is_http and not self.in_payload:
            self.head += block
            end = HTTP_HEAD.search(self.head)
            if not end:
                return
            self.in_payload = True
            block, self.head = self.head[end.end():], self.head[:end.end()]
        self.payload.update(block)
        if self.payload_digest.name != "sha1":
            self.payload_digest.update(block)

    def hash(self, field):
        return hashlib.sha256() if (self.get(field) or "").startswith("sha256:") else hashlib.sha1()

    def payloads(self):
        """The payload digest in both senses, spelled."""
        wire = spelled(self.payload if self.payload_digest.name == "sha1" else self.payload_digest)
        if not self.is_http or not self.keep or not CHUNKED.search(self.head):
            return wire, wire
        digest = hashlib.new(self.payload_digest.name)
        digest.update(entity(self.block))
        return wire, spelled(digest)

    def finish(self):
        if self.fields is None:
            self.problems.append("no record in the member")
            return
        if self.left:
            self.problems.append(f"the block lacks {self.left} bytes")
        elif self.tail != b"\r\n\r\n":
            self.problems.append(f"ends with {self.tail[:40]!r}")
        if self.get("WARC-Block-Digest") != spelled(self.block_digest):
            self.problems.append(f"WARC-Block-Digest is not {spelled(self.block_digest)}")
        payload = self.payloads()[SENSES.index(self.sense)]
        if self.type != "revisit" and self.get("WARC-Payload-Digest") not in (
                None, payload):  # a revisit's is of its original
            self.problems.append(f"WARC-Payload-Digest is not {payload}")

    def __str__(self):
        return f"{self.path}:{self.offset} {self.type} {self.get('WARC-Target-URI')}"


def records(path, sense="wire"):
    """Yields every record of the file; an unreadable rest raises ValueError."""
    with open(path, "rb") as file:
        offset, data = 0, file.read(PIECE)
        while data:
            if len(data) < 26:
                data += file.read(PIECE)
            record, member = Record(path, offset, sense), zlib.decompressobj(31)
            if data[3:4] == b"\x04" and data[12:16] == b"sl\x08\x00":
                record.sl = struct.unpack("<II", data[16:24])
            while not member.eof:
                if not data:
                    data = file.read(PIECE)
                if not data:
                    raise ValueError(f"{path}: the member at {offset} is cut")
                try:
                    record.feed(member.decompress(data))
                except zlib.error as problem:
                    raise ValueError(f"{path}: the member at {offset}: {problem}") from problem
                record.length += len(data) - len(member.unused_data)
                data = member.unused_data
            record.finish()
            if record.sl not in (None, (0, 0), (record.length, record.plain)):
                record.problems.append(f"sl {record.sl} is not {record.length, record.plain}")
            offset += record.length
            yield record
            data = data or file.read(PIECE)


def entity(block):
    """The body of an HTTP message without its transfer coding."""
    head, body = block[:(end := HTTP_HEAD.search(block)).end()], block[end.end():]
    if not CHUNKED.search(head):
        return body
    out = b""
    while body:
        line, body = body.split(b"\r\n", 1)
        size = int(line.split(b";")[0], 16)
        if size == 0:
            break
        out, body = out + body[:size], body[size + 2:]
    return out
