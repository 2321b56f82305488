package verify

import (
	"errors"
	"io"
	"strings"

	"warcorder/store/collection"
	"warcorder/store/warc"
)

// recordCheck is the check of one record.
type recordCheck struct {
	*fileCheck
	*warc.Record
	id      string
	remarks remarks

	block, payload []digest // what the header says
	sums           sums     // of the block
	wire, entity   sums     // of the payload, in its two senses; see Digests
	http           bool     // message has read the block
	start          []byte   // of a warcinfo record's block
	header         int      // bytes of the WARC header
}

// readBlock reads the block, once.
func (r *recordCheck) readBlock() error {
	r.header = len(r.RawHeader())
	r.block = r.digestsOf("WARC-Block-Digest", BlockDigest)
	r.payload = r.digestsOf("WARC-Payload-Digest", PayloadDigest)
	r.sums, r.wire = sumsFor(r.block), nil
	kind := r.Type()
	if r.http = r.isHTTP(kind); r.http {
		r.message.reset(kind == "request")
	}
	if r.checksPayload(kind) {
		r.wire, r.entity = sumsFor(r.payload), sumsFor(r.payload)
	}
	for {
		n, err := r.Block.Read(r.buf)
		r.take(kind, r.buf[:n])
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if r.http {
		r.message.end()
	}
	return nil
}

// isHTTP reports whether the block is a whole HTTP message.
func (r *recordCheck) isHTTP(kind string) bool {
	if kind != "response" && kind != "request" && kind != "revisit" || r.segmented() {
		return false
	}
	media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(media), "application/http")
}

// segmented reports whether the record is one of several segments. The payload digest of a segment
// is that of all segments together.
func (r *recordCheck) segmented() bool { return r.Header.Get("WARC-Segment-Number") != "" }

// checksPayload reports whether the record contains its payload: a segment contains a part of it,
// and a revisit none. Of an unknown type nobody can say what its payload is.
func (r *recordCheck) checksPayload(kind string) bool {
	_, known := kinds[kind]
	return known && kind != "revisit" && !r.segmented()
}

// digestsOf reads the digests in the fields of that name.
func (r *recordCheck) digestsOf(name string, code Code) (all []digest) {
	for _, text := range r.Header.Values(name) {
		d, err := parseDigest(text)
		switch {
		case errors.As(err, new(errAlgorithm)):
			r.remarks.note(code, "%s: %v", name, err)
		case err != nil:
			r.remarks.add(code, "%s: %v", name, err)
		default:
			all = append(all, d)
		}
	}
	return all
}

// take reads a piece of the block.
func (r *recordCheck) take(kind string, p []byte) {
	r.sums.write(p)
	switch {
	case kind == "warcinfo" && len(r.start) < collection.MaxWarcinfo:
		r.start = append(r.start, p...)
	case r.http:
		wire, entity := r.message.write(p)
		r.wire.write(wire)
		if r.message.chunked {
			r.entity.write(entity)
		}
		return
	}
	r.wire.write(p)
}

// judge compares the block with what the header says of it.
func (r *recordCheck) judge() {
	for _, d := range r.block {
		if !r.sums.is(d) {
			r.remarks.add(BlockDigest, "the block digest is %s, and that of the block is %s", d.text,
				r.sums.of(d))
			continue
		}
		r.digests.Block++
	}
	if r.wire != nil {
		for _, d := range r.payload {
			r.judgePayload(d)
		}
	}
}

// judgePayload finds the sense in which a payload digest is right.
func (r *recordCheck) judgePayload(d digest) {
	chunked := r.http && r.message.chunked
	wire, entity := r.wire.is(d), chunked && r.entity.is(d)
	switch {
	case wire && (entity || !chunked):
		r.digests.Both++
	case wire:
		r.digests.Wire++
	case entity:
		r.digests.Entity++
	case chunked:
		r.remarks.add(PayloadDigest,
			"the payload digest is %s; that of the payload as it is stored is %s, without its chunks %s",
			d.text, r.wire.of(d), r.entity.of(d))
	default:
		r.remarks.add(PayloadDigest, "the payload digest is %s, and that of the payload is %s", d.text,
			r.wire.of(d))
	}
}

// httpProblem says what is wrong with the record's HTTP message, as message.problem does.
func (r *recordCheck) httpProblem() (text string, open bool) {
	if !r.http || r.Type() == "revisit" || r.Header.Get("WARC-Truncated") != "" {
		return "", false
	}
	return r.message.problem()
}
