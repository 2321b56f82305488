package removing

import (
	"io"
	"strings"
	"testing"
	"time"

	"warcorder/recorder"
	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/removal"
	"warcorder/store/selection"
)

// TestChains: the certificates of an origin stay where only times or files are chosen, and keep no
// request that has no answer; whoever names them removes them, and the next exchange brings them again,
// by the same connection too.
func TestChains(t *testing.T) {
	const year = 365 * 24 * time.Hour
	type choose = func(*store.Bolt, *readback.Files) (removal.Order, error)
	for name, test := range map[string]struct {
		choose func(r *recording) choose
		chains int // that are left
	}{
		"by age": {func(r *recording) choose {
			return Older(t.Context(), r.dir, year, r.now.Add(year+time.Minute))
		}, 1},
		"by time": {func(r *recording) choose {
			return Chosen(t.Context(), selection.Selection{To: stamp(r.now)})
		}, 1},
		"by file": {func(r *recording) choose {
			return Chosen(t.Context(), selection.Selection{Files: r.files()})
		}, 1},
		"by URL": {func(r *recording) choose {
			return Chosen(t.Context(), selection.Selection{URL: record.ChainURN, Match: store.Prefix})
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, nil)
			chain := recorder.NewChain([][]byte{[]byte("leaf"), []byte("root")})
			r.getOver(chain, "")
			r.getOver(chain, page("one"))
			r.rotate()
			done, err := Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode, Wish{Choose: test.choose(r)})
			if err != nil || !done.Done {
				t.Fatalf("%+v, %v", done, err)
			}
			if n := r.chains(); n != test.chains {
				t.Errorf("%d chains are left", n)
			}
			if names := r.found("no answer"); test.chains > 0 && len(names) > 0 {
				t.Errorf("the request without an answer is in %q", names)
			}
			r.getOver(chain, page("two"))
			r.getOver(chain, page("three"))
			if n := r.chains(); n != 1 {
				t.Errorf("%d chains in the end", n)
			}
			r.verified()
		})
	}
}

// getOver records an exchange over a connection whose origin sent these certificates.
func (r *recording) getOver(chain *recorder.Chain, response string) {
	r.t.Helper()
	x := r.Begin()
	r.now = r.now.Add(time.Second)
	x.URL, x.Method, x.Started, x.Chain = "https://example.com/", "GET", r.now, chain
	io.WriteString(&x.Request, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
	io.WriteString(&x.Response, response)
	if response == "" {
		x.Fault = "no answer"
	}
	x.Commit()
	if err := r.Settle(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// chains is how many chains of certificates the index has.
func (r *recording) chains() (n int) {
	r.t.Helper()
	err := r.Index().Captures(store.Query{}, func(c *store.Capture) bool {
		if strings.HasPrefix(c.URL, record.ChainURN) {
			n++
		}
		return true
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}
