package record

import (
	"cmp"
	"crypto/tls"

	"warcorder/store"
)

// Records is what an exchange becomes: the WARC headers of its records, each through its empty
// line, and its capture. The blocks are the exchange's messages. The records are written in this
// order, since readers of archives expect the request right behind its response. An empty header
// stands for no record. NewRecords makes Records; one can be used for many exchanges, one after the
// other.
type Records struct {
	URI      string // WARC-Target-URI of all records
	Response []byte
	Request  []byte
	Metadata []byte // the metadata record, header and block; empty if there is none
	facts    []byte // block of the metadata record
	Captured bool   // whether there is a capture: there is one for every response
	Beyond   bool   // whether the request's body counts as binary for the work that it asks for
	Capture  store.Capture
	MIME     string // media type of the response, of a revisit too

	style  *Style
	keyer  *store.Keyer
	cipher uint16 // of the last exchange with TLS
	suite  string // name of cipher, which crypto/tls makes anew each time
}

// NewRecords returns Records that are made in that style, with keys of that keyer.
func NewRecords(keyer *store.Keyer, style *Style) Records {
	return Records{keyer: keyer, style: style}
}

// Make sets r to the records of an exchange, over those of the one before. It is pure: it reads
// what it is given and nothing else. Capture is made without its place in a file.
func (r *Records) Make(f *Facts, request, response *Message, id *IDs) {
	r.URI = TargetURI(f.URL)
	r.Response, r.Request, r.Metadata = r.Response[:0], r.Request[:0], r.Metadata[:0]
	r.Captured, r.Beyond = response.Length >= MinBlock, false
	protocol := response.protocol()
	if protocol == "" {
		protocol = request.protocol()
	}
	if f.Cipher != r.cipher {
		r.cipher, r.suite = f.Cipher, tls.CipherSuiteName(f.Cipher)
	}
	h := header{f, r.URI, protocol, r.suite, id, r.style}
	if r.Captured {
		r.Response = h.append(r.Response, "response", &id.Response, nil, response, f.Truncated)
		var within bool
		r.Capture, within = CaptureOf(r.keyer, r.URI, r.style.Date(f.Started), request.recorded(),
			&response.Head, f.Truncated != "" && response.Refers == nil, response.digest())
		r.Beyond = !within
		r.MIME = r.Capture.MIME
		if response.Refers != nil {
			r.Capture.MIME = RevisitMIME
		}
		if f.Completion != "" {
			r.Capture.Visit.Traits |= store.Aside
		}
	}
	if request.Length >= MinBlock {
		r.Request = r.appendRequest(&h, request)
	}
	if !r.Captured || len(r.Request) == 0 || f.Unverified != "" || f.Fault != "" ||
		f.Truncated != "" || f.Completion != "" || f.Via != "" || r.Beyond {
		r.facts = AppendFacts(r.facts[:0], f, response, r.Beyond)
		r.Metadata = h.appendMetadata(r.Metadata, r.ConcurrentTo(id), r.facts)
	}
}

// appendRequest makes the request's header. The request is marked as truncated only if it says
// itself that it is: what is missing as a rule is of the response.
func (r *Records) appendRequest(h *header, request *Message) []byte {
	var concurrentTo *ID
	if r.Captured {
		concurrentTo = &h.id.Response
	}
	truncated := ""
	if (h.facts.Truncated != "" || h.facts.Fault != "") && request.short() {
		truncated = cmp.Or(h.facts.Truncated, "unspecified")
	}
	return h.append(r.Request, "request", &h.id.Request, concurrentTo, request, truncated)
}

// ConcurrentTo is the record that the metadata record belongs to; nil if there is none.
func (r *Records) ConcurrentTo(id *IDs) *ID {
	switch {
	case len(r.Response) > 0:
		return &id.Response
	case len(r.Request) > 0:
		return &id.Request
	}
	return nil
}
