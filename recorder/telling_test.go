package recorder

import (
	"context"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/store/collection"
)

// TestTally: what is recorded is counted as it came, revisits too, and so are gaps.
func TestTally(t *testing.T) {
	r, err := Open(Config{}, collection.Dir(t.TempDir()), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	const body = "the same body each time, of some length at least, so that it is worth a revisit"
	for range 2 {
		x := r.Begin()
		x.Started, x.URL, x.Method = time.Now(), "https://WWW.example.com:8443/a", "GET"
		x.Request.Write([]byte("GET /a HTTP/1.1\r\nHost: www.example.com:8443\r\n\r\n"))
		x.Response.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n\r\n" + body))
		x.Commit()
		if err := r.Settle(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	e := r.BeginExtra()
	e.Type, e.URI, e.ContentType = Resource, "urn:test:1", "text/plain"
	e.Block.Write([]byte("12345"))
	if _, err := e.Write(context.Background()); err != nil {
		t.Fatal(err)
	}
	r.Gap(GapCut, "https://www.example.com/", "")
	r.GapsMore(GapRefused, 3)
	s := r.Tally().Snapshot(time.Now(), 0)
	sum := s.Day[0]
	for _, more := range s.Day[1:] { // a minute may have begun meanwhile
		sum.Exchanges += more.Exchanges
		sum.Bytes += more.Bytes
		sum.Stored += more.Stored
		sum.Revisits += more.Revisits
		sum.Spared += more.Spared
		sum.Gaps += more.Gaps
	}
	if sum.Exchanges != 2 || sum.Bytes != 2*int64(len(body))+5 || sum.Stored != 2 || sum.Revisits != 1 ||
		sum.Spared != int64(len(body)) || sum.Gaps != 4 {
		t.Errorf("counted %+v", sum)
	}
	if html := s.ByType[0]; html.Name != "text/html" || html.Captures != 2 {
		t.Errorf("types are %v", s.ByType)
	}
	if host := s.ByHost[0]; host.Name != "www.example.com" || host.Captures != 2 {
		t.Errorf("hosts are %v", s.ByHost)
	}
	if s.Gaps[GapCut] != 1 || s.Gaps[GapRefused] != 3 {
		t.Errorf("gaps are %v", s.Gaps)
	}
}
