package verify

import (
	"cmp"
	"slices"
)

// Finding is something wrong, or odd, at one place.
type Finding struct {
	// File is the path that the caller gave; in a collection the base name, or "index.bolt", or
	// the address of an object, s3://BUCKET/KEY.
	File string `json:"file"`
	// Offset is that of the record, or of the first byte that belongs to no record.
	Offset   int64  `json:"offset"`
	RecordID string `json:"recordId,omitempty"` // "" if it is not known
	Code     Code   `json:"code"`
	Note     bool   `json:"note,omitempty"` // odd, or undecidable: the file is not wrong
	Text     string `json:"text"`
	More     int64  `json:"more,omitempty"` // further ones of this code and file, which are not listed
}

// Code is the kind of a Finding.
type Code string

// The kinds of Findings. Unless Note is set, each of them makes a file, or the index, wrong.
const (
	Read          Code = "read"           // the file cannot be read
	Torn          Code = "torn"           // the file ends inside a record
	Zeros         Code = "zeros"          // nothing but zeros to the end
	NotMember     Code = "not-member"     // bytes that belong to no record
	Corrupt       Code = "corrupt"        // a member or frame does not inflate
	Checksum      Code = "checksum"       // crc32 or size at the end of a gzip member
	EmptyMember   Code = "empty-member"   // a gzip member without text
	Head          Code = "header"         // no WARC header
	ContentLength Code = "content-length" // the block does not fill the member
	SecondRecord  Code = "second-record"  // two records in one member
	OtherFormat   Code = "other-format"   // ARC, WARC 0.9
	SkipLengths   Code = "sl"             // the gzip extra field
	Field         Code = "field"          // of the WARC header: missing, twice, or with a wrong value
	Date          Code = "date"           // WARC-Date
	ID            Code = "id"             // a record ID that is not a URI in angle brackets
	IDTwice       Code = "id-twice"       // two records have the same ID
	URI           Code = "uri"            // WARC-Target-URI
	BlockDigest   Code = "block-digest"   // not that of the block
	PayloadDigest Code = "payload-digest" // in no sense that of the payload
	HTTP          Code = "http"           // the message, its Content-Length or its chunks
	Pair          Code = "pair"           // response and request of an exchange
	Warcinfo      Code = "warcinfo"       // what WARC-Warcinfo-ID names
	Original      Code = "original"       // what a revisit refers to
	Reference     Code = "reference"      // what WARC-Concurrent-To names
	Form          Code = "form"           // how the record is written
	Index         Code = "index"          // missing, damaged or in use
	IndexMissing  Code = "index-missing"  // no capture leads to the record
	IndexWrong    Code = "index-wrong"    // the capture differs from the record
	IndexNowhere  Code = "index-nowhere"  // no record is where a capture leads
	FileMissing   Code = "file-missing"   // a file that the index knows is not there
	FileUnknown   Code = "file-unknown"   // the index does not know a file
	FileSize      Code = "file-size"      // not the size that the index gives
	Unfinished    Code = "unfinished"     // the file has the name of one that is being written
	Object        Code = "object"         // a copy in object storage is gone, or not what was uploaded
)

// How many findings and how many notes of one code are listed for a file.
const (
	maxFindings = 1000
	maxNotes    = 1
)

// findings are the Findings on one file. The zero value is ready.
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

// sorted returns the findings in the order of their offsets. The last one of each code says how
// many more there are.
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

// reportAll reports the findings on one file.
func (c *Checker) reportAll(f *findings) {
	for _, one := range f.sorted() {
		c.report(one)
	}
}

// report counts a Finding and hands it to Report.
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
