package recovery

import (
	"hash"
	"strings"

	"warcorder/recorder/record"
	"warcorder/store/chunks"
	"warcorder/store/warc"
)

// What a WARC file says is checked before it gets into a record of ours, or decides about one. The
// file may say that we wrote it, and may have been made by anybody: people share their archives.

// idSet is a set of record IDs as we write them. The zero idSet is ready; another ID stands for all
// others.
type idSet map[record.ID]bool

// maxIDs is how many IDs of warcinfo records are kept of a file: one that was continued after a
// failure names two.
const maxIDs = 1000

// add adds the ID that text spells.
func (s *idSet) add(text string) {
	if *s == nil {
		*s = make(idSet)
	}
	if id, _ := record.ParseID(text); len(*s) < maxIDs {
		(*s)[id] = true
	}
}

// has reports whether the set has the ID that text spells.
func (s idSet) has(text string) bool {
	id, _ := record.ParseID(text)
	return s[id]
}

// proof finds out whether a payload has the digest that a record claims for it.
type proof struct {
	claimed      string
	wire, entity hash.Hash // of the two senses of payload; nil without one
	chunks       chunks.Decoder
	record.Algorithm
}

// proofOf begins the proof of a claimed digest. One of an algorithm that we never write does not
// hold.
func proofOf(claimed string, response *record.Head) *proof {
	p := &proof{claimed: claimed}
	switch {
	case strings.HasPrefix(claimed, "sha1:"):
		p.Algorithm = record.SHA1
	case strings.HasPrefix(claimed, "sha256:"):
		p.Algorithm = record.SHA256
	default:
		return p
	}
	p.wire = p.NewHash()
	if response.Chunked {
		p.entity = p.NewHash()
	}
	return p
}

// write takes a part of the body.
func (p *proof) write(body []byte) {
	if p.wire != nil {
		p.wire.Write(body)
	}
	for p.entity != nil && len(body) > 0 {
		var data []byte
		data, body = p.chunks.Next(body)
		p.entity.Write(data)
	}
}

// holds reports whether the claimed digest is the payload's, in either sense of payload, and
// spelled as we spell it.
func (p *proof) holds() bool {
	for _, sum := range []hash.Hash{p.wire, p.entity} {
		if sum == nil {
			continue
		}
		if digest := p.DigestOf(sum); digest.String() == p.claimed {
			return true
		}
	}
	return false
}

// referral is what a revisit says of its original; zero if the recorder did not write the revisit.
type referral struct {
	id        record.ID
	uri, date string
}

// referralOf reads what a revisit says of its original. We name none with a URL that is longer than
// those that take part.
func referralOf(h warc.Header) referral {
	id, ok := record.ParseID(h.Get("WARC-Refers-To"))
	uri, date := h.Get("WARC-Refers-To-Target-URI"), h.Get("WARC-Refers-To-Date")
	if !ok || len(uri) > record.MaxOriginalURL || len(date) > len(record.DateFormat) {
		return referral{}
	}
	return referral{id, strings.Clone(uri), strings.Clone(date)}
}
