package inspect

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"warcorder/recorder/feed"
	"warcorder/store"
)

// told gives the next capture that is told of.
func told(from *feed.Reader) feed.Event {
	for {
		more := from.More()
		for _, e := range from.Next(nil) {
			if e.Kind == feed.Capture {
				return e.Event
			}
		}
		<-more
	}
}

// TestAsTold: type, size and time of an exchange are those that were told when it was recorded, of a
// revisit too.
func TestAsTold(t *testing.T) {
	s := recorded(t)
	s.inspector.Took = s.rec.Feed().Took
	events := s.rec.Feed().Follow()
	response := "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + strings.Repeat("the same ", 400)
	for _, stored := range []string{"response", "revisit"} {
		c := s.commit("http://example.com/"+stored, get, response)
		x, e := s.exchange(&c).Capture, told(events)
		if x.Stored != stored || x.MIME != e.MIME || *x.Size != e.Size || x.Took == nil || *x.Took != e.MS ||
			x.MIME != "text/plain" || x.Host != e.Host() || x.Length != e.Length || x.Method != e.Method {
			t.Errorf("%+v was told as %+v", x, e)
		}
	}
}

// TestFresh: what has been told of is shown, however long the index takes until it is written by
// itself; and what is asked of others does not have it written.
func TestFresh(t *testing.T) {
	s := recordedEvery(t, time.Hour)
	events := s.rec.Feed().Follow()
	record := func(n int) store.Location {
		s.begin(fmt.Sprintf("http://example.com/%d", n), get, "HTTP/1.1 200 OK\r\n\r\nx")
		e := told(events)
		return store.Location{File: e.File, Offset: e.Offset}
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
