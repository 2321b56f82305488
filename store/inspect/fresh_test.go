package inspect

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"warcorder/recorder/feed"
	"warcorder/store"
)

// told gives the place of the next capture that is told of.
func told(from *feed.Reader) store.Location {
	for {
		more := from.More()
		for _, e := range from.Next(nil) {
			if e.Kind == feed.Capture {
				return store.Location{File: e.File, Offset: e.Offset}
			}
		}
		<-more
	}
}

// TestFresh: what has been told of is shown, however long the index takes until it is written by
// itself; and what is asked of others does not have it written.
func TestFresh(t *testing.T) {
	s := recordedEvery(t, time.Hour)
	events := s.rec.Feed().Follow()
	record := func(n int) store.Location {
		s.begin(fmt.Sprintf("http://example.com/%d", n), get, "HTTP/1.1 200 OK\r\n\r\nx")
		return told(events)
	}
	var all []store.Location
	for n, path := range []string{ExchangePath, BodyPath, RecordPath} {
		at := record(n)
		if status, said := s.ask(path, at, ""); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, said)
		}
		all = append(all, at)
	}
	record(len(all))
	for _, at := range all {
		if status, said := s.ask(BodyPath, at, ""); status != http.StatusOK {
			t.Errorf("%d %s", status, said)
		}
	}
	if n, err := s.index.Count(); n != int64(len(all)) || err != nil {
		t.Errorf("%d captures are in the index: %v", n, err)
	}
}
