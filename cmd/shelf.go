package cmd

import (
	"errors"
	"fmt"
	"net/url"
	"sync"

	"warcorder/store"
	"warcorder/store/cdxapi"
	"warcorder/store/collection"
	"warcorder/store/holdings"
	"warcorder/store/readback"
	"warcorder/store/wayback"
)

// shelf is a collection that is served while nobody records it. Its index is open while it stays
// the collection's: each request looks first whether it is, and whether somebody else has it open.
type shelf struct {
	dir  collection.Dir
	held *holdings.Holdings // shared with the other shelves

	mu  sync.Mutex
	now wayback.Reader // the zero one while nothing is open
}

// collection is the shelf as a site has it.
func (s *shelf) collection() wayback.Collection {
	one := served(s.dir, cdxapi.Collection{Name: s.dir.Name(), Index: s.index}, s.open)
	one.Check = s.check
	return one
}

// open returns what the collection is read by, or says why it cannot be read and what to do.
func (s *shelf) open() (wayback.Reader, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.look()
	if errors.Is(err, store.ErrReplaced) {
		s.drop()
		err = s.look()
	}
	if err != nil {
		return wayback.Reader{}, s.explain(err)
	}
	return s.now, nil
}

// look opens the index if it is not open, and looks at it.
func (s *shelf) look() error {
	if s.now.Index == nil {
		index, err := store.OpenReadOnly(s.dir.Index())
		if err != nil {
			return err
		}
		s.now = wayback.Reader{Index: index, Files: readback.Through(s.held, index)}
	}
	_, err := s.now.Index.Session()
	return err
}

// check is open for who needs nothing of it.
func (s *shelf) check() error {
	_, err := s.open()
	return err
}

// index is the index that was opened last; check has found it well.
func (s *shelf) index() *store.Bolt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now.Index
}

// drop forgets what is open. Who reads it still does so to the end.
func (s *shelf) drop() {
	if s.now.Index == nil {
		return
	}
	s.now.Files.Close()
	s.now.Index.Close()
	s.now = wayback.Reader{}
}

// close closes what is open.
func (s *shelf) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}

// explain says of a collection that cannot be read who has it, and where it is served.
func (s *shelf) explain(err error) error {
	if !errors.Is(err, collection.ErrLocked) {
		return explainRead(err, s.dir)
	}
	who, running := s.dir.Recorder()
	if !running {
		return fmt.Errorf("%s is in use by %s: ask again in a moment", s.dir.Name(), holders(s.dir))
	}
	_, here := typable(who.Addresses[0])
	at := url.URL{Scheme: "http", Host: here, Path: "/" + s.dir.Name() + "/"}
	return fmt.Errorf("%s is being recorded by process %d: its recorder serves it meanwhile, at %s",
		s.dir.Name(), who.PID, at.String())
}
