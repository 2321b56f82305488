package replay

import (
	"context"
	"net/http"

	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/replay/ranges"
)

// Where the whole was never captured, its parts answer: 206s, and 200s that were cut. What is asked
// for goes out
//
//	as it is stored    if a 206 is of just these bytes, or answered the same Range
//	joined             of parts of one version; nearest first, and as few as can be
//	as far as it goes  if its first bytes are there: a server may send less than it was asked for
//
// and without a Range a 200 of joined parts, if they are the whole; else what is nearest, as it
// came.

// The bounds of what is opened beside the parts themselves.
const (
	maxVersions = 8 // to find the one that If-Range names
	maxOdd      = 8 // 206s of several ranges, whose requests are looked at
)

// fromParts answers with parts of an entity, or with what was cut of another answer.
func (a *Archive) fromParts(ctx context.Context, r *asked, c *choice) (reply, error) {
	if !isOfEntity(c.parts[0]) {
		return a.asCame(ctx, r, &c.parts[0])
	}
	versions, captures, err := a.versionsFor(ctx, r, c)
	if err != nil {
		return reply{}, err
	}
	all := versions
	if len(all) == 0 && captures[0].Status == http.StatusOK {
		return a.asCame(ctx, r, &captures[0]) // cut before its body
	}
	if len(all) > 0 && r.head.isConditional() {
		if m, err := a.underCondition(r, &all[0]); err != nil || m.head != nil {
			return m, err
		}
	}
	set, wanted := r.ranges()
	if wanted {
		if c := a.sameRange(r, captures); c != nil {
			return a.asCame(ctx, r, c)
		}
	}
	if wanted && r.head.has("If-Range") {
		if all, err = a.named(r, all); err != nil {
			return reply{}, err
		}
		wanted = len(all) > 0
	}
	if wanted {
		return a.ranged(ctx, set, all, &captures[0])
	}
	return a.unranged(ctx, r, versions, captures)
}

// asCame answers with a capture as it is stored.
func (a *Archive) asCame(ctx context.Context, r *asked, c *store.Capture) (reply, error) {
	response, err := a.files.Response(c)
	if err != nil {
		return reply{}, &missing{a.whyOf(c, err), c}
	}
	return a.asStored(ctx, r, c, response)
}

// underCondition holds the conditions of a request against a version. The reply has no head if they
// change nothing.
func (a *Archive) underCondition(r *asked, v *version) (reply, error) {
	c := v.parts[0].capture // the nearest
	h, err := a.headOf(c)
	return reply{head: conditional(r, h), capture: c, made: true}, err
}

// headOf returns the head of a capture.
func (a *Archive) headOf(c *store.Capture) (head, error) {
	response, err := a.files.Response(c)
	if err != nil {
		return nil, &missing{a.whyOf(c, err), c}
	}
	return head(response.Head), response.Close()
}

// named returns the version that an If-Range names, if it is there.
func (a *Archive) named(r *asked, all []version) ([]version, error) {
	for i := range all[:min(len(all), maxVersions)] {
		c := all[i].parts[0].capture
		h, err := a.headOf(c)
		if err != nil {
			return nil, err
		}
		if holds(r.head, h, c.Time) {
			return all[i : i+1], nil
		}
	}
	return nil, nil
}

// sameRange returns the capture of a 206 that has several ranges, and answered a request for the
// same as r, of a version that r wants; nil if there is none. Nothing but its request tells of which
// bytes it is.
func (a *Archive) sameRange(r *asked, captures []store.Capture) *store.Capture {
	for i, odd := 0, 0; i < len(captures) && odd < maxOdd; i++ {
		c := &captures[i]
		known, found := a.facts.get(c.Location)
		if !found || known.Last >= 0 || c.Status != http.StatusPartialContent {
			continue
		}
		odd++
		request, err := a.files.Request(c)
		if err != nil {
			continue
		}
		same := head(request.Head).get("Range") == r.head.get("Range")
		if request.Close(); same && a.isOfVersion(r, c) {
			return c
		}
	}
	return nil
}

// isOfVersion reports whether a capture is of the version that an If-Range names, if there is one.
func (a *Archive) isOfVersion(r *asked, c *store.Capture) bool {
	if !r.head.has("If-Range") {
		return true
	}
	h, err := a.headOf(c)
	return err == nil && holds(r.head, h, c.Time)
}

// ranged answers a request for ranges.
func (a *Archive) ranged(ctx context.Context, set ranges.Set, all []version,
	nearest *store.Capture) (reply, error) {
	var best, beyond *version
	var of cut
	for i := range all {
		v := &all[i]
		if v.of < 0 && set.FromEnd() {
			continue
		}
		wanted := set.Of(v.end())
		if len(wanted) == 0 && v.of >= 0 && beyond == nil {
			beyond = v
		}
		if c := v.take(wanted); len(c.spans) > 0 && (best == nil || c.all) {
			best, of = v, c
		}
		if of.all {
			break
		}
	}
	switch {
	case best != nil:
		return a.part(ctx, best, &of)
	case beyond != nil:
		c := beyond.parts[0].capture
		h, err := a.headOf(c)
		return reply{head: unsatisfiedHead(h, beyond.of), capture: c, made: true}, err
	}
	return reply{}, &missing{whyNotAll(nearest), nearest}
}

// part answers with a cut of a version: as it is stored, if one part is just that.
func (a *Archive) part(ctx context.Context, v *version, c *cut) (reply, error) {
	first := v.parts[c.pieces[c.spans[0].First][0].Part]
	response, err := a.files.Response(first.capture)
	if err != nil {
		return reply{}, &missing{a.whyOf(first.capture, err), first.capture}
	}
	if len(c.spans) == 1 && first.exact && first.Span == c.spans[0] {
		return a.plainly(ctx, first.capture, response), nil
	}
	if rewinds := int64(len(c.spans) - 1); rewinds > maxRewound/max(v.end(), 1) && !response.InPlace() {
		c.spans = c.spans[:1] // a server may send fewer than were asked for
	}
	answer, pieces := partial(head(response.Head), v.of, c.spans, func(s ranges.Span) []piece {
		return v.piecesOf(c, s)
	})
	return a.joined(ctx, answer, pieces, first.capture, response)
}

// joined is a reply made of pieces. response is that of the first one, and of the capture.
func (a *Archive) joined(ctx context.Context, answer head, pieces []piece, c *store.Capture,
	response *readback.Response) (reply, error) {
	body, err := a.join(ctx, pieces, c, response)
	if err != nil {
		return reply{}, err
	}
	return reply{head: answer, body: body, capture: c, made: true}, nil
}

// unranged answers a request for the whole.
func (a *Archive) unranged(ctx context.Context, r *asked, all []version,
	captures []store.Capture) (reply, error) {
	if c := a.sameStream(r, captures); c != nil {
		return a.asCame(ctx, r, c)
	}
	for i := range all {
		v := &all[i]
		if v.of <= 0 {
			continue
		}
		c := v.take([]ranges.Span{{First: 0, Last: v.of - 1}})
		if !c.all {
			continue
		}
		first := v.parts[c.pieces[0][0].Part].capture
		response, err := a.files.Response(first)
		if err != nil {
			return reply{}, &missing{a.whyOf(first, err), first}
		}
		return a.joined(ctx, wholeHead(head(response.Head), v.of), v.piecesOf(&c, c.spans[0]), first,
			response)
	}
	for i := range captures {
		if captures[i].Status == http.StatusOK {
			return a.asCame(ctx, r, &captures[i])
		}
	}
	return a.asCame(ctx, r, &captures[0])
}
