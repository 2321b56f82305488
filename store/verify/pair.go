package verify

import "slices"

// pairs follows the exchanges of a file. What we write is a response, or a revisit, and its request
// right behind it; or a request without a response, and a metadata record behind it that says why.
// A response may have a metadata record in the request's place. Others write otherwise: in their
// files it is only looked for the method of a response's request.
type pairs struct {
	f        *fileCheck
	response *half // that waits for its request
	request  *half // that waits for its response, or for its metadata record
}

// half is a record that waits for another one.
type half struct {
	id, uri, date string
	offset        int64
	named         []string // by its WARC-Concurrent-To
	method        string
	ours          bool
	fault         string // of the response's message, that is none if the method is HEAD
}

func (r *recordCheck) half() *half {
	h := &half{
		id:     r.id,
		uri:    r.Header.Get("WARC-Target-URI"),
		date:   r.Header.Get("WARC-Date"),
		offset: r.Offset,
		ours:   r.ours,
		named:  r.Header.Values("WARC-Concurrent-To"),
	}
	if r.http {
		h.method = r.message.method
	}
	return h
}

// add takes the next record.
func (p *pairs) add(r *recordCheck) {
	h := r.half()
	switch r.Type() {
	case "response", "revisit":
		p.addResponse(r, h)
	case "request":
		p.addRequest(r, h)
	case "metadata":
		p.addMetadata(r, h)
	default:
		p.end()
	}
}

func (p *pairs) addResponse(r *recordCheck, h *half) {
	fault, open := r.httpFault()
	if fault != "" && !open {
		r.faults.add(HTTP, "%s", fault)
		fault = ""
	}
	if m := &r.message; r.http && m.status/100 == 1 && m.status != 101 {
		r.faults.note(HTTP, "a response of status %d, which is not the final one, begins the block",
			m.status)
	}
	before := p.request
	p.end()
	h.fault, p.response = fault, h
	if !r.ours && before != nil &&
		(slices.Contains(before.named, h.id) || slices.Contains(h.named, before.id)) {
		p.join(before)
	}
}

func (p *pairs) addRequest(r *recordCheck, h *half) {
	if fault, open := r.httpFault(); fault != "" && !open {
		if r.message.chunked { // a recorder marks one only if it knows its length
			r.faults.note(HTTP, "%s", fault)
		} else {
			r.faults.add(HTTP, "%s", fault)
		}
	}
	response := p.response
	switch {
	case response != nil && (slices.Contains(h.named, response.id) || !r.ours && slices.Contains(response.named, h.id)):
		if r.ours {
			p.compare(r, response, h)
		}
		p.join(h)
		return
	case !r.ours:
	case len(h.named) > 0:
		r.faults.add(Pair, "the request names %s, which is not the record before it%s", quote(h.named[0]),
			p.behindDamage())
	}
	p.end()
	if len(h.named) == 0 || !r.ours {
		p.request = h
	}
}

// compare compares the two halves of an exchange.
func (p *pairs) compare(r *recordCheck, response, request *half) {
	switch {
	case request.named[0] != response.id:
		r.faults.add(Pair, "the request names another record before its response")
	case request.uri != response.uri:
		r.faults.add(Pair, "the request has another WARC-Target-URI than its response")
	case request.date != response.date:
		r.faults.add(Pair, "the request has another WARC-Date than its response")
	}
}

// join ends the exchange of the response that waits.
func (p *pairs) join(request *half) {
	if p.response.fault != "" && request.method != "HEAD" {
		p.report(p.response, HTTP, p.response.fault, false)
	}
	p.response = nil
}

// addMetadata takes a metadata record. It need not be of an exchange, or may be of any.
func (p *pairs) addMetadata(r *recordCheck, h *half) {
	switch {
	case !r.ours || len(h.named) == 0:
	case p.response != nil && h.named[0] == p.response.id:
		p.join(&half{})
	case p.request != nil && h.named[0] == p.request.id:
		p.request = nil
	}
}

func (p *pairs) behindDamage() string {
	if p.f.apart {
		return ", where the file is damaged"
	}
	return ""
}

// end ends the exchange that has been begun.
func (p *pairs) end() {
	if h := p.response; h != nil {
		if h.ours {
			p.report(h, Pair, "the response is not followed by its request", false)
		}
		if h.fault != "" {
			p.report(h, HTTP, h.fault+", if it is no answer to a HEAD request", !h.ours)
		}
	}
	if h := p.request; h != nil && h.ours {
		p.report(h, Pair, "the request has no response, and no metadata record that says why", false)
	}
	p.response, p.request = nil, nil
}

// cut forgets the exchange that has been begun, and reports it: what follows is damaged.
func (p *pairs) cut() {
	for _, h := range []*half{p.response, p.request} {
		if h != nil && h.ours {
			p.report(h, Pair, "the exchange is not whole: the record behind it is damaged", false)
		}
	}
	p.response, p.request = nil, nil
}

func (p *pairs) report(h *half, code Code, text string, note bool) {
	p.f.found.add(Finding{
		File:     p.f.name,
		Offset:   h.offset,
		RecordID: shortID(h.id),
		Code:     code,
		Text:     text,
		Note:     note,
	})
}
