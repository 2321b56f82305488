package verify

import (
	"cmp"
	"slices"
)

// Finding is something wrong, or odd, at one place.
type Finding struct {
	// as it was named; of a collection the base name, or "index.bolt"
	File string `json:"file"`
	// of the record, or of the first byte that is no record's
	Offset   int64  `json:"offset"`
	RecordID string `json:"recordId,omitempty"` // where it is known
	Code     Code   `json:"code"`
	Note     bool   `json:"note,omitempty"` // odd, or not to be decided; the file is not wrong
	Text     string `json:"text"`
	More     int64  `json:"more,omitempty"` // how many of this code and file are not listed
}

// Code is the kind of a Finding.
type Code string

// What makes a file wrong, as long as Note is not set.
const (
	Read          Code = "read"           // the file cannot be read
	Torn          Code = "torn"           // the file ends inside a record
	Zeros         Code = "zeros"          // nothing but zeros to the end
	NotMember     Code = "not-member"     // bytes that belong to no record
	Corrupt       Code = "corrupt"        // does not inflate
	Checksum      Code = "checksum"       // crc32 or size at the member's end
	EmptyMember   Code = "empty-member"   //
	Head          Code = "header"         // no WARC header
	ContentLength Code = "content-length" // the block does not fill the member
	SecondRecord  Code = "second-record"  // in the same member
	OtherFormat   Code = "other-format"   // ARC, WARC 0.9
	SkipLengths   Code = "sl"             // the gzip extra field
	// of the WARC header: missing, twice, or without a good value
	Field         Code = "field"
	Date          Code = "date"           //
	ID            Code = "id"             // not a URI in angle brackets
	IDTwice       Code = "id-twice"       // another record has it
	URI           Code = "uri"            //
	BlockDigest   Code = "block-digest"   //
	PayloadDigest Code = "payload-digest" // in no sense
	HTTP          Code = "http"           // the message, its Content-Length or its chunks
	Pair          Code = "pair"           // response and request of an exchange
	Warcinfo      Code = "warcinfo"       // what WARC-Warcinfo-ID names
	Original      Code = "original"       // what a revisit refers to
	Reference     Code = "reference"      // what WARC-Concurrent-To names
	Form          Code = "form"           // how the record is written
	Index         Code = "index"          // missing, damaged or in use
	IndexMissing  Code = "index-missing"  // no capture leads to the record
	IndexWrong    Code = "index-wrong"    // the capture says something else than the record
	IndexNowhere  Code = "index-nowhere"  // no record is where a capture leads
	FileMissing   Code = "file-missing"   // the index knows it
	FileUnknown   Code = "file-unknown"   // the index does not know it
	FileSize      Code = "file-size"      // other than the index says
	Unfinished    Code = "unfinished"     // the file still has its name from while it was written
)

// How many findings, and notes, of one code are listed for a file.
const (
	maxFindings = 1000
	maxNotes    = 1
)

// findings are those of one file. The zero value is ready.
type findings struct {
	list  []Finding
	count map[key]int64
}

type key struct {
	code Code
	note bool
}

func (f *findings) add(one Finding) {
	if f.count == nil {
		f.count = make(map[key]int64)
	}
	k := key{one.Code, one.Note}
	f.count[k]++
	if f.count[k] <= k.listed() {
		f.list = append(f.list, one)
	}
}

func (k key) listed() int64 {
	if k.note {
		return maxNotes
	}
	return maxFindings
}

// sorted returns them in the order of their places. The last one of each kind says how many are not
// listed.
func (f *findings) sorted() []Finding {
	slices.SortStableFunc(f.list, func(a, b Finding) int { return cmp.Compare(a.Offset, b.Offset) })
	said := make(map[key]bool)
	for i := len(f.list) - 1; i >= 0; i-- {
		k := key{f.list[i].Code, f.list[i].Note}
		if !said[k] {
			f.list[i].More = max(0, f.count[k]-k.listed())
		}
		said[k] = true
	}
	return f.list
}

// reportAll reports what was found in a file.
func (c *Checker) reportAll(f *findings) {
	for _, one := range f.sorted() {
		c.report(one)
	}
}

// report tells of a finding, and counts it.
func (c *Checker) report(one Finding) {
	if one.Note {
		c.summary.Notes += 1 + one.More
	} else {
		c.summary.Findings += 1 + one.More
	}
	if c.Report != nil {
		c.Report(one)
	}
}
