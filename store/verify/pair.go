package verify

import "slices"

// pairs follows the exchanges of a file. In our files an exchange is a response or revisit and, right
// behind it, its request; or a request without a response and, behind it, a metadata record that
// says why. A response may have a metadata record in place of the request. Other tools write other
// orders: in their files, pairs only looks for the method of a response's request.
type pairs struct {
	f        *fileCheck
	response *half // waits for its request
	request  *half // waits for its response or its metadata record
}

// half is a record that waits for the other half of its exchange.
type half struct {
	id, uri, date string
	offset        int64
	named         []string // IDs in its WARC-Concurrent-To
	method        string   // of a request
	ours          bool
	problem       string // of a response's message, unless its request turns out to be a HEAD
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
	problem, open := r.httpProblem()
	if problem != "" && !open {
		r.remarks.add(HTTP, "%s", problem)
		problem = ""
	}
	if m := &r.message; r.http && m.status/100 == 1 && m.status != 101 {
		r.remarks.note(HTTP, "a response of status %d, which is not the final one, begins the block",
			m.status)
	}
	before := p.request
	p.end()
	h.problem, p.response = problem, h
	if !r.ours && before != nil &&
		(slices.Contains(before.named, h.id) || slices.Contains(h.named, before.id)) {
		p.join(before)
	}
}

func (p *pairs) addRequest(r *recordCheck, h *half) {
	if problem, open := r.httpProblem(); problem != "" && !open {
		if r.message.chunked { // without a length, a recorder cannot know that a body is truncated
			r.remarks.note(HTTP, "%s", problem)
		} else {
			r.remarks.add(HTTP, "%s", problem)
		}
	}
	response := p.response
	switch {
	case response != nil && (slices.Contains(h.named, response.id) ||
		!r.ours && slices.Contains(response.named, h.id)):
		if r.ours {
			p.compare(r, response, h)
		}
		p.join(h)
		return
	case !r.ours:
	case len(h.named) > 0:
		r.remarks.add(Pair, "the request names %s, which is not the record before it%s",
			quote(h.named[0]), p.behindDamage())
	}
	p.end()
	if len(h.named) == 0 || !r.ours {
		p.request = h
	}
}

// compare compares the two halves of an exchange of ours.
func (p *pairs) compare(r *recordCheck, response, request *half) {
	switch {
	case request.named[0] != response.id:
		r.remarks.add(Pair, "the request names another record before its response")
	case request.uri != response.uri:
		r.remarks.add(Pair, "the request has another WARC-Target-URI than its response")
	case request.date != response.date:
		r.remarks.add(Pair, "the request has another WARC-Date than its response")
	}
}

// join ends the exchange of the response that has waited.
func (p *pairs) join(request *half) {
	if p.response.problem != "" && request.method != "HEAD" {
		p.report(p.response, HTTP, p.response.problem, false)
	}
	p.response = nil
}

// addMetadata takes a metadata record, which need not belong to an exchange of this place.
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

// end ends the exchange that has been begun, and reports what is missing of it.
func (p *pairs) end() {
	if h := p.response; h != nil {
		if h.ours {
			p.report(h, Pair, "the response is not followed by its request", false)
		}
		if h.problem != "" {
			p.report(h, HTTP, h.problem+", if it is no answer to a HEAD request", !h.ours)
		}
	}
	if h := p.request; h != nil && h.ours {
		p.report(h, Pair, "the request has no response, and no metadata record that says why", false)
	}
	p.response, p.request = nil, nil
}

// cut reports the exchange that has been begun as one that damage has cut off.
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
