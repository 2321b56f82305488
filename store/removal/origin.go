package removal

import (
	"time"

	"warcorder/store"
	"warcorder/store/warc"
)

// origins are the captures of a URL by their records' IDs; true if they go.
type origins struct {
	byID   map[hashed]bool
	unread bool // some of them cannot be read
}

// goesContinued reports whether the continuation of a segmented response goes, which may lie in another
// file: if its first segment does. What continues nothing that is known goes as Has says.
func (p *Plan) goesContinued(h warc.Header, uri string, at time.Time) bool {
	has := p.order.Has(uri, at)
	if !has && !p.gone.urls[hashOf(uri)] {
		return false
	}
	all := p.originsOf(uri)
	goes, known := all.byID[hashOf(h.Get("WARC-Segment-Origin-ID"))]
	return goes || has && !known && !all.unread
}

// originsOf reads the headers of the captures of a URL, once.
func (p *Plan) originsOf(uri string) origins {
	all, known := p.origins[hashOf(uri)]
	if known {
		return all
	}
	all.byID = map[hashed]bool{}
	err := p.index.Captures(store.Query{URL: uri}, func(c *store.Capture) bool {
		file, _ := p.fileOf(c.File)
		h, _, err := p.headerOf(c, file)
		if err != nil {
			all.unread = true
			return true
		}
		all.byID[hashOf(h.Get("WARC-Record-ID"))] = p.gone.has(place{file.ID, c.Offset})
		return true
	})
	all.unread = all.unread || err != nil
	p.origins[hashOf(uri)] = all
	return all
}
