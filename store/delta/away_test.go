package delta_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"warcorder/store"
	"warcorder/store/delta"
	"warcorder/store/holdings"
	"warcorder/store/holdings/awaytest"
	"warcorder/store/objects"
	"warcorder/store/objects/gateway"
)

// reduced is a recording from whose one file something was removed, and which is away.
type reduced struct {
	*recording
	storage *gateway.Server
	before  string // the token of before the removal
	name    string
	asked   atomic.Int64 // requests to the storage

	silent atomic.Pointer[func(*http.Request) bool] // reports whether a request gets no answer
	waits  chan bool                                // has one when a request gets none
}

func newReduced(t *testing.T) *reduced {
	t.Helper()
	r := &reduced{storage: gateway.Start(t), recording: start(t), waits: make(chan bool, 1)}
	r.get("/a", page("one"))
	part, random := make([]byte, 200_000), rand.NewChaCha8([32]byte{})
	for i := range 8 { // a file of several blocks
		random.Read(part)
		r.get(fmt.Sprint("/", i), page(string(part)))
	}
	r.get("/b", page("two"))
	r.rotate()
	_, _, r.before = r.since("", store.Query{})
	r.remove("/a", false)
	files, err := r.Index().Files()
	if err != nil || len(files) != 1 || !files[0].Reduced {
		t.Fatalf("%+v, %v", files, err)
	}
	r.name = files[0].Name
	awaytest.Send(t, r.dir, r.Index(), r.name)
	r.stand()
	return r
}

// stand stands between the recording and its storage.
func (r *reduced) stand() {
	to, err := url.Parse(r.storage.Endpoint)
	if err != nil {
		r.t.Fatal(err)
	}
	ended := make(chan bool)
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(to)
		p.Out.Host = p.In.Host // it is signed
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.asked.Add(1)
		if silent := r.silent.Load(); silent == nil || !(*silent)(q) {
			proxy.ServeHTTP(w, q)
			return
		}
		select {
		case r.waits <- true:
		default:
		}
		<-ended
	}))
	r.t.Cleanup(server.Close)
	r.t.Cleanup(func() { close(ended) })
	gateway.Use(r.t, server.URL)
	r.t.(*testing.T).Setenv("AWS_MAX_ATTEMPTS", "1")
}

// begin is the token of what there is now, and how often the storage was asked for it.
func (r *reduced) begin(ends *delta.Ends) (token string, asked int64) {
	r.t.Helper()
	asked = -r.asked.Load()
	d, err := delta.Begin(r.dir, r.Index(), store.Query{}, delta.Ask{Ends: ends})
	if err != nil {
		r.t.Fatal(err)
	}
	defer d.Close()
	return d.Token().String(), asked + r.asked.Load()
}

// TestAwayIsReadOnce: the end of a file that is away is read for the first of many tokens, and again when
// another object is in its place, also one of the same size.
func TestAwayIsReadOnce(t *testing.T) {
	r := newReduced(t)
	ends := delta.NewEnds(holdings.New(r.dir))
	first, asked := r.begin(ends)
	if asked == 0 {
		t.Error("nobody has read it")
	}
	if again, asked := r.begin(ends); asked > 0 || again != first {
		t.Errorf("for the second token the storage was asked %d times: %s, and before %s", asked, again, first)
	}
	content, err := os.ReadFile(filepath.Join(r.storage.Dir, gateway.Bucket, "test", r.name))
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)-5] ^= 1
	r.replace(content)
	other, asked := r.begin(ends)
	if asked == 0 || other == first {
		t.Errorf("of another object of the same size, asked %d times, the token is the same", asked)
	}
	if again, asked := r.begin(ends); asked > 0 || again != other {
		t.Errorf("then the storage was asked %d times", asked)
	}
}

// replace has another object be the file.
func (r *reduced) replace(content []byte) {
	r.t.Helper()
	storage, err := objects.Open(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	defer storage.Close()
	remote, err := storage.Put(r.t.Context(), objects.Upload{Bucket: gateway.Bucket, Key: "test/" + r.name,
		Body: bytes.NewReader(content), Size: int64(len(content)), Replaces: true})
	if err == nil {
		remote.Released = true
		err = r.Index().SetRemote(r.name, remote)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// TestAwaySilent: a storage that takes a request and gives no answer keeps nobody whose context has ended:
// neither while the end of a file is read, nor while it is looked for tombstones.
func TestAwaySilent(t *testing.T) {
	r := newReduced(t)
	since, err := delta.Parse(r.before)
	if err != nil {
		t.Fatal(err)
	}
	for name, silent := range map[string]func(*http.Request) bool{
		"its end":        func(*http.Request) bool { return true },
		"its tombstones": func(q *http.Request) bool { return strings.HasPrefix(q.Header.Get("Range"), "bytes=0-") },
	} {
		r.silent.Store(&silent)
		ctx, end := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			d, err := delta.Begin(r.dir, r.Index(), store.Query{Context: ctx}, delta.Ask{Since: since})
			if err == nil {
				err = d.Close()
			}
			done <- err
		}()
		<-r.waits
		end()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
