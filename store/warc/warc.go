// Package warc writes WARC files, each record a gzip member of its own, and reads them; with
// OpenForeign also those that other tools made, in every layout.
//
// A recorder makes members with a Compressor, puts them into a file with a Writer and, after a
// crash, finds with a Reader what the file holds; behind what is damaged, Resync finds the next
// record. An Inspector inflates members again now and then, before they are written. The records'
// fields are the caller's matter: this package knows bytes, lengths and checksums.
//
// Invariant: up to Writer.Size a file consists of whole records, and a Reader tells to the byte how
// far a file does. A failed append is cut off again; where that fails, too, the Writer takes no
// more records.
//
// A member that we write is drawn so (RFC 1952; the record in it: WARC 1.1 section 4; the `sl`
// extra field: WARC 0.9 section 9.2):
//
//	 0  1f 8b 08 04               gzip, deflate, FEXTRA
//	 4  00 00 00 00 00 ff         no time, no level, no system
//	10  0c 00                     length of the extra field
//	12  's' 'l' 08 00             skip lengths, 8 bytes:
//	16  compressed    LE32        length of this member, header and trailer included
//	20  uncompressed  LE32        length of the record; both zero, "ignore me", if one does not fit
//	24  deflate                   WARC/1.1 … CRLF CRLF, the block, CRLF CRLF
//	-8  crc32 LE32, size LE32     of the uncompressed record
package warc
