package recovery

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/warc"
)

// scan reads the exchanges of a WARC file back from its records.
//
// An exchange is whole with its request, which follows the response and names it (or, if there was
// no response, with the metadata record that follows the request), or when the next exchange
// follows; a metadata record behind it belongs to it. Behind damage that is not enough. What
// follows may be the rest of an exchange that was damaged: it counts only if it names a record that
// is there. Or it may be the inside of a body, since people download WARC files: it counts only if
// it names the warcinfo record that the records before it name.
type scan struct {
	file     string
	keyer    *store.Keyer
	dedup    *record.DedupConfig
	content  record.Content // of the response that is read
	buf      []byte
	captures []store.Capture // of whole exchanges, since they were last put into the index
	text     int64           // bytes of what they hold
	found    int             // captures put into the index

	end int64 // of the last whole exchange
	// of the file, behind where the scan began: the whole exchanges, and records that belong to none
	kept    []stretch
	damaged []Damaged // what lies between them
	damage  error     // what was found first behind end; nil if nothing was

	response *foundResponse // whose request has not come yet
	request  *foundRequest  // that names no response, and whose metadata record has not come yet
	// ID of the record that a metadata record of the last whole exchange would name
	last     string
	apart    bool  // there was damage since the last record that counted
	warcinfo idSet // that the file's records name
	tail     *tail // takes down what refers to what; nil if nobody asks
}

// errStray is the damage where a record belongs to an exchange of which the response, or all, is
// missing.
var errStray = errors.New("a record of an exchange that is not whole")

// stretch is a part of a file.
type stretch struct{ from, to int64 }

// foundResponse is a response record of which the capture is to be made.
type foundResponse struct {
	id, uri, digest string
	recordID        record.ID // the ID, if it is one of ours
	isOurs          bool      // it is
	date            time.Time
	head            record.Head
	at              stretch
	revisit         bool
	original        *store.Original // what it is for revisits, if it answers a GET; nil if nothing
	refers          referral        // of a revisit
}

// foundRequest is a request record without a response.
type foundRequest struct {
	id string
	at stretch
}

// scanFile reads the file at path from file.Committed on, up to the first damage, or over all of
// it. each is called behind every record.
func scanFile(path string, file store.File, keyer *store.Keyer, dedup *record.DedupConfig,
	over bool, each func(s *scan, offset int64) error) (*scan, error) {
	s := &scan{file: file.Name, end: file.Committed, keyer: keyer, dedup: dedup}
	if err := s.readAll(path, over, each); err != nil {
		return nil, err
	}
	return s, nil
}

// readAll reads the file at path from s.end on, as scanFile says.
func (s *scan) readAll(path string, over bool, each func(s *scan, offset int64) error) error {
	reader, err := warc.Open(path, s.end)
	if err != nil {
		return err
	}
	defer reader.Close()
	if err := s.readWarcinfo(path); err != nil {
		return err
	}
	for {
		err := s.next(reader)
		if damage := (*warc.Damage)(nil); errors.As(err, &damage) {
			s.note(damage)
			if !over {
				return nil
			}
			err = s.resume(reader, damage)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := each(s, reader.Offset()); err != nil {
			return err
		}
	}
}

// readWarcinfo reads which warcinfo record the file begins with, if the scan begins behind it.
func (s *scan) readWarcinfo(path string) error {
	if s.end == 0 {
		return nil
	}
	reader, err := warc.Open(path, 0)
	if err != nil {
		return err
	}
	defer reader.Close()
	rec, err := reader.Next()
	if errors.Is(err, io.EOF) || errors.As(err, new(*warc.Damage)) {
		return nil // others may look at what is in the index already
	}
	if err == nil {
		s.warcinfo.add(warcinfoOf(rec))
	}
	return err
}

// warcinfoOf returns the ID of the warcinfo record that a record is, or belongs to.
func warcinfoOf(rec *warc.Record) string {
	if rec.Type() == "warcinfo" {
		return rec.Header.Get("WARC-Record-ID")
	}
	return rec.Header.Get("WARC-Warcinfo-ID")
}

// next reads one record. At the file's end it returns io.EOF, and where no good record follows a
// *warc.Damage.
func (s *scan) next(reader *warc.Reader) error {
	rec, err := reader.Next()
	if err != nil {
		return err
	}
	warcinfo := warcinfoOf(rec)
	if s.apart && len(s.warcinfo) > 0 && !s.warcinfo.has(warcinfo) {
		return rec.Close()
	}
	switch rec.Type() {
	case "response", "revisit":
		err = s.readResponse(rec)
	case "request":
		err = s.readRequest(rec)
	default:
		err = s.readOther(rec)
	}
	if err == nil {
		s.warcinfo.add(warcinfo)
	}
	return err
}

// note notes damage that next has returned.
func (s *scan) note(damage *warc.Damage) {
	if s.damage == nil {
		s.damage = damage.Reason
	}
	s.apart = true
}

// resume goes on behind damage, or returns io.EOF if no record follows.
func (s *scan) resume(reader *warc.Reader, damage *warc.Damage) error {
	if reader.Offset() > damage.Offset { // the record is whole, but none of ours
		return nil
	}
	_, _, err := reader.Resync()
	return err
}

// finish ends the scan of a finished file of that size: what has been begun is whole, if there is
// no damage behind it.
func (s *scan) finish(size int64) {
	s.settle()
	if s.end < size {
		s.skipTo(size)
	}
}

// forget forgets the captures that have been found.
func (s *scan) forget() {
	s.found += len(s.captures)
	clear(s.captures)
	s.captures, s.text = s.captures[:0], 0
}

// readResponse begins an exchange.
func (s *scan) readResponse(rec *warc.Record) error {
	start, err := record.ReadStart(rec)
	if err != nil {
		return err
	}
	h := rec.Header
	found := &foundResponse{
		id: strings.Clone(h.Get("WARC-Record-ID")), uri: record.Text([]byte(h.Get("WARC-Target-URI"))),
		digest: strings.Clone(
			h.Get("WARC-Payload-Digest")), head: record.ParseHead(start), revisit: rec.Type() == "revisit",
	}
	found.recordID, found.isOurs = record.ParseID(found.id)
	key, keyed, err := s.readContent(rec, found, start)
	if err != nil {
		return err
	}
	if err := rec.Close(); err != nil {
		return err
	}
	if found.date, err = dateOf(rec, s.file); err != nil {
		return err
	}
	found.at = stretchOf(rec)
	if found.revisit {
		found.refers = referralOf(h)
	}
	if keyed && found.isOurs {
		found.original = originalOf(found, key, h.Get("WARC-Date"))
	}
	s.settle()
	if s.tail.isOrphan(found) {
		return &warc.Damage{File: s.file, Offset: rec.Offset, Reason: errOriginalLost}
	}
	s.response = found
	return nil
}

// readContent reads the body of a response that revisits may refer to, as the recorder has judged
// it. It is false if the payload digest is another one: a file may say that it is ours, and is not.
func (s *scan) readContent(rec *warc.Record, found *foundResponse,
	start []byte) (key store.OriginalKey, ok bool, err error) {
	body := rec.Size - int64(found.head.Size)
	if found.revisit || rec.Header.Get("WARC-Truncated") != "" || len(found.uri) > record.MaxOriginalURL ||
		!record.HeadEnds(start[:found.head.Size]) ||
		!s.dedup.MayBeOriginal([]byte("GET"), &found.head, body) {
		return key, false, nil
	}
	proof := proofOf(found.digest, &found.head)
	s.content.Reset(&found.head, body)
	s.content.Write(start[found.head.Size:])
	proof.write(start[found.head.Size:])
	if s.buf == nil {
		s.buf = make([]byte, 64<<10)
	}
	for err == nil {
		var n int
		n, err = rec.Block.Read(s.buf)
		s.content.Write(s.buf[:n])
		proof.write(s.buf[:n])
	}
	if err != io.EOF {
		return key, false, err
	}
	key, ok = s.content.Key(&found.head, start[:found.head.Size], s.dedup.ScopeOf(found.uri))
	return key, ok && proof.holds(), nil
}

// readRequest ends the exchange of the response before it, or begins one without a response.
func (s *scan) readRequest(rec *warc.Record) error {
	start, err := record.ReadStart(rec)
	if err != nil {
		return err
	}
	h := record.ParseHead(start)
	request, err := record.AskedOf(&h, io.MultiReader(bytes.NewReader(start[h.Size:]), rec.Block),
		rec.Size-int64(h.Size))
	if err != nil {
		return err
	}
	if err := rec.Close(); err != nil {
		return err
	}
	switch named := rec.Header.Get("WARC-Concurrent-To"); {
	case s.response != nil && named == s.response.id:
		s.whole(request)
		s.keep(stretchOf(rec))
	case named == s.last && named != "":
		s.settle()
		s.keep(stretchOf(rec))
	case named != "":
		return s.stray(rec)
	default:
		s.settle()
		s.request = &foundRequest{rec.Header.Get("WARC-Record-ID"), stretchOf(rec)}
	}
	return nil
}

// readOther reads a metadata record, or one that is of no exchange. Of metadata that names a record
// which is not there only our own can be the rest of an exchange, and only behind damage: others
// may name what they like.
func (s *scan) readOther(rec *warc.Record) error {
	if err := rec.Close(); err != nil {
		return err
	}
	h := rec.Header
	named := h.Get("WARC-Concurrent-To")
	switch {
	case rec.Type() != "metadata" || named == "":
		s.alone(h.Get("WARC-Record-ID"))
	case s.request != nil && named == s.request.id:
		s.keepRequest()
	case s.response != nil && named == s.response.id && !s.apart:
		s.settle()
	case named == s.last:
		s.settle() // others may name what is farther back
	case s.apart && h.Get("Content-Type") == record.FieldsType:
		return s.stray(rec)
	default:
		s.alone(h.Get("WARC-Record-ID"))
	}
	if record.IsIndexed(rec.Type(), h.Get("Content-Type")) && h.Get("WARC-Target-URI") != "" {
		date, err := dateOf(rec, s.file)
		if err != nil {
			return err
		}
		digest := strings.Clone(cmp.Or(h.Get("WARC-Payload-Digest"), h.Get("WARC-Block-Digest")))
		c := record.ExtraCapture(s.keyer, record.Text([]byte(h.Get("WARC-Target-URI"))), h.Get("Content-Type"), date,
			digest)
		s.addAt(c, stretchOf(rec))
	}
	s.keep(stretchOf(rec))
	return nil
}

// alone notes a record that is of no exchange.
func (s *scan) alone(id string) {
	s.settle()
	s.last = id
}

// dateOf reads the date of a record. Without a good one it cannot be found.
func dateOf(rec *warc.Record, file string) (time.Time, error) {
	date, err := time.Parse(time.RFC3339, rec.Header.Get("WARC-Date"))
	if err != nil {
		err = &warc.Damage{File: file, Offset: rec.Offset, Reason: fmt.Errorf("WARC-Date: %w", err)}
	}
	return date, err
}

// stray is the damage that a record stands for whose exchange is not before it.
func (s *scan) stray(rec *warc.Record) error {
	return &warc.Damage{File: s.file, Offset: rec.Offset, Reason: errStray}
}

// settle ends the exchange that has been begun: it is whole, as another follows, if there is no
// damage in between.
func (s *scan) settle() {
	switch {
	case s.apart:
		s.response, s.request, s.apart = nil, nil, false
	case s.response != nil:
		s.whole(&record.Asked{})
	case s.request != nil:
		s.keepRequest()
	}
}

// whole makes the capture of the response that has come.
func (s *scan) whole(request *record.Asked) {
	r := s.response
	c, _ := record.CaptureOf(s.keyer, r.uri, r.date, request, &r.head, r.digest)
	if r.revisit {
		c.MIME = record.RevisitMIME
	}
	if string(request.Method) == "GET" {
		c.Original = r.original
	}
	s.addAt(c, r.at)
	s.keep(r.at)
	s.tail.note(r)
	s.response, s.last = nil, r.id
}

// addAt adds a capture that lies there.
func (s *scan) addAt(c store.Capture, at stretch) {
	c.Location = store.Location{File: s.file, Offset: at.from, Length: at.to - at.from}
	s.captures = append(s.captures, c)
	s.text += record.TextSize(&c)
}

// isFull reports whether the captures should go into the index now.
func (s *scan) isFull(group int) bool { return len(s.captures) >= group || s.text >= maxText }

// maxText is how many bytes of text the captures may hold that go into the index at once.
const maxText = 8 << 20

func (s *scan) keepRequest() {
	s.keep(s.request.at)
	s.request, s.last = nil, s.request.id
}

// keep notes that a part of the file is good. What lies between it and the last one is not.
func (s *scan) keep(at stretch) {
	if at.from > s.end {
		s.skipTo(at.from)
	}
	if n := len(s.kept); n > 0 && s.kept[n-1].to == at.from {
		s.kept[n-1].to = at.to
	} else {
		s.kept = append(s.kept, at)
	}
	s.end, s.apart = at.to, false
}

// skipTo notes that nothing from the last whole exchange up to an offset is any good.
func (s *scan) skipTo(offset int64) {
	s.damages(Damaged{s.file, s.end, offset - s.end, cmp.Or(s.damage, errStray), false})
	s.damage = nil
}

// maxDamaged is how many damaged places of a file are listed; one more stands for all the others.
const maxDamaged = 1000

// errMore stands for the places that are not listed.
var errMore = errors.New("these bytes, and those of all places behind them that are not listed")

// damages notes a damaged place.
func (s *scan) damages(d Damaged) {
	switch n := len(s.damaged); {
	case n < maxDamaged:
		s.damaged = append(s.damaged, d)
	case n == maxDamaged:
		d.Reason = errMore
		s.damaged = append(s.damaged, d)
	default:
		s.damaged[n-1].Bytes += d.Bytes
	}
}

func stretchOf(rec *warc.Record) stretch {
	return stretch{rec.Offset, rec.Offset + rec.Length}
}
