package recorder

import (
	"os"
	"sync"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
)

// presence remembers for a while which WARC files are there. Who takes one away must not lose what
// is recorded later: it is stored again instead of referring to that.
type presence struct {
	dir   collection.Dir
	index *store.Bolt

	mu   sync.Mutex
	seen map[string]sight // by final base name
}

func newPresence(dir collection.Dir, index *store.Bolt) *presence {
	return &presence{dir: dir, index: index, seen: make(map[string]sight)}
}

type sight struct {
	at    time.Time
	there bool
}

// presentFor is how long a file that was there is taken to be there still: one look at it for each
// revisit would be many.
const presentFor = 10 * time.Second

func (p *presence) last(name string) (there, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, known := p.seen[name]
	return s.there, known && time.Since(s.at) < presentFor
}

func (p *presence) note(name string, there bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen[name] = sight{time.Now(), there}
}

func (p *presence) forget(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.seen, name)
}

// isThere reports whether the file of that name has all that the index knows of it. One that cannot
// be looked at counts as gone.
func (p *presence) isThere(name string) bool {
	if there, known := p.last(name); known {
		return there
	}
	file, _ := p.index.File(name)
	there := false
	for _, path := range p.dir.WARCPaths(name) {
		info, err := os.Stat(path)
		if err == nil {
			there = info.Mode().IsRegular() && info.Size() >= file.Committed
			break
		}
	}
	p.note(name, there)
	return there
}
