package lately

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/readback"
)

// bodies are what is known of those that were told lately: the index has not their sizes, and of a
// revisit not the type.
type bodies struct {
	mu    *sync.Mutex
	known *simplelru.LRU[At, body]
}

// body is what a record holds, or the original of a revisit.
type body struct {
	size *int64 // bytes, as they are stored; nil if they cannot be read
	mime string // "" if the head tells none
}

const mostBodies = 1 << 15

func newBodies() bodies { return bodies{new(sync.Mutex), newLRU[At, body](mostBodies)} }

func (b *bodies) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known.Purge()
}

// of returns the body of a capture: of a revisit that which was passed on, which lies elsewhere. What
// cannot be read is not remembered.
func (b *bodies) of(files *readback.Files, c *store.Capture) body {
	at := At{c.File, c.Offset}
	b.mu.Lock()
	known, found := b.known.Get(at)
	b.mu.Unlock()
	if found {
		return known
	}
	response, err := files.Response(c)
	if err != nil {
		return headOf(files, c)
	}
	if known = bodyOf(response); response.Close() != nil {
		return body{mime: known.mime}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known.Add(at, known)
	return known
}

// headOf is what the capture's own record tells, where its body cannot be read: a revisit has a head.
func headOf(files *readback.Files, c *store.Capture) body {
	own, err := files.Message(c.Location)
	if err != nil {
		return body{}
	}
	defer own.Close()
	return body{mime: bodyOf(own).mime}
}

func bodyOf(r *readback.Response) body {
	size, head := r.Size, record.ParseHead(r.Head)
	return body{&size, record.Text(head.MIME())}
}
