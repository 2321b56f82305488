"""extract.py NAME ARCHIVE EXTRACT: each record of an extract is the one of the collection that has
its ID, as it lies there, to the byte; every revisit's original is inside; or, of the extract `without`,
there are no revisits, and the digests of what was one are right."""
import sys

import warcs
from check import files, read, report

name, archive, extract = sys.argv[1:]


def members(folder):
    found, problems = read(files(folder))
    texts = {}
    for record in found:
        if record.path not in texts:
            with open(record.path, "rb") as file:
                texts[record.path] = file.read()
    return [(r, texts[r.path][r.offset:r.offset + r.length]) for r in found], problems


originals, problems = members(archive)
originals = {r.get("WARC-Record-ID"): (r, member) for r, member in originals}
copies, more = members(extract)
problems += more
same, revisits, renewed = 0, 0, 0
there = {(r.get("WARC-Target-URI"), r.get("WARC-Date")) for r, _ in copies if r.type == "response"}
for record, member in copies:
    original = originals.get(record.get("WARC-Record-ID"))
    if original is None:
        problems.append(f"{record} is no record of the collection")
    elif member == original[1]:
        same += 1
    elif original[0].type == "revisit" and record.type == "response" and name == "without":
        renewed += 1
    else:
        problems.append(f"{record} has changed")
    if record.type == "revisit":
        revisits += 1
        refers = record.get("WARC-Refers-To-Target-URI"), record.get("WARC-Refers-To-Date")
        if refers not in there:
            problems.append(f"the original of {record} is not in the extract")
if (revisits > 0) == (name == "without"):
    problems.append(f"{revisits} revisits")
if name == "without" and not renewed:
    problems.append("no revisit became a response")
report(f"{name}: {same} records as they were, {revisits} revisits with their originals, {renewed} that are "
       "responses again", problems)
