package cdxapi

import (
	"cmp"

	"warcorder/store"
)

const revisit = "warc/revisit"

// originals are captures with a body, by their digests: the first of each, in the order of the lines.
type originals struct {
	of      map[string]*original
	most    int
	bytes   int  // that may be kept besides
	isWhole bool // all are there before the first line is given
}

// prepareOriginals makes what revisits are resolved by. If lines do not come in their order, all
// captures must be looked at before.
func (r *run) prepareOriginals(walk store.Walk) error {
	r.originals = &originals{of: map[string]*original{}, most: r.bounds.digests,
		bytes: r.bounds.bytes}
	if r.order == forwards && r.last == 0 {
		return nil
	}
	r.originals.isWhole = true
	looked := 0
	walk.Look = func(n int, _ store.Place) error {
		if looked += n; looked > r.bounds.looked {
			return r.tooMuch()
		}
		return r.ctx.Err()
	}
	return r.index.Walk(walk, func(c *store.Capture) bool {
		r.originals.note(c)
		return true
	})
}

// note keeps a capture that revisits may refer to. Beyond the bound none is kept.
func (o *originals) note(c *store.Capture) {
	if c.MIME == revisit || c.Digest == "" || o.of[c.Digest] != nil || len(o.of) >= o.most || o.bytes < 0 {
		return
	}
	l := line{Capture: c}
	o.bytes -= l.size()
	o.of[c.Digest] = &original{c.Length, c.Offset, c.File, c.MIME, c.Status,
		c.URLKey + " " + l.value("timestamp")}
}

// resolve adds to a line what is known of the original, and gives it that one's type and status.
func (o *originals) resolve(l *line) {
	if !o.isWhole {
		o.note(l.Capture)
	}
	l.resolved = true
	if l.MIME != revisit || l.Digest == "" {
		return
	}
	found := o.of[l.Digest]
	if found == nil || cmp.Compare(found.key, l.URLKey+" "+l.value("timestamp")) > 0 {
		return
	}
	c := *l.Capture
	if l.original, l.Capture = found, &c; found.mime != "" {
		c.MIME = found.mime
	}
	if c.Status > 0 {
		c.Status = found.status
	}
}
