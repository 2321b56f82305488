// Package warc writes WARC files, each record a gzip member of its own, and reads them; with
// OpenForeign also those that other tools made, in every layout.
//
// A recorder makes members with a Compressor, puts them into a file with a Writer and, after a
// crash, finds with a Reader what the file holds; behind what is damaged, Resync finds the next
// record. The records' fields are the caller's matter: this package knows bytes, lengths and
// checksums.
//
// Invariant: a file consists of whole records up to Writer.Size, and a Reader tells to the byte up
// to where a file does. A failed append is cut off again, or the Writer refuses from then on.
//
// A member is drawn so (RFC 1952; the `sl` extra field is section 9.2 of the WARC 0.9 draft):
//
//	 0  1f 8b 08 04               gzip, deflate, FEXTRA
//	 4  00 00 00 00 00 ff         no time, no level, no system
//	10  0c 00                     length of the extra field
//	12  's' 'l' 08 00             skip lengths, 8 bytes:
//	16  compressed    LE32        length of this member, header and trailer included
//	20  uncompressed  LE32        length of the record; both zero, "ignore me", if one of them does not fit
//	24  deflate                   WARC/1.1 … CRLF CRLF, the block, CRLF CRLF
//	-8  crc32 LE32, size LE32     of the uncompressed record
package warc
