package v09

import (
	"fmt"
	"strings"

	"warcorder/store/warc"
)

// addition is what the 1.1 header of another tool's record says beyond its 0.9 header.
type addition struct {
	*oldRecord
	memory    *window
	relations []string    // the fields of 1.1 for its Related-Record-IDs
	more      warc.Header // further fields
	findings  []error
}

func (a *addition) add(name, value string) {
	if value != "" {
		a.more = append(a.more, warc.Field{Name: name, Value: value})
	}
}

// find fills the addition.
func (a *addition) find() error {
	a.relate()
	if a.Fields.Get(warcinfoID) == "" && a.warcinfo != "" && a.Type != "warcinfo" {
		// In the new file another warcinfo record comes before the record.
		a.add("WARC-Warcinfo-ID", id11(a.warcinfo))
	}
	startLine, err := a.payload()
	if err != nil {
		return err
	}
	if a.Type == "revisit" {
		a.revisit(startLine)
	}
	a.unknown()
	return nil
}

// relate decides which field of 1.1 each Related-Record-ID becomes. One for which 1.1 has no field
// keeps its name.
func (a *addition) relate() {
	ids := a.Fields.Values(relatedRecordID)
	a.relations = make([]string, len(ids))
	// A record has at most one WARC-Refers-To.
	free := a.Type == "revisit" || a.Type == "conversion" || a.Type == "metadata"
	for i, id := range ids {
		switch {
		case a.Type == "request" || a.Type == "response" || a.Type == "resource":
			a.relations[i] = "WARC-Concurrent-To"
		case a.Type == "metadata" && a.sameEvent(id),
			a.Type == "revisit" && len(ids) > 1 && a.sameEvent(id):
			a.relations[i] = "WARC-Concurrent-To"
		case free:
			a.relations[i] = "WARC-Refers-To"
			free = false
		}
	}
}

// sameEvent reports whether the record with that ID is part of the same exchange: then it has the
// same creation-date (WARC 0.9 section 5.1, appendix B.5).
func (a *addition) sameEvent(id string) bool {
	other, ok := a.memory.get(id11(id))
	return ok && other.date == a.Date
}

// payload adds the payload digest of a record that contains its payload, and returns the first line
// of an HTTP message.
func (a *addition) payload() (startLine string, err error) {
	block := a.block.reader()
	var digest string
	switch contentType := contentType11(a.Type, a.ContentType); {
	case strings.HasPrefix(contentType, "application/http"), a.Type == "revisit":
		startLine, digest, err = payloadDigest(block)
	case a.Type == "resource", a.Type == "response" && isDNS(a.URI):
		digest, err = sha1Of(block)
	}
	if a.Type != "revisit" && a.Type != "metadata" { // the payload of a revisit is in its original
		a.add("WARC-Payload-Digest", digest)
	}
	return startLine, err
}

// The profiles of a revisit (WARC 1.1 section 6.7).
const (
	identicalPayload = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	notModified      = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
	// unknownRevisit lies in the namespace that the example in 0.9 uses.
	unknownRevisit = "http://archive.org/warc/0.9/revisit"
)

// revisit adds the fields that 1.1 demands of a revisit. 0.9 leaves them open: "the format of a
// 'revisit' record's content block will be specified elsewhere".
func (a *addition) revisit(startLine string) {
	profile := unknownRevisit
	protocol, status, _ := strings.Cut(startLine, " ")
	switch {
	case strings.HasPrefix(protocol, "HTTP/") && strings.HasPrefix(status, "304"):
		profile = notModified
	case strings.HasPrefix(protocol, "HTTP/") || startLine == "":
		profile = identicalPayload
	default:
		a.findings = append(a.findings,
			fmt.Errorf("%w: a revisit whose block is no HTTP header; its WARC-Profile is %s", ErrUnknown,
				profile))
	}
	a.add("WARC-Profile", profile)
	for i, id := range a.Fields.Values(relatedRecordID) {
		if a.relations[i] != "WARC-Refers-To" {
			continue
		}
		// WARC 0.9 section 5.1: the subject-uri of a revisit is a copy of its original's.
		a.add("WARC-Refers-To-Target-URI", a.URI)
		if original, ok := a.memory.get(id11(id)); ok {
			a.add("WARC-Refers-To-Date", date11(original.date))
			if profile != unknownRevisit {
				a.add("WARC-Payload-Digest", original.payload)
			}
		}
	}
}

// types are the record types of 1.1 (WARC 1.1 section 5.5). continuation is one of them: a segment
// that fits nowhere stays a continuation.
var types = []string{
	"warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation",
}

// unknown reports what 1.1 has no words for. It keeps its name.
func (a *addition) unknown() {
	note := func(what, value string) {
		a.findings = append(a.findings,
			fmt.Errorf("%w: %s %s, kept as near as can be", ErrUnknown, what, quote(value)))
	}
	if !holds(types, a.Type) {
		note("record-type", a.Type)
	}
	if a.Type == "continuation" && !a.isSegment() {
		note("a continuation without Segment-Number or Segment-Origin-ID:", a.ID)
	}
	for _, f := range a.Fields {
		if strings.Map(tokenRune, f.Name) != f.Name {
			note("the name of field", f.Name)
		}
	}
	if ip := a.Fields.Get(ipAddress); ip != "" {
		if _, ok := valueFor("WARC-IP-Address", ip); !ok {
			note(ipAddress, ip)
		}
	}
	for i, id := range a.Fields.Values(relatedRecordID) {
		if a.relations[i] == "" {
			note(relatedRecordID, id)
		}
	}
}
