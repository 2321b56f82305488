"""Judges for capture.sh what warcorder capture has recorded.

check.py urls WARC...             the URLs of all captures, one a line, sorted
check.py record URI WARC...       what the one record of that URI holds
check.py texts WARC...            the text of each page, by URL, as JSON
check.py picture URI WARC...      FORMAT WIDTHxHEIGHT of the picture in that record
check.py wacz FILE                URL and title of each page, once each digest is right
"""
import hashlib
import json
import struct
import sys
import zipfile

from warcio.archiveiterator import ArchiveIterator


def records(paths):
    for path in paths:
        with open(path, 'rb') as stream:
            for record in ArchiveIterator(stream):
                uri = record.rec_headers.get_header('WARC-Target-URI')
                yield record.rec_type, uri, record.rec_headers.get_header('Content-Type'), \
                    record.content_stream().read()


def one(uri, paths):
    found = [(kind, body) for how, at, kind, body in records(paths) if at == uri and how == 'resource']
    if len(found) != 1:
        sys.exit(f'{len(found)} records of {uri}')
    return found[0]


def size(body):
    if body.startswith(b'\x89PNG\r\n\x1a\n'):
        return 'image/png %dx%d' % struct.unpack('>II', body[16:24])
    at = 2
    while body[:2] == b'\xff\xd8':
        marker, length = struct.unpack('>HH', body[at:at + 4])
        if marker in (0xffc0, 0xffc2):
            return 'image/jpeg %dx%d' % struct.unpack('>HH', body[at + 5:at + 9])[::-1]
        at += 2 + length
    return 'nothing known'


def pages(path):
    with zipfile.ZipFile(path) as wacz:
        for part in json.loads(wacz.read('datapackage.json'))['resources']:
            if 'sha256:' + hashlib.sha256(wacz.read(part['path'])).hexdigest() != part['hash']:
                sys.exit(f'{part["path"]} has another digest')
        lines = wacz.read('pages/pages.jsonl').decode().splitlines()[1:]
    return sorted(f'{page["url"]} {page.get("title")}' for page in map(json.loads, lines))


what, arguments = sys.argv[1], sys.argv[2:]
if what == 'urls':
    print('\n'.join(sorted(at for how, at, _, _ in records(arguments) if how in ('response', 'revisit'))))
elif what == 'record':
    sys.stdout.buffer.write(one(arguments[0], arguments[1:])[1])
elif what == 'texts':
    about = 'urn:text:'
    print(json.dumps({at[len(about):]: body.decode() for _, at, _, body in records(arguments)
                      if at and at.startswith(about)}))
elif what == 'picture':
    kind, picture = one(arguments[0], arguments[1:])
    print(size(picture) if size(picture).startswith(kind) else f'{size(picture)} as {kind}')
elif what == 'wacz':
    print(', '.join(pages(arguments[0])))
