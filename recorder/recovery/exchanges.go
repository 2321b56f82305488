package recovery

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/warc"
)

// scanFile reads a file from file.Committed on, up to the first damage, or with over, all that is good
// in it. each is called behind every record, with the offset there.
func scanFile(in *source, file store.File, keyer *store.Keyer, dedup *record.DedupConfig,
	over bool, each func(s *scan, offset int64) error) (*scan, error) {
	s := &scan{
		findings: findings{file: file.Name, keyer: keyer},
		dedup:    dedup,
		end:      file.Committed,
	}
	if err := s.readAll(in, over, each); err != nil {
		return nil, err
	}
	return s, nil
}

// readAll is scanFile for a scan that has been set up, from s.end on.
func (s *scan) readAll(in *source, over bool, each func(s *scan, offset int64) error) error {
	if err := s.readWarcinfo(in); err != nil {
		return err
	}
	reader, err := in.records(s.end)
	if err != nil {
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
func (s *scan) readWarcinfo(in *source) error {
	if s.end == 0 {
		return nil
	}
	reader, err := in.records(0)
	if err != nil {
		return err
	}
	rec, err := reader.Next()
	if errors.Is(err, io.EOF) || errors.As(err, new(*warc.Damage)) {
		return nil // damage before s.end is in the index, and no business of this scan
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

// next reads one record. It returns io.EOF at the file's end, and a *warc.Damage where no good
// record follows.
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

// note notes damage: until a record counts again, s.apart is set.
func (s *scan) note(damage *warc.Damage) {
	if s.damage == nil {
		s.damage = damage.Reason
	}
	s.apart = true
}

// resume goes to the next record behind damage, or returns io.EOF if none follows.
func (s *scan) resume(reader *warc.Reader, damage *warc.Damage) error {
	if reader.Offset() > damage.Offset { // the record is whole but stray, and the reader behind it
		return nil
	}
	_, _, err := reader.Resync()
	return err
}

// readResponse reads a response or a revisit, which begins an exchange.
func (s *scan) readResponse(rec *warc.Record) error {
	start, err := record.ReadStart(rec)
	if err != nil {
		return err
	}
	h := rec.Header
	found := &foundResponse{
		id: strings.Clone(h.Get("WARC-Record-ID")), uri: record.Text([]byte(h.Get("WARC-Target-URI"))),
		digest: strings.Clone(h.Get("WARC-Payload-Digest")), head: record.ParseHead(start),
		revisit: rec.Type() == "revisit",
	}
	found.truncated = !found.revisit && h.Get("WARC-Truncated") != ""
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

// readContent reads the body of a response and returns the key that later responses find it by. It
// is false if the recorder would have made the response no original, or if the payload does not
// have the digest that the record claims: a file may say that it is ours, and may not be.
func (s *scan) readContent(rec *warc.Record, found *foundResponse,
	start []byte) (key store.OriginalKey, ok bool, err error) {
	body := rec.Size - int64(found.head.Size)
	if found.revisit || rec.Header.Get("WARC-Truncated") != "" ||
		len(found.uri) > record.MaxOriginalURL || !record.HeadEnds(start[:found.head.Size]) ||
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
	scope := s.dedup.ScopeOf(found.uri, &found.head)
	key, ok = s.content.Key(&found.head, start[:found.head.Size], scope)
	return key, ok && proof.holds(), nil
}

// readRequest reads a request, which ends the exchange of the response before it, or begins an
// exchange that has no response.
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

// readOther reads a metadata record, or one of no exchange. A metadata record that names a record
// which is not there is stray only behind damage, and only if the recorder has written it of an
// exchange (warc-fields): clients may add metadata records that name anything.
func (s *scan) readOther(rec *warc.Record) error {
	if err := s.lookAt(rec); err != nil {
		return err
	}
	completes, err := completion(rec)
	if err != nil {
		return err
	}
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
		s.settle() // what names an exchange farther back is a record of none
	case s.apart && h.Get("Content-Type") == record.FieldsType:
		return s.stray(rec)
	default:
		s.alone(h.Get("WARC-Record-ID"))
	}
	s.completed(completes)
	if record.IsIndexed(rec.Type(), h.Get("Content-Type")) && h.Get("WARC-Target-URI") != "" {
		date, err := dateOf(rec, s.file)
		if err != nil {
			return err
		}
		digest := strings.Clone(cmp.Or(h.Get("WARC-Payload-Digest"), h.Get("WARC-Block-Digest")))
		uri := record.Text([]byte(h.Get("WARC-Target-URI")))
		c := record.ExtraCapture(s.keyer, uri, h.Get("Content-Type"), date, digest)
		s.addAt(c, stretchOf(rec))
	}
	s.keep(stretchOf(rec))
	return nil
}

// alone settles the exchange before a record of no exchange.
func (s *scan) alone(id string) {
	s.settle()
	s.last = id
}

// stray is the damage of a record whose exchange does not begin right before it.
func (s *scan) stray(rec *warc.Record) error {
	return &warc.Damage{File: s.file, Offset: rec.Offset, Reason: errStray}
}
