package recovery

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/warc"
)

// foreignScan reads the captures of a file that another program has made.
//
// Nothing is known of the order of its records: Heritrix and warcio write the request behind its
// response, wget before it, and others may stand between. So a response and a request wait for one
// another, for as many records as pairWithin, and belong together if either names the other in
// WARC-Concurrent-To and both have the same URI. A response that no request comes for is of a GET.
// What becomes a capture is what cdxj-indexer writes a line for: responses, revisits, and resource
// and metadata records that hold something else than fields for a WARC reader. A record that was
// segmented is found by its first segment.
type foreignScan struct {
	findings
	responses []foreignResponse
	requests  []foreignRequest
	number    int   // how many records were read
	waiting   int64 // bytes of all responses and requests that wait
}

const (
	pairWithin   = 100      // records that a request or a response waits for the other
	waitingLimit = 32 << 20 // bytes that all that wait may take in memory
)

// foreignResponse is a capture that waits for its request.
type foreignResponse struct {
	foreignID
	capture store.Capture // without method and keys
}

// foreignRequest is a request that waits for its response.
type foreignRequest struct {
	foreignID
	asked *record.Asked
	uri   string
}

// foreignID is which record one is, and which ones it names.
type foreignID struct {
	number       int
	id           string
	concurrentTo []string
	size         int64 // bytes that it takes with its record
}

// An ID is longer than maxID in no file but one that was made to fill memory, and no record of an
// exchange names more than maxNamed others.
const (
	maxID    = 1 << 10
	maxNamed = 16
)

// The damage of records that are whole, and that nobody could look up.
var (
	errNoDate = errors.New("a record without a good WARC-Date")
	errNoURI  = errors.New("a record without a WARC-Target-URI")
)

// ErrUnended is the reason of a Damaged whose file ends before its last record does. The record is
// in the index nevertheless, as pywb indexes it too.
var ErrUnended = errors.New(
	"the file ends before its last record does; the block is whole, as is the capture")

// scanForeign reads a file. each is called behind every record.
func scanForeign(in *source, name string, keyer *store.Keyer,
	each func(s *foreignScan, offset int64) error) (*foreignScan, error) {
	s := &foreignScan{findings: findings{file: name, keyer: keyer}}
	reader, err := warc.NewForeignReader(in.section(), in.name, 0)
	if damage := (*warc.Damage)(nil); errors.As(err, &damage) { // it is no WARC file that we read
		s.damaged = []Damaged{{name, 0, in.size, damage.Reason, false}}
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	for {
		rec, err := reader.Next()
		if err == nil {
			err = s.read(rec)
		}
		if damage := (*warc.Damage)(nil); errors.As(err, &damage) {
			var from, to int64
			from, to, err = reader.Resync()
			if err == nil || errors.Is(err, io.EOF) {
				s.damages(Damaged{name, from, to - from, damage.Reason, false})
			}
		}
		if errors.Is(err, io.EOF) {
			s.settle()
			return s, nil
		}
		if err == nil {
			err = each(s, reader.Offset())
		}
		if err != nil {
			return nil, err
		}
	}
}

// read reads one record.
func (s *foreignScan) read(rec *warc.Record) (err error) {
	s.number++
	if !strings.EqualFold(rec.Type(), "metadata") {
		s.captured = ""
	}
	for len(s.responses) > 0 && s.responses[0].number+pairWithin <= s.number {
		s.settleFirst()
	}
	for len(s.requests) > 0 && s.requests[0].number+pairWithin <= s.number {
		s.dropRequest(0)
	}
	switch kind := strings.ToLower(rec.Type()); kind {
	case "response", "revisit":
		err = s.readResponse(rec, kind == "revisit")
	case "request":
		err = s.readRequest(rec)
	case "resource", "metadata":
		err = s.readResource(rec)
	}
	if err != nil {
		return err
	}
	if err = rec.Close(); err == nil && rec.Unended {
		s.damages(Damaged{s.file, rec.Offset, rec.Length, ErrUnended, true})
	}
	return err
}

// readResponse makes the capture of a response or a revisit, which waits for its request.
func (s *foreignScan) readResponse(rec *warc.Record, revisit bool) error {
	var h record.Head
	var start []byte
	var err error
	if record.IsHTTP(rec.TargetURI()) {
		if start, err = record.ReadStart(rec); err != nil {
			return err
		}
		h = record.ParseHead(start)
	}
	digest := strings.Clone(rec.Header.Get("WARC-Payload-Digest"))
	// that of a segment would be of no use
	if digest == "" && !revisit && rec.SegmentNumber() == 0 {
		body := io.MultiReader(bytes.NewReader(start[h.Size:]), rec.Block)
		if digest, err = digestOf(body); err != nil {
			return err
		}
	}
	capture, ok, err := s.captureOf(rec)
	if err != nil || !ok {
		return err
	}
	h.Fill(&capture, !revisit && isShort(rec))
	h.FillVisit(&capture)
	capture.Digest = digest
	if revisit {
		capture.MIME = record.RevisitMIME
	}
	response := foreignResponse{s.idOf(rec, record.TextSize(&capture)), capture}
	at := slices.IndexFunc(s.requests,
		func(request foreignRequest) bool { return together(&response, &request) })
	if at < 0 {
		s.responses = append(s.responses, response)
		s.waits(response.size)
		return nil
	}
	s.addAsked(response.capture, s.requests[at].asked)
	s.captured = response.id
	s.dropRequest(at)
	return nil
}

// isShort reports whether a response is not there to its end, in its record.
func isShort(rec *warc.Record) bool {
	return rec.Header.Get("WARC-Truncated") != "" || rec.SegmentNumber() != 0
}

// readRequest reads a request, which waits for its response.
func (s *foreignScan) readRequest(rec *warc.Record) error {
	uri := rec.TargetURI()
	if !record.IsHTTP(uri) {
		return nil
	}
	start, err := record.ReadStart(rec)
	if err != nil {
		return err
	}
	h := record.ParseHead(start)
	asked, err := record.AskedOf(&h, io.MultiReader(bytes.NewReader(start[h.Size:]), rec.Block),
		rec.Size-int64(h.Size))
	if err != nil {
		return err
	}
	if err := rec.Close(); err != nil {
		return err
	}
	asked.Method = slices.Clone(asked.Method) // the rest of the head is not needed
	size := int64(len(asked.Entity.Start) + len(uri) + len(asked.Method) + len(asked.ContentType))
	request := foreignRequest{s.idOf(rec, size), asked, strings.Clone(uri)}
	at := slices.IndexFunc(s.responses,
		func(response foreignResponse) bool { return together(&response, &request) })
	if at >= 0 {
		s.addAsked(s.responses[at].capture, asked)
		s.captured = s.responses[at].id
		s.dropResponse(at)
		return nil
	}
	s.requests = append(s.requests, request)
	s.waits(size)
	return nil
}

// readResource makes the capture of a resource or metadata record, which no request leads to.
func (s *foreignScan) readResource(rec *warc.Record) error {
	kind := rec.Header.Get("Content-Type")
	if kind == record.FieldsType || rec.Header.Get("WARC-Target-URI") == "" {
		if err := s.lookAt(rec); err != nil {
			return err
		}
		completes, err := completion(rec)
		s.completed(completes)
		return err
	}
	digest := strings.Clone(rec.Header.Get("WARC-Payload-Digest"))
	if digest == "" && rec.SegmentNumber() == 0 {
		var err error
		if digest, err = digestOf(rec.Block); err != nil {
			return err
		}
	}
	capture, ok, err := s.captureOf(rec)
	if err != nil || !ok {
		return err
	}
	h := record.Head{ContentType: []byte(kind)}
	capture.MIME, capture.Digest = record.Text(h.MIME()), digest
	capture.Visit = record.VisitAbout(capture.URL)
	s.addAsked(capture, &record.Asked{})
	return nil
}

// captureOf makes the capture of a record that has been read, as far as its header tells. It is
// false, and the record noted as damaged, if that does not tell when or of what it is.
func (s *foreignScan) captureOf(rec *warc.Record) (c store.Capture, ok bool, err error) {
	if err := rec.Close(); err != nil {
		return c, false, err
	}
	c = store.Capture{
		URL:      record.Text([]byte(rec.TargetURI())),
		Location: store.Location{File: s.file, Offset: rec.Offset, Length: rec.Length},
	}
	date, good := warc.ParseDate(rec.Header.Get("WARC-Date"))
	c.Time = date.UTC().Truncate(time.Microsecond)
	switch {
	case c.URL == "":
		s.damages(Damaged{s.file, rec.Offset, rec.Length, errNoURI, false})
	case !good:
		s.damages(Damaged{s.file, rec.Offset, rec.Length, errNoDate, false})
	default:
		return c, true, nil
	}
	return c, false, nil
}

// addAsked adds a capture of what was asked for.
func (s *foreignScan) addAsked(c store.Capture, request *record.Asked) {
	if string(request.Method) != "GET" {
		c.Method = record.Text(request.Method)
	}
	request.Visit(&c)
	s.keyer.Fill(&c, request.Request())
	s.add(c)
}

// waits makes room for a record that has come and waits for another: those that came first wait no
// longer.
func (s *foreignScan) waits(size int64) {
	s.waiting += size
	for s.waiting > waitingLimit {
		if len(s.requests) == 0 || len(s.responses) > 0 && s.responses[0].number < s.requests[0].number {
			s.settleFirst()
		} else {
			s.dropRequest(0)
		}
	}
}

// settle lets nothing wait any longer.
func (s *foreignScan) settle() {
	for len(s.responses) > 0 {
		s.settleFirst()
	}
	for len(s.requests) > 0 {
		s.dropRequest(0)
	}
}

// settleFirst takes the response that has waited longest for that of a GET.
func (s *foreignScan) settleFirst() {
	s.addAsked(s.responses[0].capture, &record.Asked{})
	s.dropResponse(0)
}

// dropResponse takes a response from those that wait.
func (s *foreignScan) dropResponse(at int) {
	s.waiting -= s.responses[at].size
	s.responses = slices.Delete(s.responses, at, at+1)
}

// dropRequest takes a request from those that wait.
func (s *foreignScan) dropRequest(at int) {
	s.waiting -= s.requests[at].size
	s.requests = slices.Delete(s.requests, at, at+1)
}

// idOf is the ID of a record that takes size bytes beside it, without the header that it stands in.
func (s *foreignScan) idOf(rec *warc.Record, size int64) foreignID {
	id := foreignID{number: s.number, size: size}
	if own := rec.Header.Get("WARC-Record-ID"); len(own) <= maxID {
		id.id = strings.Clone(own)
		id.size += int64(len(own))
	}
	for _, named := range rec.Header.Values("WARC-Concurrent-To") {
		if len(named) <= maxID && len(id.concurrentTo) < maxNamed {
			id.concurrentTo = append(id.concurrentTo, strings.Clone(named))
			id.size += int64(len(named))
		}
	}
	return id
}

// together reports whether a response and a request are of one exchange.
func together(response *foreignResponse, request *foreignRequest) bool {
	return response.names(&request.foreignID) &&
		response.capture.URL == record.Text([]byte(request.uri))
}

// names reports whether one of two records names the other.
func (a *foreignID) names(b *foreignID) bool {
	return a.id != "" && slices.Contains(b.concurrentTo, a.id) ||
		b.id != "" && slices.Contains(a.concurrentTo, b.id)
}

// digestOf returns the payload digest of what r gives.
func digestOf(r io.Reader) (string, error) {
	hash := sha1.New()
	if _, err := io.Copy(hash, r); err != nil {
		return "", err
	}
	digest := record.SHA1.DigestOf(hash)
	return digest.String(), nil
}
