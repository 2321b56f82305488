"""pywb.py PYWB URL...: what pywb's CDX server finds in the collections plain, zipnum and cdx11."""
import sys
import urllib.request
from urllib.parse import urlencode

pywb, urls = sys.argv[1], sys.argv[2:]


def ask(collection, **query):
    url = f"{pywb}/{collection}/cdx?{urlencode(query)}"
    return urllib.request.urlopen(url, timeout=60).read().decode().splitlines()


def judge(name, got, want):
    print(f"ok - {name}" if got == want else f"not ok - {name}: {str(got)[:300]}, not {str(want)[:300]}")


FIELDS = "urlkey,timestamp,url,mime,status,digest,length,offset,filename"

for url in urls:
    for match in ("exact", "prefix", "host", "domain"):
        query = {"url": url, "matchType": match, "fl": FIELDS, "output": "text"}
        want = ask("plain", **query)
        judge(f"pywb finds the same {len(want)} lines of {url} ({match}) in members", ask("zipnum", **query), want)
        if match in ("prefix", "host"):
            # CDX has no names of algorithms; pywb does not look for what was posted there as it does in CDXJ.
            judge(f"and in CDX with 11 fields ({match})", sorted(ask("cdx11", **query)),
                  sorted(line.replace(" sha1:", " ") for line in want))
