package pages

import (
	"context"
	"iter"

	"warcorder/recorder/record"
	"warcorder/store"
)

// Resource is a capture that belongs to a page: its document, or what that has asked for.
type Resource struct {
	// One whose URL its records would tell, and cannot, has its place and its time alone: its file is
	// away, or damaged, as whoever reads it learns.
	store.Capture

	Page string // ID
}

// Captures gives the captures of pages, which are in the order of time: their documents first, and then
// what belongs to them, in the order of time. Pages of one document have the same captures, which come
// once, with the first of those pages. However many pages there are, one walk finds all.
func (p *Pages) Captures(ctx context.Context, of []Page) iter.Seq2[Resource, error] {
	return func(yield func(Resource, error) bool) {
		left := make(map[place]string, len(of)) // IDs of the pages that have not ended
		for _, page := range of {
			if at := page.place(); left[at] == "" {
				left[at] = page.ID
				if !yield(Resource{page.Capture, page.ID}, nil) {
					return
				}
			}
		}
		if len(of) == 0 {
			return
		}
		w := newWalk()
		var err error
		more := true
		w.belongs = func(m *store.Moment, to *visited) {
			if !more || to == nil || &to.moment == m || left[to.place()] == "" {
				return
			}
			c, found, failed := p.captureOf(m)
			if err = failed; err != nil {
				more = false
			} else if found {
				more = yield(Resource{c, left[to.place()]}, nil)
			}
		}
		w.ended = func(v *visited) { delete(left, v.place()) }
		walked := p.walk(ctx, w, of[0].Time, func() bool { return more && len(left) > 0 })
		if err == nil && more {
			err = walked
		}
		if err != nil {
			yield(Resource{}, err)
		}
	}
}

// place is where the document of a page lies.
func (p *Page) place() place { return place{p.Capture.File, p.Capture.Offset} }

func (v *visited) place() place { return place{v.moment.File, v.moment.Offset} }

// captureOf returns the capture of a moment, as capturesOf does. It is false if there is none.
func (p *Pages) captureOf(m *store.Moment) (c store.Capture, found bool, err error) {
	all, err := p.capturesOf([]*store.Moment{m})
	if err != nil || all[0] == nil {
		return c, false, err
	}
	return *all[0], true, nil
}

// maxTogether is how many bytes of URLs and their keys are taken from the index at once, but for those
// of one capture: each may have a MiB.
const maxTogether = 1 << 20

// capturesOf returns the captures of moments: of all, or of the first ones, if others would take too
// much memory at once. It is nil for a moment whose capture is not in the index any more; for one whose
// records cannot be read, if its URL is not known without them, it has its place and its time.
func (p *Pages) capturesOf(moments []*store.Moment) ([]*store.Capture, error) {
	all, keys, size := make([]*store.Capture, len(moments)), make([]string, len(moments)), 0
	for i, m := range moments {
		if size >= maxTogether {
			moments = moments[:i]
			break
		}
		if m.HasKey() {
			continue
		}
		var err error
		if keys[i], err = p.keyOf(m); err != nil && IsOfRecord(err) {
			all[i] = &store.Capture{Visit: m.Visit, Time: m.Time, Location: m.Location}
		} else if err != nil {
			return nil, err
		}
		size += len(keys[i])
	}
	taken := len(moments)
	size = 0
	err := p.index.CapturesOf(moments, keys, func(n int, c *store.Capture) bool {
		if all[n] == nil {
			all[n] = c
		}
		if size += len(c.URL) + len(c.URLKey); size >= maxTogether {
			taken = n + 1
		}
		return size < maxTogether
	})
	return all[:taken], err
}

// keyOf makes the URL key of a capture of what its records say, as it was made when the capture was
// put into the index.
func (p *Pages) keyOf(m *store.Moment) (key string, err error) {
	r, err := p.files.Record(m.Location)
	if err != nil {
		return "", err
	}
	c := store.Capture{URL: record.Text([]byte(r.TargetURI())), Location: m.Location}
	if err := r.Close(); err != nil {
		return "", err
	}
	asked := new(record.Asked)
	if m.Traits&store.NotGET != 0 {
		if asked, err = p.asked(&c); err != nil {
			return "", err
		}
		c.Method = record.Text(asked.Method)
	}
	new(store.Keyer).Fill(&c, asked.Request())
	return c.URLKey, nil
}

// asked reads what was asked for.
func (p *Pages) asked(c *store.Capture) (*record.Asked, error) {
	r, err := p.files.Request(c)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	h := record.ParseHead(r.Head)
	return record.AskedOf(&h, r.Body, r.Size)
}
