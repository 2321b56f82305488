"""Holds doc/replay.md against what was seen of each case. Like check.py.

    judge.py DOC ARCHIVE LIVE PYWB REPLAYWEB    the last three are what look.mjs wrote
"""
import base64
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from cases import CASES
from check import report
from warcio.archiveiterator import ArchiveIterator

AS_SENT = "as sent"
READERS = ("pywb", "replayweb.page", "warcio")


def told(doc):
    """What the page's tables say of each case, by reader. A cell begins with the words of verdict; cases
    that no table has are in the list of those that all readers show as sent."""
    said = {}
    with open(doc) as text:
        for line in text:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) == 6 and cells[0].startswith("`"):
                for name in re.findall("`([^`]+)`", cells[0]):
                    said[name] = dict(zip(READERS, (re.sub(r" \(.*", "", cell) for cell in cells[2:5])))
            elif line.startswith("* `"):
                for name in re.findall("`([^`]+)`", line):
                    said[name] = dict.fromkeys(READERS, AS_SENT)
    return said


def fields_of(answer):
    """The fields of ours in a head, as a page sees them: joined, unfolded, Latin-1."""
    fields = {}
    head = re.sub(rb"\r?\n[ \t]+", b" ", re.split(rb"\r?\n\r?\n", answer, maxsplit=1)[0])
    for line in head.decode("latin-1").splitlines():
        name, colon, value = line.partition(":")
        if colon and name.lower().startswith("x-"):
            fields[name.lower()] = ", ".join([*filter(None, [fields.get(name.lower())]), value.strip()])
    return fields


def verdict(case, status, body, fields):
    """In the words of doc/replay.md."""
    sent = re.split(rb"\r?\n\r?\n", case.answer, maxsplit=1)[1]
    if status == 404:
        return "not found"
    if status != int(case.answer.split()[1]):
        return f"status {status}"
    if body != case.entity:
        if not body:
            return "empty"
        if body == sent and b"chunked" in case.answer.lower():
            return "chunks shown"
        if body == sent:
            return "not decoded"
        if body.startswith(case.entity):
            return "more at the end"
        return f"another body: {body[:60]}"
    lost = {name for name, value in fields_of(case.answer).items() if fields.get(name) != value}
    return "another field" if lost else AS_SENT


def shown(case, seen):
    if "error" in seen:
        return seen["error"]
    fields = {name.lower(): value for name, value in seen["fields"].items()}
    said = verdict(case, seen["status"], base64.b64decode(seen["body"]), fields)
    if said == AS_SENT and b"Set-Cookie" in case.answer and "one=1; two=2" not in seen["cookie"]:
        return "no cookie"
    return said


def responses(archive, **how):
    """The responses to the cases, by name, as warcio reads them."""
    for name in sorted(os.listdir(archive)):
        with open(os.path.join(archive, name), "rb") as file:
            for record in ArchiveIterator(file, **how):
                case = (record.rec_headers.get_header("WARC-Target-URI") or "").rpartition("/case/")[2]
                if record.rec_type == "response" and case in CASES:
                    yield case, record


def read_by_warcio(archive):
    said = {}
    for name, record in responses(archive):
        fields = {}
        for field, value in record.http_headers.headers:
            fields[field.lower()] = ", ".join([*filter(None, [fields.get(field.lower())]), value])
        status = int(record.http_headers.get_statuscode())
        said[name] = verdict(CASES[name], status, record.content_stream().read(), fields)
    return said


def main(doc, archive, *seen):
    said = told(doc)
    live, pywb, replayweb = (json.load(open(name)) for name in seen)
    stored = {name: record.raw_stream.read() for name, record in responses(archive, no_record_parse=True)}
    problems = [f"{name}: {stored.get(name, b'')[:200]}" for name, case in CASES.items()
                if stored.get(name) != case.answer]
    report(f"odd: {len(CASES)} answers are recorded byte for byte", problems)
    problems = [f"{name}: {live[name]}" for name, case in CASES.items()
                if name in live and shown(case, live[name]) != case.live]
    report("odd: live, Chromium gets through the recorder what it should", problems)
    problems = [f"{name} is in one of cases.py and the page alone" for name in set(said) ^ set(CASES)]
    report("doc/replay.md has each case", problems)
    words = [seen["websocket"].get("body") for seen in (live, pywb, replayweb)]
    report("odd: a WebSocket speaks live, and in no replay",
           [] if words == [base64.b64encode(b"word").decode(), None, None] else [words])
    got = {"pywb": {n: shown(CASES[n], s) for n, s in pywb.items() if n in CASES},
           "replayweb.page": {n: shown(CASES[n], s) for n, s in replayweb.items() if n in CASES},
           "warcio": read_by_warcio(archive)}
    for reader in READERS:
        problems = [f"{name}: {got[reader].get(name)}, told {said.get(name, {}).get(reader)}" for name in CASES
                    if got[reader].get(name) != said.get(name, {}).get(reader)]
        report(f"{reader}: doc/replay.md says what it shows of {len(CASES)} answers", problems)


if __name__ == "__main__":
    main(*sys.argv[1:])
