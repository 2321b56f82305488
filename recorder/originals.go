package recorder

import (
	"errors"
	"slices"
	"sync"
	"time"

	"warcorder/recorder/record"

	"warcorder/store"
)

// pendingOriginal is a response of which the capture is not in the index yet, as something to refer
// to.
//
// A revisit must not outlive it in a crash. So it is referred to only if it is on disk already, or
// if it is before the revisit in what will be written to the same file.
type pendingOriginal struct {
	store.Original            // as a revisit names it; of a revisit that what it refers to itself
	keyed             bool    // it has a Key
	page              string  // its own URL, if a 304 may mean it; else ""
	record.Validators         // in its head, if it is such a page
	output            *output // whose file it will be in; nil if it is on disk

	lost bool // it could not be written; the committer's
}

// originals are the responses that wait for the index. All is guarded by files.mu.
type originals struct {
	byKey   map[store.OriginalKey]*pendingOriginal
	byURL   map[string]*pendingOriginal // of those that a 304 may mean; of each URL the last
	claimed map[store.OriginalKey]bool  // that a worker is about to add
	added   sync.Cond
}

func (o *originals) init(mu *sync.Mutex) {
	o.byKey, o.byURL, o.claimed = map[store.OriginalKey]*pendingOriginal{}, map[string]*pendingOriginal{}, map[store.OriginalKey]bool{}
	o.added.L = mu
}

// original returns what a record in s that has that key may refer to, or nil. Then whoever asks
// makes an original of the record, and others that ask for it wait until that is added: so of
// several that come at once one is stored. claims says that they do.
func (f *files) original(key store.OriginalKey, s *output, claims bool,
	fresh func(time.Time) bool) (*referred, error) {
	if found := f.pending(key, s, false, fresh); found != nil {
		return found, nil
	}
	o, found, err := f.index.Original(key)
	if err == nil && found && record.IsSound(&o, time.Now()) && fresh(o.Time) && f.isThere(o.File) {
		return &referred{Reference: record.Reference{Original: o}}, nil
	}
	return f.pending(key, s, claims, fresh), err // another may have been faster
}

// pending looks for the original among those that wait.
func (f *files) pending(key store.OriginalKey, s *output, claims bool,
	fresh func(time.Time) bool) *referred {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := &f.originals
	for claims && o.claimed[key] {
		o.added.Wait()
	}
	p := o.byKey[key]
	if p != nil && p.serves(s) && fresh(p.Time) {
		return &referred{record.Reference{Original: p.Original}, p}
	}
	if claims {
		o.claimed[key] = true
	}
	return nil
}

// serves reports whether a record in s may refer to p; the caller holds files.mu.
func (p *pendingOriginal) serves(s *output) bool { return p.output == nil || p.output == s }

// pendingOf returns the latest response of that URL that is not in the index yet, and whether a
// record in s may refer to it.
func (f *files) pendingOf(url string, s *output) (p *pendingOriginal, serves bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p = f.originals.byURL[url]
	return p, p != nil && p.serves(s)
}

// await notes that a response waits for the index.
func (o *originals) await(p *pendingOriginal) {
	if p == nil {
		return
	}
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

// forget notes that a response is in the index, or lost.
func (o *originals) forget(p *pendingOriginal) {
	if p == nil {
		return
	}
	if o.byKey[p.Key] == p {
		delete(o.byKey, p.Key)
	}
	if o.byURL[p.page] == p {
		delete(o.byURL, p.page)
	}
}

var errOrphan = errors.New("what it refers to could not be written")

// dropOrphans takes out of the batches that are still to be written what refers to a response that
// is lost by now. Their content is lost with it.
func (c *committer) dropOrphans(g *group) {
	isOrphan := func(d done) bool { return d.refers != nil && d.refers.lost }
	g.batches = slices.DeleteFunc(g.batches, func(b *batch) bool {
		if b.written || !slices.ContainsFunc(b.done, isOrphan) {
			return false
		}
		orphans := &batch{output: b.output}
		all, records := b.done, slices.Concat(b.chunks...)
		b.done, b.chunks, b.size = nil, nil, 0
		for _, d := range all {
			if isOrphan(d) {
				if d.original != nil {
					d.original.lost = true // for what refers to it further on in this batch
				}
				orphans.keep(d)
				continue
			}
			d.capture.Offset += b.size - d.at.from
			c.copy(b, records[d.at.from:d.at.to])
			d.at = stretch{b.size, b.size + d.at.to - d.at.from}
			b.size = d.at.to
			b.done = append(b.done, d)
		}
		b.keys -= orphans.keys
		c.losesBatch(orphans, errOrphan)
		return len(b.done) == 0
	})
}

// keep adds an exchange to the batch.
func (b *batch) keep(d done) {
	b.done = append(b.done, d)
	b.keys += record.KeySize(&d.capture)
}
