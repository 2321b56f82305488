#!/usr/bin/env python3
"""Writes a Windows DLL without code: each function that it exports is one of another DLL.

    forward.py OUT.dll NAME=DLL.FUNCTION...

Go programs ask bcryptprimitives.dll for random bytes, which Wine 8 does not have. RtlGenRandom
(SystemFunction036 of advapi32.dll) takes the same arguments and is there. The layout is that of
the PE format: a DOS header, the headers of a 64-bit DLL, one section with the export directory.
"""
import struct
import sys

SECTION, FILE, HEADERS = 0x1000, 0x200, 0x200
DLL = 0x2022  # executable, large addresses, a DLL


def exports(name, functions):
    """The export directory as it lies at SECTION: its functions are texts within it."""
    count = len(functions)
    addresses, names = 40, 40 + 4 * count
    ordinals = names + 4 * count
    texts, at = b"", ordinals + 2 * count

    def text(value):
        nonlocal texts
        place = SECTION + at + len(texts)
        texts += value.encode("ascii") + b"\0"
        return place

    own = text(name)
    places = [(text(function), text(target)) for function, target in functions]
    directory = struct.pack("<IIHHIIIIIII", 0, 0, 0, 0, own, 1, count, count,
                            SECTION + addresses, SECTION + names, SECTION + ordinals)
    directory += b"".join(struct.pack("<I", target) for _, target in places)
    directory += b"".join(struct.pack("<I", function) for function, _ in places)
    directory += b"".join(struct.pack("<H", i) for i in range(count))
    return directory + texts


def image(name, functions):
    """The whole file."""
    data = exports(name, sorted(functions))
    raw = -(-len(data) // FILE) * FILE
    dos = b"MZ" + bytes(58) + struct.pack("<I", 64)
    coff = struct.pack("<4sHHIIIHH", b"PE\0\0", 0x8664, 1, 0, 0, 0, 240, DLL)
    optional = struct.pack("<HBBIIIIIQIIHHHHHHIIIIHHQQQQII", 0x20B, 0, 0, 0, raw, 0, 0, SECTION,
                           0x180000000, SECTION, FILE, 6, 0, 0, 0, 6, 0, 0, 2 * SECTION, HEADERS,
                           0, 3, 0x100, 0, 0, 0, 0, 0, 16)
    optional += struct.pack("<II", SECTION, len(data)) + bytes(15 * 8)
    section = struct.pack("<8sIIIIIIHHI", b".edata", len(data), SECTION, raw, HEADERS, 0, 0, 0, 0,
                          0x40000040)
    return (dos + coff + optional + section).ljust(HEADERS, b"\0") + data.ljust(raw, b"\0")


def main():
    out = sys.argv[1]
    functions = [tuple(one.split("=", 1)) for one in sys.argv[2:]]
    with open(out, "wb") as file:
        file.write(image(out.rsplit("/", 1)[-1], functions))


main()
