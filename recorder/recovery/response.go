package recovery

import (
	"fmt"
	"io"
	"strings"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/warc"
)

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

// originalOf is what revisits may say of a response whose payload was found to have its digest; nil
// if it has what must not get into a record of ours, or is not as we write it.
func originalOf(found *foundResponse, key store.OriginalKey, date string) *store.Original {
	o := &store.Original{
		Key: key, RecordID: found.recordID, Time: found.date.UTC().Truncate(time.Microsecond),
		Seconds: !strings.Contains(date, "."), Digest: found.digest, URL: found.uri,
	}
	if found.recordID.String() != found.id || string(record.AppendDate(nil, o.Time,
		o.Seconds)) != date || !record.IsSound(o, time.Now()) {
		return nil
	}
	return o
}

// dateOf reads the date of a record. Without a good one it cannot be found.
func dateOf(rec *warc.Record, file string) (time.Time, error) {
	date, err := time.Parse(time.RFC3339, rec.Header.Get("WARC-Date"))
	if err != nil {
		err = &warc.Damage{File: file, Offset: rec.Offset, Reason: fmt.Errorf("WARC-Date: %w", err)}
	}
	return date, err
}
