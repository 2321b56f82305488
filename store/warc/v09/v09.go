// Package v09 reads and writes WARC 0.9, the draft of January 2006, and converts it to WARC 1.1 and
// back.
//
// An Importer makes 1.1 records of what a Reader finds in 0.9 files; a Writer makes 0.9 files of
// 1.1 records. No file is changed in place.
//
// Invariant: a record that went through a Writer and then an Importer has all its fields, values
// and bytes again. For that a Writer says in the words of 0.9 what 0.9 has words for, reads that as
// an Importer would, and adds each field for which the result differs, under its name in 1.1. What
// such a record has beside stands above the rest: an Importer believes it, and adds nothing of its
// own to a record that has a Converted-From field.
//
// A record is drawn so (WARC 0.9 section 3); the first line's words are parted by any number of
// spaces:
//
//	warc/0.9 data-length record-type subject-uri creation-date content-type record-id CRLF
//	Name: value CRLF                  any number of fields (ANVL); a line that begins with a space goes on with the one before
//	CRLF
//	the block                         up to data-length, counted from the w of warc/0.9
//	CRLF CRLF                         not counted
//
// A value of a field
//
//	WARC-Date: 2026-01-02T03:04:05.678901Z   is the value of the 1.1 field of that name, whatever the first line and other fields say
//	WARC-Target-URI:                         without value: the 1.1 record has no such field
//	Verbatim-Truncated: x                    is a 1.1 field Truncated, whose name has another meaning in 0.9
//	Converted-From: WARC/1.1                 is the version line of the 1.1 record
package v09

import "errors"

// magic begins every record (WARC 0.9 section 5.1).
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

// Names of ours: see the package's documentation.
const (
	convertedFrom = "Converted-From"
	verbatim      = "Verbatim-"
)

// What can be wrong with a record, beside the errors of package warc; the Reason of a Damage wraps
// one of them.
var (
	ErrEnd    = errors.New("the file ends inside the record")
	ErrLength = errors.New("data-length does not lead to the end of the record")
)

// memory is up to how many bytes of a block are kept in memory; above, they go through a temporary
// file.
const memory = 1 << 20
