"""Packs a collection's WARC files and its exported lines as a WACZ (1.1.1), as they are.

    wacz.py COLLECTION URL OUT    URL: of the page that is shown first
"""
import glob
import hashlib
import json
import os
import sys
import zipfile


def pack(collection, url, out):
    files = glob.glob(f"{collection}/archive/*.warc.gz")
    names = {f"archive/{os.path.basename(file)}": file for file in files}
    names["indexes/index.cdx"] = f"{collection}/indexes/index.cdxj"
    head = {"format": "json-pages-1.0", "id": "pages", "title": "pages"}
    page = {"id": "1", "url": url, "ts": "2026-11-01T10:00:00Z", "title": url}
    pages = f"{json.dumps(head)}\n{json.dumps(page)}\n"
    resources = []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as wacz:
        for name, path in names.items():
            wacz.write(path, name)
            with open(path, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            resources.append({"name": os.path.basename(name), "path": name,
                              "hash": f"sha256:{digest}", "bytes": os.path.getsize(path)})
        wacz.writestr("pages/pages.jsonl", pages)
        resources.append({"name": "pages.jsonl", "path": "pages/pages.jsonl", "bytes": len(pages),
                          "hash": f"sha256:{hashlib.sha256(pages.encode()).hexdigest()}"})
        wacz.writestr("datapackage.json", json.dumps(
            {"profile": "data-package", "wacz_version": "1.1.1", "resources": resources}))


if __name__ == "__main__":
    pack(*sys.argv[1:])
