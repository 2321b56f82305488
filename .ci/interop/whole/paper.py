"""A PDF of N pages, each with its number and a picture that nothing compresses.

    paper.py N    to standard output
"""
import random
import sys

SIDE = 300  # of the picture, in pixels


def objects(count):
    """The bodies of the objects, 1 upwards: catalogue, pages, font; then three for each page."""
    kids = " ".join(f"{4 + 3 * page} 0 R" for page in range(count))
    yield b"<< /Type /Catalog /Pages 2 0 R >>"
    yield f"<< /Type /Pages /Count {count} /Kids [{kids}] >>".encode()
    yield b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    pixels = random.Random(1)
    for page in range(count):
        first = 4 + 3 * page
        resources = f"<< /Font << /F 3 0 R >> /XObject << /I {first + 2} 0 R >> >>"
        yield (f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 500] "
               f"/Contents {first + 1} 0 R /Resources {resources} >>").encode()
        yield stream("", (f"BT /F 24 Tf 50 450 Td (page {page + 1} of {count}) Tj ET "
                          "q 300 0 0 300 50 50 cm /I Do Q").encode())
        yield stream(
            f"/Type /XObject /Subtype /Image /Width {SIDE} /Height {SIDE} "
            "/ColorSpace /DeviceRGB /BitsPerComponent 8 ", pixels.randbytes(3 * SIDE * SIDE))


def stream(names, content):
    return f"<< {names}/Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream"


def paper(count):
    out, places = bytearray(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n"), []
    for number, body in enumerate(objects(count), 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = len(out)
    out += f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += f"trailer\n<< /Size {len(places) + 1} /Root 1 0 R >>\n".encode()
    out += f"startxref\n{table}\n%%EOF\n".encode()
    return bytes(out)


if __name__ == "__main__":
    sys.stdout.buffer.write(paper(int(sys.argv[1])))
