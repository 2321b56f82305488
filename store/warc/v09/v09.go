// Package v09 reads and writes WARC 0.9, the draft of January 2006, and converts it to WARC 1.1 and
// back.
//
// An Importer makes 1.1 records of the records that a Reader finds in 0.9 files; a Writer makes 0.9
// files of 1.1 records. No file is changed in place.
//
// Invariant: a 1.1 record that went through a Writer and then an Importer has all its fields,
// values and bytes again. For this the Writer expresses in the words of 0.9 what 0.9 has words for,
// reads the result as an Importer would, and adds each field that differs under its name in 1.1.
// Such further fields outrank the words of 0.9: an Importer believes them, and adds nothing of its
// own to a record that has a Converted-From field.
//
// A record is drawn so (WARC 0.9 section 3). Any number of spaces parts the words of the first
// line:
//
//	warc/0.9 data-length record-type subject-uri creation-date content-type record-id CRLF
//	Name: value CRLF       any number of fields (ANVL); a line that begins with a space continues
//	                       the field before it
//	CRLF
//	the block              up to data-length, which counts from the w of warc/0.9
//	CRLF CRLF              not counted
//
// The further fields of a record that a Writer has made:
//
//	WARC-Date: 2026-01-02T03:04:05.678901Z
//	                          the value of the 1.1 field of that name, whatever else the header says
//	WARC-Target-URI:          without value: the 1.1 record has no such field
//	Verbatim-Truncated: x     a 1.1 field named Truncated, a name that means something else in 0.9
//	Converted-From: WARC/1.1  the version line of the 1.1 record
package v09

import "errors"

// magic is the beginning of every record (WARC 0.9 section 5.1).
const magic = "warc/0.9"

// Names of fields (WARC 0.9 sections 5.2 and 7.2).
const (
	ipAddress       = "IP-Address"
	checksum        = "Checksum"
	relatedRecordID = "Related-Record-ID"
	segmentOriginID = "Segment-Origin-ID"
	segmentNumber   = "Segment-Number"
	endLength       = "End-Length"
	truncated       = "Truncated"
	warcinfoID      = "Warcinfo-ID"
)

// The names of fields that are ours, see the package's documentation.
const (
	convertedFrom = "Converted-From"
	verbatim      = "Verbatim-"
)

// Reasons for which a record is damaged, beside those of package warc; the Reason of a Damage wraps
// one of them.
var (
	ErrEnd    = errors.New("the file ends inside the record")
	ErrLength = errors.New("data-length does not lead to the end of the record")
)

// memory bounds the bytes of a block that are kept in memory. Larger blocks go through a temporary
// file.
const memory = 1 << 20
