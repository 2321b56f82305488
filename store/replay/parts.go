package replay

import (
	"context"
	"hash/maphash"
	"io"
	"net/http"
	"strconv"
	"strings"

	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/replay/ranges"
)

// part is what a capture has of an entity.
type part struct {
	capture *store.Capture
	facts
}

// facts are what the record of a part says. They are read once, and remembered.
type facts struct {
	ranges.Content        // the bytes that are there; none if Last is negative
	exact          bool   // they are those that a Content-Range says
	version        uint64 // a hash of what tells versions of an entity apart; 0: nothing does
}

// versions are parts of one entity in one version, the nearest first.
type version struct {
	parts []part
	of    int64 // length of the entity; negative if that is not known
}

// maxMeasured is how many bytes of bodies in chunks are read for one answer, to see how many there
// are; beyond it no other body is begun. Until one is read a 206 is taken to have what it says.
const maxMeasured = 256 << 20

// partsOf returns what captures have of an entity, in their order. What cannot be read is left out;
// the error says so if nothing is left.
func (a *Archive) partsOf(ctx context.Context, captures []store.Capture) (parts []part, err error) {
	left := int64(maxMeasured)
	for i := range captures {
		c := &captures[i]
		known, found := a.facts.get(c.Location)
		if !found {
			var failed error
			var sure bool
			if known, sure, failed = a.factsOf(ctx, c, &left); ctx.Err() != nil {
				return nil, ctx.Err()
			} else if failed != nil {
				err = &missing{a.whyOf(c, failed), c}
				continue
			}
			if sure {
				a.facts.put(c.Location, known)
			}
		}
		if known.Last >= 0 {
			parts = append(parts, part{c, known})
		}
	}
	if len(parts) > 0 {
		err = nil
	}
	return parts, err
}

// factsOf reads what a part has: a 206 what its Content-Range says, a 200 that was cut its
// beginning, and both no more than is stored, unless more than left would be read to be sure.
func (a *Archive) factsOf(ctx context.Context, c *store.Capture, left *int64) (f facts, sure bool,
	err error) {
	response, err := a.files.Response(c)
	if err != nil {
		return f, false, err
	}
	defer response.Close()
	h := head(response.Head)
	f.Last, f.Of, f.version = -1, -1, a.versionOf(h)
	size, sure, err := storedSize(ctx, response, left)
	if err != nil || sure && size == 0 {
		return f, sure, err
	}
	switch values := h.get("Content-Range"); response.Status {
	case http.StatusPartialContent:
		said, ok := ranges.ParseContent(values)
		if !ok {
			return f, sure, nil
		}
		if f.exact = !sure || said.Length() == size; sure && said.Length() > size {
			said.Last = said.First + size - 1
		}
		f.Content = said
	case http.StatusOK:
		f.Last = size - 1
		length, err := strconv.ParseInt(h.first("Content-Length"), 10, 64)
		if err == nil && length >= size && !response.Chunked {
			f.Of = length
		}
	}
	return f, sure, nil
}

// storedSize returns how many bytes of the entity a response has. It reads them if need be, and if
// there are bytes left to be read for that.
func storedSize(ctx context.Context, response *readback.Response, left *int64) (size int64,
	known bool, err error) {
	if size, known := response.EntitySize(); known || *left <= 0 {
		return max(size, 0), known, nil
	}
	size, err = io.Copy(io.Discard, &entity{ctx, response.Entity()})
	if *left -= size; err == io.ErrUnexpectedEOF {
		err = nil // cut in a chunk
	}
	return size, true, err
}

// versionOf hashes what tells the version of an entity apart: its validators, and its codings, in
// which it has other bytes. Weak ones count too: the browser that asked for these parts joined them
// by no more than that.
func (a *Archive) versionOf(h head) uint64 {
	tag, modified := h.first("ETag"), h.first("Last-Modified")
	if tag == "" && modified == "" {
		return 0
	}
	codings := strings.ToLower(h.get("Content-Encoding"))
	return max(maphash.Comparable(a.seed, [3]string{tag, modified, codings}), 1)
}

// versionsOf sorts parts by the version and the length of their entity; the version of the nearest
// part comes first. Of a part that tells no version nothing is known to belong to it.
func versionsOf(parts []part) (all []version) {
	type id struct {
		version uint64
		of      int64
	}
	places := make(map[id]int)
	lengths := make(map[uint64]int64) // of versions, by the nearest part that says one
	for _, p := range parts {
		if _, known := lengths[p.version]; !known && p.Of >= 0 && p.version != 0 {
			lengths[p.version] = p.Of
		}
	}
	for _, p := range parts {
		if of, known := lengths[p.version]; known && p.Of < 0 && p.Last < of {
			p.Of = of
		}
		at, found := places[id{p.version, p.Of}]
		if !found || p.version == 0 {
			at = len(all)
			places[id{p.version, p.Of}] = at
			all = append(all, version{of: p.Of})
		}
		all[at].parts = append(all[at].parts, p)
	}
	return all
}

// spans returns what the parts have.
func (v *version) spans() []ranges.Span {
	spans := make([]ranges.Span, len(v.parts))
	for i, p := range v.parts {
		spans[i] = p.Span
	}
	return spans
}

// end is the length of the entity, or, if that is not known, how far the parts reach.
func (v *version) end() int64 {
	end := v.of
	for _, p := range v.parts {
		if v.of < 0 {
			end = max(end, p.Last+1)
		}
	}
	return end
}

// cut is what the parts of a version have of what is asked for.
type cut struct {
	spans  []ranges.Span            // that are there
	pieces map[int64][]ranges.Piece // of each, by its first byte
	all    bool                     // that is all that was asked for
}

// take returns what the parts have of some spans.
func (v *version) take(wanted []ranges.Span) cut {
	c := cut{pieces: make(map[int64][]ranges.Piece), all: len(wanted) > 0}
	parts := v.spans()
	for _, s := range wanted {
		found := ranges.Cover(s, parts)
		if len(found) == 0 {
			c.all = false
			continue
		}
		last := found[len(found)-1].Last
		c.all = c.all && last == s.Last
		c.spans = append(c.spans, ranges.Span{First: s.First, Last: last})
		c.pieces[s.First] = found
	}
	return c
}

// piecesOf returns the pieces of a span of a cut.
func (v *version) piecesOf(c *cut, s ranges.Span) (all []piece) {
	for _, found := range c.pieces[s.First] {
		p := v.parts[found.Part]
		all = append(all, piece{capture: p.capture, from: found.First - p.First,
			size: found.Length()})
	}
	return all
}
