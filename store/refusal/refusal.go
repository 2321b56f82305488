// Package refusal tells from the head of an answer whether the other side refused: by its status,
// or by a field with which what stands before a site marks the answers that it gives in the site's
// place. It is for whoever counts refusals while they come, and for whoever finds them in stored
// heads later.
//
// Invariant: the status and the fields decide, and never the text of a page; that a vendor serves a
// site says nothing. A head is read once, in linear time, and nothing of it is trusted or changed.
package refusal

import "bytes"

// Kind is a way to refuse.
type Kind uint8

const (
	None        Kind = iota
	Forbidden        // 403, or a field that says that the request was blocked
	TooMany          // 429
	Unavailable      // 503
	Challenge        // a page that asks the client to show that it is a browser, or a human
)

// Kinds is how many there are, with None.
const Kinds = int(Challenge) + 1

// String is the kind's name in /status and in the log.
func (k Kind) String() string {
	return [Kinds]string{"", "forbidden", "tooMany", "unavailable", "challenge"}[k]
}

// Refusal is how the other side refused; the zero Refusal is no refusal.
type Refusal struct {
	Kind       Kind
	By         string // the vendor, if a field of the head tells
	RetryAfter []byte // the value of Retry-After as it was sent, in the head's bytes
}

// OfStatus is the kind that a status is by itself.
func OfStatus(status int) Kind {
	switch status {
	case 403:
		return Forbidden
	case 429:
		return TooMany
	case 503:
		return Unavailable
	}
	return None
}

// Of reads the head of an answer with that status. A challenge is one whatever its status: vendors
// send them with 200, 202, 403, 405, 429 and 503.
func Of(status int, head []byte) Refusal {
	r := Refusal{Kind: OfStatus(status)}
	for line := []byte(nil); len(head) > 0; {
		line, head, _ = bytes.Cut(head, []byte("\n"))
		if line = bytes.TrimSuffix(line, []byte("\r")); len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		r.take(status, bytes.TrimRight(name, " \t"), bytes.TrimSpace(value))
	}
	if r.Kind == None {
		return Refusal{}
	}
	return r
}

// take notes a field. Of several signs the first one counts, but a challenge before a block.
func (r *Refusal) take(status int, name, value []byte) {
	if len(r.RetryAfter) == 0 && bytes.EqualFold(name, []byte("Retry-After")) {
		r.RetryAfter = value
		return
	}
	s := all.find(name, value)
	if s == nil || s.Status != 0 && s.Status != status {
		return
	}
	if r.By == "" || s.Kind == Challenge && r.Kind != Challenge {
		r.By = s.By
	}
	if s.Kind == Challenge || r.Kind == None {
		r.Kind = s.Kind
	}
}
