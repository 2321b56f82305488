package readback

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"warcorder/canon"
	"warcorder/store"
	"warcorder/store/warc"
)

const (
	// The captures that are looked at for an original: of its URL with the payload, and of its URL
	// with whatever was sent there.
	mostOfURL  = 100_000
	mostBodies = 1000

	mostRead = 8 // originals that prove to be none
)

// search is the search for the original of a revisit.
type search struct {
	files  *Files
	of     *store.Capture
	digest string    // of the payload; "" if the revisit does not tell
	uri    string    // of the original; "" if the revisit does not tell
	date   time.Time // of the original

	found *Response
	away  error // why an original could not be read
	chain bool  // the revisit refers to a revisit
	read  int
}

// original reads the response that has the body of a revisit: the one that the revisit names by
// its URL and date or else, of those that have the URL key of the revisit and its payload digest,
// the one nearest in time.
func (f *Files) original(c *store.Capture, header warc.Header) (*Response, error) {
	if f.index == nil {
		at, err := f.find(c)
		if err != nil {
			return nil, place(c.Location, err)
		}
		return f.wholeAt(at)
	}
	s := search{files: f, of: c, digest: header.Get("WARC-Payload-Digest")}
	named := header.Get("WARC-Refers-To-Target-URI")
	date, err := time.Parse(time.RFC3339Nano, header.Get("WARC-Refers-To-Date"))
	if named != "" && err == nil {
		s.uri, s.date = uriOf(named), date
		err = s.named()
	} else {
		err = nil
	}
	if err == nil && s.found == nil && s.digest != "" {
		err = f.index.Nearest(store.URLKey, c.URLKey, c.Time, mostOfURL, s.sameDigest)
	}
	if err != nil || s.found != nil {
		return s.found, err
	}
	return nil, s.missed()
}

// Original returns the capture that has the body of a revisit; nil if the capture is no revisit, or
// has its body itself. Beside a recorder nothing but its place is known.
func (f *Files) Original(c *store.Capture) (*store.Capture, error) {
	if !c.IsRevisit() {
		return nil, nil
	}
	r, err := f.Response(c)
	if err != nil {
		return nil, err
	}
	return r.original, r.Close()
}

// ResponseBy is Response for who knows already where the body of a revisit lies.
func (f *Files) ResponseBy(c *store.Capture, original *store.Location) (*Response, error) {
	if original == nil {
		return f.Response(c)
	}
	record, err := f.recordOf(c)
	if err != nil {
		return nil, err
	}
	own, err := message(record)
	if err = errors.Join(err, record.Close()); err != nil {
		return nil, place(c.Location, err)
	}
	r, err := f.wholeAt(*original)
	if err == nil {
		r.headOf(own)
	}
	return r, err
}

// wholeAt reads the original at a place.
func (f *Files) wholeAt(at store.Location) (*Response, error) {
	record, err := f.Record(at)
	if err != nil {
		return nil, err
	}
	if isRevisit(record) {
		return nil, errors.Join(place(at, ErrNoOriginal), record.Close())
	}
	r, err := message(record)
	if err != nil {
		return nil, errors.Join(place(at, err), record.Close())
	}
	r.Original, r.original = &at, &store.Capture{Location: at}
	return r, nil
}

// headOf gives the response the head of a revisit, if that has one.
func (r *Response) headOf(revisit *Response) {
	if len(revisit.Head) > 0 {
		r.Head, r.Made, r.Unended = revisit.Head, revisit.Made, revisit.Unended
		r.Status = revisit.Status
	}
}

// missed is why nothing was found.
func (s *search) missed() error {
	why := ErrNoOriginal
	looked := "payload " + s.digest
	if s.uri != "" {
		looked = fmt.Sprintf("%s of %s, %s", s.uri, s.date.Format(time.RFC3339Nano), looked)
	}
	switch {
	case s.away != nil:
		return place(s.of.Location, fmt.Errorf("the revisit's original: %w", s.away))
	case s.chain:
		return place(s.of.Location, fmt.Errorf("%w: it refers to another revisit: %s", why, looked))
	}
	return place(s.of.Location, fmt.Errorf("%w: %s", why, looked))
}

// named looks for the response of the URL and date that the revisit names. It was asked for as the
// revisit was or, by a GET or not, otherwise.
func (s *search) named() error {
	surt, _ := canon.SURT(s.uri)
	keys := []string{s.of.URLKey, surt}
	if s.of.RequestBody != "" {
		key, _ := canon.SURT(canon.Pywb.Append(s.uri, s.of.Method, s.of.RequestBody))
		keys = append(keys, key)
	}
	for i, key := range keys {
		if s.found != nil || i > 0 && key == keys[0] {
			continue
		}
		if err := s.files.index.Nearest(store.URLKey, key, s.date, mostOfURL, s.sameDate); err != nil {
			return err
		}
	}
	if s.found != nil {
		return nil
	}
	path, _, _ := strings.Cut(surt, "?")
	_, err := s.files.index.Under(path+"?", mostBodies, func(c *store.Capture) bool {
		return c.Method == "" || !s.isDated(c) || s.try(c)
	})
	return err
}

// sameDate looks at a capture near the date. It reports whether to go on.
func (s *search) sameDate(c *store.Capture) bool {
	if away := c.Time.Sub(s.date); away > time.Second || away < -time.Second {
		return false
	}
	return !s.isDated(c) || s.try(c)
}

// isDated reports whether a capture is of the date, as far as a date of whole seconds tells, and of
// the URL or, whatever its spelling, has the payload.
func (s *search) isDated(c *store.Capture) bool {
	if !c.Time.Equal(s.date.Truncate(time.Microsecond)) &&
		!c.Time.Truncate(time.Second).Equal(s.date) {
		return false
	}
	same, known := sameDigest(c.Digest, s.digest)
	return known && same || c.URL == s.uri
}

// sameDigest looks at a capture of the revisit's own URL key. It reports whether to go on.
func (s *search) sameDigest(c *store.Capture) bool {
	same, known := sameDigest(c.Digest, s.digest)
	return !known || !same || s.try(c)
}

// try reads a capture that may be the original. It reports whether to go on.
func (s *search) try(c *store.Capture) (more bool) {
	if c.IsRevisit() {
		s.chain = s.chain || c.Location != s.of.Location
		return true
	}
	if same, known := sameDigest(c.Digest, s.digest); known && !same {
		return true
	}
	found, err := s.files.whole(c)
	if err != nil && (s.away == nil || errors.Is(err, ErrMissing)) {
		s.away = err
	}
	s.found = found
	s.read++
	return found == nil && s.read < mostRead
}

// whole reads a capture that is an original; nil if it is a revisit.
func (f *Files) whole(c *store.Capture) (*Response, error) {
	record, err := f.recordOf(c)
	if err != nil {
		return nil, err
	}
	if isRevisit(record) {
		return nil, record.Close()
	}
	r, err := message(record)
	if err != nil {
		return nil, errors.Join(place(c.Location, err), record.Close())
	}
	original := *c
	r.Original, r.original = &original.Location, &original
	return r, nil
}

// uriOf is a URI as the index has it: without the angle brackets that some tools put around it, and
// with its spaces escaped.
func uriOf(uri string) string {
	if strings.HasPrefix(uri, "<") && strings.HasSuffix(uri, ">") {
		uri = uri[1 : len(uri)-1]
	}
	return strings.ReplaceAll(uri, " ", "%20")
}
