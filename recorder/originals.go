package recorder

import (
	"os"
	"sync"
	"sync/atomic"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/collection"
)

// originals are the responses that others can refer to: those that wait for the index, and, in the
// index, those of which the record can still be read.
//
// mu guards what stands below it, and the output of each pendingOriginal. No other lock is taken
// while it is held.
type originals struct {
	dir      collection.Dir
	index    *store.Bolt
	presence *presence
	read     readVersions

	resting atomic.Bool // nothing is to refer to what is there: it may be about to be removed

	mu      sync.Mutex
	byKey   map[store.OriginalKey]*pendingOriginal
	byURL   map[string]*pendingOriginal // of those that a 304 may mean; of each URL the last
	claimed map[store.OriginalKey]bool  // that a worker is about to add
	added   sync.Cond                   // on mu
}

// pendingOriginal is a response of which the capture is not in the index yet, as something to refer
// to.
//
// A revisit must not outlive it in a crash. So it is referred to only if it is on disk already, or
// if it is before the revisit in what will be written to the same file.
type pendingOriginal struct {
	store.Original            // as a revisit names it; of a revisit that what it refers to itself
	keyed             bool    // it has a Key
	outside           bool    // it is a revisit of what another archive has
	page              string  // its own URL, if a 304 may mean it; else ""
	record.Validators         // in its head, if it is such a page
	output            *output // whose file it will be in; nil if it is on disk

	lost bool // it could not be written; the committer's
}

// referred is what a revisit refers to.
type referred struct {
	record.Reference
	pending *pendingOriginal // nil if it is on disk
}

func newOriginals(dir collection.Dir, index *store.Bolt, presence *presence) *originals {
	o := &originals{
		dir: dir, index: index, presence: presence,
		byKey:   make(map[store.OriginalKey]*pendingOriginal),
		byURL:   make(map[string]*pendingOriginal),
		claimed: make(map[store.OriginalKey]bool),
	}
	o.added.L = &o.mu
	return o
}

// find returns what a record in out that has that key may refer to, or nil. With claims, whoever
// gets nil has claimed the key, and makes an original of the record; others that claim the same key
// wait until that original is added: so of several that come at once one is stored.
//
// The index is read between two looks at what waits, without a lock: an original may leave the
// waiting ones for the index between the first look and the read, and may be added by another
// worker between the read and the second look.
func (o *originals) find(key store.OriginalKey, out *output, claims bool,
	fresh func(time.Time) bool) (*referred, error) {
	if o.resting.Load() {
		return nil, nil
	}
	if p := o.pending(key, out, false, fresh); p != nil {
		return &referred{record.Reference{Original: p.Original}, p}, nil
	}
	known, found, err := o.index.Original(key)
	if err == nil && found && record.IsSound(&known, time.Now()) && fresh(known.Time) &&
		o.presence.isThere(known.File) {
		return &referred{record.Reference{Original: known}, nil}, nil
	}
	if p := o.pending(key, out, claims, fresh); p != nil { // another was faster
		return &referred{record.Reference{Original: p.Original}, p}, err
	}
	return nil, err
}

// pending looks for the original among those that wait for the index. With claims it waits while
// another worker has claimed the key, and claims the key if there is no original to refer to.
func (o *originals) pending(key store.OriginalKey, out *output, claims bool,
	fresh func(time.Time) bool) *pendingOriginal {
	o.mu.Lock()
	defer o.mu.Unlock()
	for claims && o.claimed[key] {
		o.added.Wait()
	}
	p := o.byKey[key]
	if p != nil && p.serves(out) && fresh(p.Time) {
		return p
	}
	if claims {
		o.claimed[key] = true
	}
	return nil
}

// serves reports whether a record in out may refer to p; the caller holds originals.mu.
func (p *pendingOriginal) serves(out *output) bool { return p.output == nil || p.output == out }

// unclaim lets others go on that wait for the original of a key.
func (o *originals) unclaim(key store.OriginalKey) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.claimed, key)
	o.added.Broadcast()
}

// pendingOf returns the latest response of that URL that is not in the index yet, and whether a
// record in out may refer to it.
func (o *originals) pendingOf(url string, out *output) (p *pendingOriginal, serves bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p = o.byURL[url]
	return p, p != nil && p.serves(out)
}

// await notes that a response waits for the index; nil is none.
func (o *originals) await(p *pendingOriginal) {
	if p == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if p.keyed {
		o.byKey[p.Key] = p
		if o.claimed[p.Key] {
			delete(o.claimed, p.Key)
			o.added.Broadcast()
		}
	}
	if p.page != "" {
		o.byURL[p.page] = p
	}
}

// rest lets nothing refer to what is there, or ends that.
func (o *originals) rest(on bool) { o.resting.Store(on) }

// forgetAll forgets what was read of files that are others now.
func (o *originals) forgetAll() {
	o.read.clear()
	o.presence.clear()
}

// moved notes that the records of a batch will be in its present output.
func (o *originals) moved(b *batch) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range b.done {
		if p := b.done[i].original; p != nil {
			p.output = b.output
		}
	}
}

// written notes that exchanges are on disk, but for those that are lost.
func (o *originals) written(all []done) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range all {
		if p := all[i].original; p != nil && !p.lost {
			p.output = nil
		}
	}
}

// forget notes that exchanges are in the index, or lost.
func (o *originals) forget(all []done) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range all {
		p := all[i].original
		if p == nil {
			continue
		}
		if o.byKey[p.Key] == p {
			delete(o.byKey, p.Key)
		}
		if o.byURL[p.page] == p {
			delete(o.byURL, p.page)
		}
	}
}

// presence remembers for a while which WARC files are there. Whoever takes a WARC file away must
// not lose what is recorded later: a response whose original was in that file is stored again.
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

func (p *presence) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.seen)
}

// isThere reports whether the file of that name has all that the index knows of it, here or in object
// storage.
func (p *presence) isThere(name string) bool {
	file, _ := p.index.File(name)
	return file.Remote != nil || p.isHere(name)
}

// isHere reports whether the file is in the collection, with all that the index knows of it. One that
// cannot be looked at counts as gone.
func (p *presence) isHere(name string) bool {
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
