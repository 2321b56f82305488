package lately

import (
	"errors"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"warcorder/store"
	"warcorder/store/pages"
	"warcorder/store/readback"
)

// ours are the captures for which no client had asked: the recorder did, since a part of the same URL
// had come, or an answer had broken off. Their metadata records say so; what follows no such capture is
// none, and is not looked at.
type ours struct {
	mu    *sync.Mutex
	known *simplelru.LRU[At, string] // part, cut, or "" of what a client had asked for
}

// The bounds of what is looked at, and remembered. What is beyond them is told without its mark until the
// page is asked for again.
const (
	mostAsides = 1 << 12
	asidesOf   = 100 // for one answer
)

func newOurs() ours { return ours{new(sync.Mutex), newLRU[At, string](mostAsides)} }

func (o *ours) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.known.Purge()
}

// asides mark the captures of one answer, which come in the order of time.
type asides struct {
	*ours
	parts map[store.URLHash]bool // of which a part has come before
	left  int
}

func (o *ours) asides() *asides { return &asides{o, make(map[store.URLHash]bool), asidesOf} }

// of says why the recorder has asked for a capture itself; "" if it has not.
func (a *asides) of(files *readback.Files, c *store.Capture) (why string) {
	url := store.HashURL(c.URL)
	if url == 0 {
		return ""
	}
	if a.parts[url] {
		why = a.look(files, c)
	}
	if c.IsPart() || c.Truncated {
		a.parts[url] = true
	}
	return why
}

func (a *asides) look(files *readback.Files, c *store.Capture) (why string) {
	at := At{c.File, c.Offset}
	a.mu.Lock()
	why, found := a.known.Get(at)
	a.mu.Unlock()
	if found || a.left == 0 {
		return why
	}
	a.left--
	record, err := files.Metadata(c)
	if err == nil {
		var said []string
		if said, err = record.Fields("completion"); err == nil {
			why = said[0]
		}
		record.Close()
	}
	if err != nil && !errors.Is(err, readback.ErrNoMetadata) && !pages.IsOfRecord(err) {
		return why // it may be read the next time
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known.Add(at, why)
	return why
}
