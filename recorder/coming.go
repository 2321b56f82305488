package recorder

import (
	"io"
	"net/http"
	"sync"

	"warcorder/recorder/record"
)

// coming are the exchanges that have been committed, and that no worker is through with: until then
// neither the originals nor the index know anything of them. They are a list, the last one first,
// whose links are in the exchanges: every exchange enters and leaves it.
//
// mu guards the links of all exchanges. It is a leaf in the order of locks.
type coming struct {
	mu   sync.Mutex
	last *transit
}

// link is the place of a recordable among those that are coming.
type link struct {
	older, newer *transit
	listed       bool
	start        []byte // of its response, up to maxComingHead bytes; of one in memory no copy
}

const (
	// maxComingHead is how much of a response is looked at before a worker does that.
	maxComingHead = 16 << 10

	// maxComing is how many of those that are coming are looked through for one URL.
	maxComing = 1000
)

// add notes an exchange that is about to be in the queue.
func (c *coming) add(x *Exchange) {
	if x.Truncated != "" || x.Method != http.MethodGet {
		return
	}
	l := &x.link
	if l.start = x.Response.Bytes(); l.start == nil {
		head := make([]byte, maxComingHead)
		n, err := x.Response.ReadAt(head, 0)
		if err != nil && err != io.EOF {
			return
		}
		l.start = head[:n]
	}
	l.start = l.start[:min(len(l.start), maxComingHead)]
	c.mu.Lock()
	defer c.mu.Unlock()
	l.listed, l.older = true, c.last
	if c.last != nil {
		c.last.newer = &x.transit
	}
	c.last = &x.transit
}

// remove forgets a recordable, before its bytes go. It need not have been added.
func (c *coming) remove(t *transit) {
	if !t.listed {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.newer != nil {
		t.newer.older = t.older
	} else {
		c.last = t.older
	}
	if t.older != nil {
		t.older.newer = t.newer
	}
	t.link = link{}
}

// has is originals.has for what is coming. It finds a URL only in the spelling in which it was
// asked for.
func (c *coming) has(url string, is func(record.Validators) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	read := 0
	for t, n := c.last, 0; t != nil && n < maxComing && read < maxVersions; t, n = t.older, n+1 {
		if t.of.target() != url {
			continue
		}
		read++
		head := record.ParseHead(t.start)
		start := t.start[:head.Size]
		if head.Status() == http.StatusOK && record.HeadEnds(start) && is(record.ValidatorsOf(start)) {
			return true
		}
	}
	return false
}
