package wacz

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"

	"warcorder/canon"
	"warcorder/store"
	"warcorder/store/extsort"
)

// index gathers the lines of captures, and gives them in order.
//
// A line is followed, in the sorter, by what decides whether it stays: mark, a kind, and the entity
// in hexadecimal digits. Those without a line at last are what Export leaves out of the dialect pywb
// (store/parts.go), by what is in this WACZ: 304s, and parts whose whole has a line.
type index struct {
	sorter extsort.Sorter
	added  int64
	parts  int64 // of them, that may be parts of something
	bytes  int64 // of their lines
	maxKey int64 // bytes of the longest line up to its JSON
	line   []byte

	lines, leftOut int64
}

const (
	sortMemory = 4 << 20

	mark = 1 // no line has this byte

	kindWhole  = 'w' // status 200
	kindJoined = 'j' // status 206, all bytes
	kindPart   = 'p'
	kindOther  = 'o'

	maxEntities = 1 << 15 // of one URL key that are told apart; lines of others stay
	perMember   = 300     // bytes of a member in the list, and more
)

// add adds a capture.
func (x *index) add(c *store.Capture, cookie string) error {
	if c.Status == http.StatusNotModified {
		x.leftOut++
		return nil
	}
	x.line = c.AppendLine(x.line[:0], canon.WarcioJS)
	if cookie != "" {
		x.line = append(x.line[:len(x.line)-1], `,"req.http:cookie":`...)
		x.line = append(appendJSON(x.line, cookie), '}')
	}
	x.added++
	x.bytes += int64(len(x.line)) + 1
	x.maxKey = max(x.maxKey, int64(bytes.Index(x.line, []byte(" {"))))
	kind := kindOf(c)
	if kind == kindPart || kind == kindJoined {
		x.parts++
	}
	x.line = strconv.AppendUint(append(x.line, mark, kind), uint64(c.Entity), 16)
	return x.sorter.Add(x.line)
}

// kindOf says what a capture may be a part of, or the whole of.
func kindOf(c *store.Capture) byte {
	switch {
	case c.Method != "" && c.Method != http.MethodGet:
	case c.Status == http.StatusPartialContent && c.Whole && !c.Truncated:
		return kindJoined
	case c.Status == http.StatusPartialContent, c.Status == http.StatusOK && c.Truncated:
		return kindPart
	case c.Status == http.StatusOK:
		return kindWhole
	}
	return kindOther
}

// size is more than what the index takes in the WACZ: its members, were they not compressed, and the
// list of them. Two members that follow each other have more than blockLines or blockBytes.
func (x *index) size() int64 {
	members := 2*(x.bytes/blockBytes+x.added/blockLines) + 1
	return x.bytes + x.bytes/1000 + members*perMember + min(members*x.maxKey, x.bytes)
}

// each calls yield with each line that stays, in order. The line is good until yield returns, and
// has its newline.
func (x *index) each(yield func(line []byte) error) error {
	lines, err := x.reader()
	if err != nil {
		return err
	}
	var ahead *lineReader
	if x.parts > 0 {
		if ahead, err = x.reader(); err != nil {
			return err
		}
	}
	wholes := wholes{ahead: ahead}
	for lines.next() {
		if ahead != nil {
			hidden, err := wholes.hide(lines)
			if err != nil {
				return err
			}
			if hidden {
				x.leftOut++
				continue
			}
		}
		x.lines++
		if err := yield(append(lines.text, '\n')); err != nil {
			return err
		}
	}
	return lines.err
}

// lineReader reads the lines of the sorter, and what stands behind them. Its memory is that of the
// longest line.
type lineReader struct {
	lines  *extsort.Lines
	begun  bool
	buf    bytes.Buffer
	out    *bufio.Writer
	text   []byte // without its newline
	kind   byte
	entity uint32
	err    error
}

func (x *index) reader() (*lineReader, error) {
	lines, err := x.sorter.Sorted()
	r := &lineReader{lines: lines}
	r.out = bufio.NewWriter(&r.buf)
	return r, err
}

// next reads the next line. It is false after the last, and after an error.
func (r *lineReader) next() bool {
	if r.begun && r.err == nil && r.lines.More() {
		r.err = r.lines.Next()
	}
	r.begun = true
	if r.err != nil || !r.lines.More() {
		return false
	}
	r.buf.Reset()
	if r.err = errors.Join(r.lines.Write(r.out), r.out.Flush()); r.err != nil {
		return false
	}
	line := r.buf.Bytes()
	at := bytes.LastIndexByte(line, mark)
	if at < 0 || at+2 >= len(line) {
		r.err = io.ErrUnexpectedEOF // of our own file
		return false
	}
	entity, err := strconv.ParseUint(string(line[at+2:len(line)-1]), 16, 32)
	r.text, r.kind, r.entity, r.err = line[:at], line[at+1], uint32(entity), err
	return err == nil
}

// key is the URL key of the line.
func (r *lineReader) key() []byte {
	key, _, _ := bytes.Cut(r.text, []byte(" "))
	return key
}

// wholes are those of the URL key at which the reader ahead has been.
type wholes struct {
	ahead *lineReader
	more  bool // ahead is at a line
	begun bool
	key   []byte
	any   byte
	of    map[uint32]byte // by entity; 0 is an unknown one
}

const (
	asAnswer = 1 << iota // there is one of status 200
	asParts              // of status 206
)

// hide reports whether a line is of a part whose whole is there.
func (w *wholes) hide(line *lineReader) (bool, error) {
	if !w.begun || !bytes.Equal(line.key(), w.key) {
		if err := w.look(line.key()); err != nil {
			return false, err
		}
	}
	var counts byte
	switch line.kind {
	case kindPart:
		counts = asAnswer | asParts
	case kindJoined:
		counts = asAnswer
	default:
		return false, nil
	}
	if line.entity == 0 {
		return w.any&counts != 0, nil
	}
	return (w.of[0]|w.of[line.entity])&counts != 0, nil
}

// look goes through the lines of a URL key, up to the first of another.
func (w *wholes) look(key []byte) error {
	if !w.begun {
		w.begun, w.more = true, w.ahead.next()
	}
	w.key, w.any = append(w.key[:0], key...), 0
	w.of = make(map[uint32]byte)
	for w.more && bytes.Equal(w.ahead.key(), w.key) {
		var is byte
		switch w.ahead.kind {
		case kindWhole:
			is = asAnswer
		case kindJoined:
			is = asParts
		}
		if is != 0 && (len(w.of) < maxEntities || w.of[w.ahead.entity] != 0) {
			w.any |= is
			w.of[w.ahead.entity] |= is
		}
		w.more = w.ahead.next()
	}
	return w.ahead.err
}
