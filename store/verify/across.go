package verify

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A row of the table of records: a record, or what one says of another. Rows with the same key are
// about the same record.
//
//	key(16)     the ID, hashed
//	kind(1)     see below
//	file(4)     of the record, or of the one that says it
//	offset(8)   the same
//	type(1)     of that record: the first letters of WARC-Type tell them apart, see typeOf
//	uri(8)      hashed: of a record and of a revisit's original; 0 where nothing is said
//	date(8)     the same
//	digest(8)   the same, of the payload; the first byte is the algorithm's
//
// For a revisit that names its original by URI and date alone, the key is the hash of those two; so
// are those of all responses once more.
const (
	rowRecord   = iota // it has the ID
	rowResponse        // it has the URI and date
	rowWarcinfo        // names the record by WARC-Warcinfo-ID: one row a file
	rowOriginal        // by WARC-Refers-To
	rowSame            // by WARC-Refers-To-Target-URI and -Date
	rowTogether        // by WARC-Concurrent-To
)

// entry is such a row, taken apart.
type entry struct {
	key               [16]byte
	kind              byte
	file              int
	offset            int64
	typ               byte
	uri, date, digest uint64
}

func (e entry) row() (r row) {
	b := append(r[:0], e.key[:]...)
	b = append(b, e.kind)
	b = binary.BigEndian.AppendUint32(b, uint32(e.file))
	b = binary.BigEndian.AppendUint64(b, uint64(e.offset))
	b = append(b, e.typ)
	b = binary.BigEndian.AppendUint64(b, e.uri)
	b = binary.BigEndian.AppendUint64(b, e.date)
	binary.BigEndian.AppendUint64(b, e.digest)
	return r
}

func entryOf(r row) entry {
	return entry{
		key: [16]byte(
			r[:16]), kind: r[16], file: int(binary.BigEndian.Uint32(r[17:])), offset: int64(binary.BigEndian.Uint64(r[21:])), typ: r[29],
		uri: binary.BigEndian.Uint64(
			r[30:]), date: binary.BigEndian.Uint64(r[38:]), digest: binary.BigEndian.Uint64(r[46:]),
	}
}

// hashOf hashes a text to what stands for it in a row; 0 stands for "".
func hashOf(text string) uint64 {
	if text == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:])
}

func keyOf(text string) [16]byte {
	sum := sha256.Sum256([]byte(text))
	return [16]byte(sum[:16])
}

// hashDate hashes a moment, however it is written.
func hashDate(text string) uint64 {
	t, err := parseDate(text)
	if err != nil {
		return 0
	}
	return hashOf(t.Format(time.RFC3339Nano))
}

// hashDigest hashes a digest, however it is written.
func hashDigest(all []digest) uint64 {
	if len(all) == 0 {
		return 0
	}
	d := all[0]
	return hashOf(d.algorithm)&^(1<<56-1) | hashOf(string(d.sum))>>8
}

func typeOf(kind string) byte {
	switch kind {
	case "warcinfo":
		return 'w'
	case "response":
		return 'r' // 'R' if it is another program's, and names no other record
	case "revisit":
		return 'v' // 'V' where one of another program says what it refers to
	case "request":
		return 'q'
	}
	return 'o'
}

// tabulate puts the record, and what it says of others, into the tables.
func (r *recordCheck) tabulate() error {
	h := r.Header
	kind := r.Type()
	base := entry{file: r.number, offset: r.Offset, typ: typeOf(kind)}
	self := base
	if kind == "response" && !r.ours && h.Get("WARC-Concurrent-To") == "" {
		self.typ = 'R'
	}
	self.uri, self.date, self.digest = hashOf(r.TargetURI()), hashDate(h.Get("WARC-Date")), hashDigest(
		r.payload)
	var err error
	put := func(e entry, kind byte, key string) {
		e.kind, e.key = kind, keyOf(key)
		err = errors.Join(err, r.byID.add(r.TempDir, r.memory, e.row()))
	}
	if r.id != "" {
		put(self, rowRecord, r.id)
	}
	if kind == "response" || kind == "resource" {
		put(self, rowResponse, originalKey(self.uri, self.date))
	}
	if id := h.Get("WARC-Warcinfo-ID"); id != "" && !r.warcinfo[id] && len(r.warcinfo) < maxWarcinfos {
		if len(id) <= maxID {
			r.warcinfo[strings.Clone(id)] = true
		}
		put(base, rowWarcinfo, id)
	}
	if kind == "revisit" {
		original := base
		original.uri, original.date = hashOf(trimURI(h.Get("WARC-Refers-To-Target-URI"))), hashDate(
			h.Get("WARC-Refers-To-Date"))
		original.digest = self.digest
		if !r.ours {
			original.typ = 'V'
		}
		switch id := h.Get("WARC-Refers-To"); {
		case id != "":
			put(original, rowOriginal, id)
		case original.uri != 0 && original.date != 0:
			put(original, rowSame, originalKey(original.uri, original.date))
		}
	}
	if !r.ours || kind != "request" { // those requests have been looked at in their order
		for _, id := range h.Values("WARC-Concurrent-To") {
			put(base, rowTogether, id)
		}
	}
	return errors.Join(err, r.tabulateLine(kind))
}

// maxWarcinfos is how many warcinfo records a file may name for all of them to be looked up.
const maxWarcinfos = 1000

func originalKey(uri, date uint64) string { return fmt.Sprintf("%x %x", uri, date) }

// trimURI is what warc.Record.TargetURI does.
func trimURI(uri string) string {
	if strings.HasPrefix(uri, "<") && strings.HasSuffix(uri, ">") {
		uri = uri[1 : len(uri)-1]
	}
	return strings.ReplaceAll(uri, " ", "%20")
}

// together checks the records of all files against one another, and reports what it found by file.
func (c *Checker) together() error {
	found := c.byFile()
	err := c.byID.groups(len(entry{}.key), func(group []row) { c.checkGroup(found, group) })
	c.reportFiles(found)
	return err
}

// byFile makes room for the findings on every file.
func (c *Checker) byFile() []findings { return make([]findings, len(c.names)) }

func (c *Checker) reportFiles(found []findings) {
	for i := range found {
		c.reportAll(&found[i])
	}
}

// checkGroup checks what is said of one record.
func (c *Checker) checkGroup(found []findings, group []row) {
	first := entryOf(group[0])
	for i, r := range group {
		e := entryOf(r)
		add := func(code Code, note bool, format string, args ...any) {
			found[e.file].add(Finding{
				File:   c.names[e.file],
				Offset: e.offset,
				Code:   code,
				Note:   note,
				Text:   fmt.Sprintf(format, args...),
			})
		}
		there := first.kind <= rowResponse
		switch e.kind {
		case rowRecord:
			switch {
			case i > 0:
				add(IDTwice, false, "the record has the WARC-Record-ID of the one in %s at %d",
					c.names[first.file], first.offset)
			case e.typ == 'R' && !asked(group):
				add(Pair, true, "no request belongs to the response")
			}
		case rowWarcinfo:
			switch {
			case !there:
				add(Warcinfo, true, "the record that WARC-Warcinfo-ID names is in none of the files")
			case first.typ != 'w':
				add(Warcinfo, false, "WARC-Warcinfo-ID names a record that is no warcinfo record: in %s at %d",
					c.names[first.file], first.offset)
			}
		case rowOriginal:
			c.checkOriginal(add, there, first, e)
		case rowSame:
			if !there {
				c.addLost(add, e)
			} else if !sameDigest(group, e) {
				add(Original, false, "no record of the URI and date that the revisit refers to has its "+
					"payload digest")
			}
		case rowTogether:
			if !there {
				add(Reference, true, "a record that WARC-Concurrent-To names is in none of the files")
			}
		}
	}
}

// asked reports whether a request names the record of the group.
func asked(group []row) bool {
	return slices.ContainsFunc(group, func(r row) bool { return r[16] == rowTogether && r[29] == 'q' })
}

// checkOriginal compares what a revisit says of its original with the original.
func (c *Checker) checkOriginal(add func(Code, bool, string, ...any), there bool,
	original, said entry) {
	where := func() string { return fmt.Sprintf("in %s at %d", c.names[original.file], original.offset) }
	switch {
	case !there:
		c.addLost(add, said)
	case original.typ == 'v':
		add(Original, true, "the revisit refers to a revisit, %s", where())
	case differ(said.digest, original.digest) && said.digest>>56 == original.digest>>56:
		add(Original, false, "the revisit has another payload digest than the record it refers to, %s",
			where())
	case differ(said.uri, original.uri):
		add(Original, false, "WARC-Refers-To-Target-URI is not that of the record, %s", where())
	case differ(said.date, original.date):
		add(Original, false, "WARC-Refers-To-Date is not that of the record, %s", where())
	}
}

// addLost reports a revisit whose original is not there. In a collection our own revisits have
// theirs, or its content is lost.
func (c *Checker) addLost(add func(Code, bool, string, ...any), said entry) {
	const text = "the record that the revisit refers to is in none of the files"
	switch {
	case !c.whole || said.typ != 'v':
		add(Original, true, text)
	case c.passed:
		add(Original, true, text+" that were checked; it may be in one that is being written")
	default:
		add(Original, false, text+": its content is lost, unless the file is put back into archive/")
	}
}

// differ reports whether both are said, and not the same.
func differ(a, b uint64) bool { return a != 0 && b != 0 && a != b }

// sameDigest reports whether one of the records in the group may be the revisit's original.
func sameDigest(group []row, revisit entry) bool {
	for _, r := range group {
		e := entryOf(r)
		if e.kind != rowResponse {
			break
		}
		if !differ(e.digest, revisit.digest) || e.digest>>56 != revisit.digest>>56 {
			return true
		}
	}
	return false
}
