"""What import.sh asks of WARC files that were made of HARs, and of CDXJ lines.

    check.py bodies NAME ATLEAST FILE...   the site says the digest of each body: it is that of the record
    check.py har NAME HAR CDXJ             each answer that the HAR has the body of is a capture
    check.py write_list CDXJ DIR           writes pages.jsonl with two pages of one document
    check.py listed NAME WACZ PAGES        what the WACZ file lists is among the pages, with its IDs and titles
    check.py texts NAME WACZ AGAIN         pages have the same texts in both WACZ files
    check.py equal NAME OURS THEIRS        the same captures: key, time, digest and status
    check.py served NAME CDXJ PROXY        a replay gives each body that the site has vouched for
"""
import datetime
import hashlib
import http.client
import json
import os
import ssl
import sys
import urllib.parse
import zipfile

from warcio.archiveiterator import ArchiveIterator


def report(name, problems):
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    print(f"not ok - {name}: {problems[0]}{more}" if problems else f"ok - {name}", flush=True)


def lines(path):
    with open(path) as file:
        for line in file:
            key, time, text = line.split(" ", 2)
            yield key, time, json.loads(text)


def bodies(name, at_least, *files):
    problems, seen, heads = [], 0, set()
    for path in files:
        with open(path, "rb") as file:
            heads |= {record.rec_headers.get_header("WARC-Concurrent-To") for record in ArchiveIterator(file)
                      if record.rec_type == "request" and record.http_headers.protocol == "HEAD"}
        with open(path, "rb") as file:
            for record in ArchiveIterator(file):
                if (record.rec_type != "response" or record.http_headers.get_header("Content-Range")
                        or record.rec_headers.get_header("WARC-Record-ID") in heads):
                    continue
                said = record.http_headers.get_header("X-SHA256")
                if said is None:
                    continue
                seen += 1
                if hashlib.sha256(record.content_stream().read()).hexdigest() != said:
                    problems.append(f"another body of {record.rec_headers.get_header('WARC-Target-URI')}")
    if seen < int(at_least):
        problems.append(f"only {seen} bodies")
    report(f"{name}: {seen} bodies are those that the site sent", problems)


def har(name, path, cdxj):
    if path.endswith(".zip"):
        with zipfile.ZipFile(path) as file:
            log = json.loads(file.read("har.har"))["log"]
    else:
        with open(path, "rb") as file:
            log = json.load(file)["log"]
    wanted = set()
    for entry in log["entries"]:
        content, status = entry["response"]["content"], entry["response"]["status"]
        there = content.get("text") or content.get("_file") or content.get("size", 0) <= 0
        url = urllib.parse.urldefrag(entry["request"]["url"]).url
        if url.startswith("http") and status >= 200 and there:
            wanted.add((url, status))
    have = {(line["url"], int(line["status"])) for _, _, line in lines(cdxj)}
    problems = [f"no capture of {url}, {status}" for url, status in sorted(wanted - have) if status != 304]
    report(f"{name}: {len(wanted)} answers of {log['creator']['name']} {log['creator']['version']} are captures",
           problems)


def equal(name, ours, theirs):
    def captures(path):
        return sorted((key, time, line.get("digest"), line.get("status")) for key, time, line in lines(path))
    a, b = captures(ours), captures(theirs)
    problems = [f"{len(a)} captures, not {len(b)}"] if len(a) != len(b) or not a else []
    problems += [f"{x}, not {y}" for x, y in zip(a, b) if x != y]
    report(f"{name}: {len(b)} captures are equal", problems)


def pages_of(wacz):
    with zipfile.ZipFile(wacz) as file:
        for member in file.namelist():
            if member.startswith("pages/") and member.endswith(".jsonl"):
                yield from (page for page in map(json.loads, file.read(member).splitlines()) if "url" in page)


def write_list(cdxj, folder):
    url, time = next((line["url"], datetime.datetime.strptime(time, "%Y%m%d%H%M%S")) for _, time, line in lines(cdxj)
                     if line["url"].endswith("/") and line.get("mime") == "text/html")
    pages = [{"format": "json-pages-1.0", "id": "pages", "title": "Pages", "hasText": True}]
    for name, seconds in (("home", 5), ("about", 20)):
        behind = time + datetime.timedelta(seconds=seconds)
        pages.append({"id": name, "url": f"{url}#/{name}", "ts": f"{behind:%Y-%m-%dT%H:%M:%SZ}",
                      "title": f"Title of {name}", "text": f"Words of {name}"})
    os.mkdir(folder)
    with open(f"{folder}/pages.jsonl", "w") as file:
        file.writelines(json.dumps(page) + "\n" for page in pages)


def listed(name, wacz, pages):
    with open(pages) as file:
        have = {page["id"]: page for page in map(json.loads, file)}
    wanted = [*pages_of(wacz)]
    problems = [] if wanted else ["the WACZ file lists no page"]
    for page in wanted:
        ours = have.get(page["id"], {})
        if (ours.get("url"), ours.get("title")) != (page["url"], page["title"]):
            problems.append(f"{ours}, not {page}")
    report(f"{name}: the {len(wanted)} pages that the WACZ file lists are pages", problems)


def texts(name, wacz, again):
    ours = {page["id"]: page.get("text") for page in pages_of(again)}
    theirs = {page["id"]: page["text"] for page in pages_of(wacz) if page.get("text")}
    problems = [] if theirs else ["the WACZ file has no texts"]
    problems += [f"{ours.get(page)!r:.80} for {page}, not {text!r:.80}" for page, text in theirs.items()
                 if ours.get(page) != text]
    report(f"{name}: {len(theirs)} pages have the texts that they had", problems)


def served(name, cdxj, proxy):
    context = ssl._create_unverified_context()
    problems, seen = [], 0
    for _, _, line in lines(cdxj):
        url = urllib.parse.urlsplit(line["url"])
        if line.get("status") != "200" or line.get("method", "GET") != "GET":
            continue
        if url.scheme == "https":
            connection = http.client.HTTPSConnection(proxy, timeout=20, context=context)
            connection.set_tunnel(url.netloc)
            target = url.path + (f"?{url.query}" if url.query else "")
        else:
            connection, target = http.client.HTTPConnection(proxy, timeout=20), line["url"]
        connection.request("GET", target)
        answer = connection.getresponse()
        body, said = answer.read(), answer.getheader("X-SHA256")
        connection.close()
        if answer.status != 200:
            problems.append(f"{answer.status} for {line['url']}")
        elif said:
            seen += 1
            if hashlib.sha256(body).hexdigest() != said:
                problems.append(f"another body of {line['url']}")
    if not seen:
        problems.append("nothing was served")
    report(f"{name}: a replay gives {seen} bodies as the site sent them", problems)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
