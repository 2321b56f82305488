package verify

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A row of the table byID: a record, or what a record says of another. Rows with the same key are
// about the same record.
//
//	key(16)     the ID, hashed
//	kind(1)     see below
//	file(4)     number of the file of the record, or of the one that says it
//	offset(8)   of that record in the file
//	type(1)     of that record: a letter, see typeOf
//	uri(8)      of the record, or of a revisit's original, hashed; 0 where nothing is said
//	date(8)     the same
//	digest(8)   the same, of the payload; the first byte is the algorithm's
//
// A revisit may name its original by URI and date alone. The key is then the hash of those two, and
// each response has a second row with such a key. One of ours does so if its original is in another
// archive.
const (
	rowRecord   = iota // a record with that ID
	rowResponse        // a response or resource with that URI and date
	rowWarcinfo        // names the record by WARC-Warcinfo-ID; one row a file
	rowOriginal        // names the record by WARC-Refers-To
	rowSame            // names the record by WARC-Refers-To-Target-URI and -Date
	rowTogether        // names the record by WARC-Concurrent-To
)

// mention is a row of the table byID, taken apart.
type mention struct {
	key               [16]byte
	kind              byte
	file              int
	offset            int64
	recordType        byte
	uri, date, digest uint64
}

func (m mention) row() (r row) {
	b := append(r[:0], m.key[:]...)
	b = append(b, m.kind)
	b = binary.BigEndian.AppendUint32(b, uint32(m.file))
	b = binary.BigEndian.AppendUint64(b, uint64(m.offset))
	b = append(b, m.recordType)
	b = binary.BigEndian.AppendUint64(b, m.uri)
	b = binary.BigEndian.AppendUint64(b, m.date)
	binary.BigEndian.AppendUint64(b, m.digest)
	return r
}

func mentionOf(r row) mention {
	return mention{
		key:        [16]byte(r[:16]),
		kind:       r[16],
		file:       int(binary.BigEndian.Uint32(r[17:])),
		offset:     int64(binary.BigEndian.Uint64(r[21:])),
		recordType: r[29],
		uri:        binary.BigEndian.Uint64(r[30:]),
		date:       binary.BigEndian.Uint64(r[38:]),
		digest:     binary.BigEndian.Uint64(r[46:]),
	}
}

// hashOf returns the hash that stands for a text in a row; 0 stands for "".
func hashOf(text string) uint64 {
	if text == "" {
		return 0
	}
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:])
}

// keyOf returns the key of a row: 128 bits, so that two IDs do not meet by chance.
func keyOf(text string) [16]byte {
	sum := sha256.Sum256([]byte(text))
	return [16]byte(sum[:16])
}

// hashDate returns the hash of a moment, which can be written in several ways.
func hashDate(text string) uint64 {
	t, err := parseDate(text)
	if err != nil {
		return 0
	}
	return hashOf(t.Format(time.RFC3339Nano))
}

// hashDigest returns the hash of a record's first digest, which can be written in several ways.
func hashDigest(all []digest) uint64 {
	if len(all) == 0 {
		return 0
	}
	d := all[0]
	return hashOf(d.algorithm)&^(1<<56-1) | hashOf(string(d.sum))>>8
}

// typeOf returns the letter that stands for a WARC-Type in a row. Two capital letters are for
// records of other programs: 'R' is a response that names no request, 'V' a revisit that names its
// original.
func typeOf(kind string) byte {
	switch kind {
	case "warcinfo":
		return 'w'
	case "response":
		return 'r'
	case "revisit":
		return 'v'
	case "request":
		return 'q'
	}
	return 'o'
}

// tabulate adds the record, and what it says of others, to the tables.
func (r *recordCheck) tabulate() error {
	h := r.Header
	kind := r.Type()
	self := mention{
		file:       r.number,
		offset:     r.Offset,
		recordType: typeOf(kind),
		uri:        hashOf(r.TargetURI()),
		date:       hashDate(h.Get("WARC-Date")),
		digest:     hashDigest(r.payload),
	}
	other := mention{file: self.file, offset: self.offset, recordType: self.recordType}
	if kind == "response" && !r.ours && h.Get("WARC-Concurrent-To") == "" {
		self.recordType = 'R'
	}
	var err error
	put := func(m mention, kind byte, key string) {
		m.kind, m.key = kind, keyOf(key)
		err = errors.Join(err, r.byID.add(r.TempDir, r.memory, m.row()))
	}
	if r.id != "" {
		put(self, rowRecord, r.id)
	}
	if kind == "response" || kind == "resource" {
		put(self, rowResponse, originalKey(self.uri, self.date))
	}
	if id := h.Get("WARC-Warcinfo-ID"); r.namesAnew(id) {
		put(other, rowWarcinfo, id)
	}
	if kind == "revisit" {
		original := r.original(other)
		switch id := h.Get("WARC-Refers-To"); {
		case id != "":
			put(original, rowOriginal, id)
		case original.uri != 0 && original.date != 0:
			put(original, rowSame, originalKey(original.uri, original.date))
		}
	}
	if !r.ours || kind != "request" { // our requests have been compared with the record before them
		for _, id := range h.Values("WARC-Concurrent-To") {
			put(other, rowTogether, id)
		}
	}
	return errors.Join(err, r.tabulateLine(kind))
}

// original returns what a revisit says of its original.
func (r *recordCheck) original(m mention) mention {
	m.uri = hashOf(trimURI(r.Header.Get("WARC-Refers-To-Target-URI")))
	m.date = hashDate(r.Header.Get("WARC-Refers-To-Date"))
	m.digest = hashDigest(r.payload)
	if !r.ours {
		m.recordType = 'V'
	}
	return m
}

// namesAnew reports whether the file has not named that warcinfo record before.
func (r *recordCheck) namesAnew(id string) bool {
	if id == "" || r.warcinfo[id] || len(r.warcinfo) >= maxWarcinfos {
		return false
	}
	if len(id) <= maxID {
		r.warcinfo[strings.Clone(id)] = true
	}
	return true
}

// maxWarcinfos is how many warcinfo records a file may name for all of them to be looked up.
const maxWarcinfos = 1000

func originalKey(uri, date uint64) string { return fmt.Sprintf("%x %x", uri, date) }

// trimURI does what warc.Record.TargetURI does.
func trimURI(uri string) string {
	if strings.HasPrefix(uri, "<") && strings.HasSuffix(uri, ">") {
		uri = uri[1 : len(uri)-1]
	}
	return strings.ReplaceAll(uri, " ", "%20")
}
