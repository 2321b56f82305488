package outside

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"warcorder/canon"
	"warcorder/store"
	"warcorder/store/collection"
)

// place is a collection of ours. Its index is read as it lies there, and opened anew when another one
// has come in its place.
type place struct {
	dir collection.Dir

	mu    sync.RWMutex
	index *store.Bolt // nil while it is not open
}

// newPlace returns the collection in a directory, which must not be the one that is recorded.
func newPlace(dir string, own collection.Dir) (*place, error) {
	there, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if here, err := os.Stat(string(own)); err == nil && os.SameFile(here, there) {
		return nil, errors.New("it is the collection that is recorded: name others")
	}
	return &place{dir: collection.Dir(dir)}, nil
}

// serves: a collection may have whatever may be an original.
func (p *place) serves(*Want) bool { return true }

func (p *place) isSlow() bool { return false }

// recall: its index is always asked.
func (p *place) recall(*Want) (*store.Original, bool) { return nil, false }

// find looks for the keys. A collection that has been changed meanwhile is looked at once more.
func (p *place) find(w *Want) (o *store.Original, err error) {
	for range 2 {
		if o, err = p.findOnce(w); !errors.Is(err, store.ErrReplaced) {
			break
		}
	}
	return o, p.explain(err)
}

// look opens the index, if it is not open.
func (p *place) look() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.index != nil {
		return nil
	}
	index, err := store.OpenReadOnly(p.dir.Index())
	if err != nil {
		return p.explain(err)
	}
	p.index = index
	return nil
}

func (p *place) findOnce(w *Want) (o *store.Original, err error) {
	if err := p.look(); err != nil {
		return nil, err
	}
	p.mu.RLock()
	index := p.index
	if index != nil {
		o, err = p.findIn(index, w)
	}
	p.mu.RUnlock()
	if err != nil {
		p.drop(index)
	}
	return o, err
}

// drop closes an index that could not be read, unless somebody else has done so.
func (p *place) drop(index *store.Bolt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.index == index && index != nil {
		_ = index.Close() // what it was good for has failed
		p.index = nil
	}
}

// findIn looks for an original of which the record can still be read.
func (p *place) findIn(index *store.Bolt, w *Want) (*store.Original, error) {
	for _, key := range w.Keys {
		o, found, err := index.Original(key)
		if err != nil {
			return nil, err
		}
		if found && w.accepts(&o) && isOf(o.URL, w.Scope) && p.isThere(index, o.File) {
			return &o, nil
		}
	}
	return nil, nil
}

// isOf reports whether a URL has that SURT; "" is any.
func isOf(url, scope string) bool {
	if scope == "" {
		return true
	}
	surt, _ := canon.SURT(url)
	return surt == scope
}

// isThere reports whether the file of that name has all that the index knows of it, there or in object
// storage.
func (p *place) isThere(index *store.Bolt, name string) bool {
	file, known := index.File(name)
	if file.Remote != nil {
		return true
	}
	for _, path := range p.dir.WARCPaths(name) {
		info, err := os.Stat(path)
		if err == nil {
			return known && info.Mode().IsRegular() && info.Size() >= file.Committed
		}
	}
	return false
}

// explain says of an error what to do about it.
func (p *place) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, collection.ErrLocked):
		address := "http://ADDRESS/cdx"
		if who, running := p.dir.Recorder(); running && len(who.Addresses) > 0 {
			address = "http://" + who.Addresses[0] + "/cdx"
		}
		return fmt.Errorf("a recorder has it open, and reads its index alone: end that recorder, or let "+
			"dedup-from name it instead (%s): %w", address, err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("it is no collection that has been recorded: %w", err)
	case errors.Is(err, store.ErrInterrupted):
		return fmt.Errorf("%w: warcorder recover finishes it", err)
	}
	return err
}

// Close closes the index.
func (p *place) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.index == nil {
		return nil
	}
	err := p.index.Close()
	p.index = nil
	return err
}
