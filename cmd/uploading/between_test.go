package uploading

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"warcorder/store/objects"
	"warcorder/store/objects/gateway"
)

// between stands between an uploader and the storage, and takes down what the storage was asked for.
type between struct {
	*httptest.Server

	mu    sync.Mutex
	fault func(http.ResponseWriter, *http.Request) bool
	done  []string // method, path and query of what the storage has done
}

// stand starts it; the environment of the test names it from then on.
func stand(t testing.TB, to string) *between {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	b := &between{}
	proxy := &httputil.ReverseProxy{ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // it is signed
		},
		ModifyResponse: func(r *http.Response) error {
			if r.StatusCode < 300 {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.done = append(b.done, r.Request.Method+" "+r.Request.URL.Path+"?"+r.Request.URL.RawQuery)
			}
			return nil
		}}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		fault := b.fault
		b.mu.Unlock()
		if fault == nil || !fault(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(b.Server.Close)
	gateway.Use(t, b.URL)
	return b
}

// breaks lets requests go wrong from now on: fault answers itself, and returns true, or changes the request.
// With nil nothing goes wrong any more.
func (b *between) breaks(fault func(http.ResponseWriter, *http.Request) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fault = fault
}

// asked returns what was done since it was asked the last time, of one method; "" is any.
func (b *between) asked(method string) (all []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, one := range b.done {
		if strings.HasPrefix(one, method) {
			all = append(all, one)
		}
	}
	b.done = nil
	return all
}

// refuse answers as S3 does.
func refuse(w http.ResponseWriter, status int, code string) bool {
	w.WriteHeader(status)
	io.WriteString(w, "<Error><Code>"+code+"</Code><Message>m</Message></Error>")
	return true
}

// cut breaks the connection off.
func cut(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }

// elsewhere does something at the other side that no uploader of ours has done.
func (r *recording) elsewhere(do func(*objects.Storage) error) {
	r.t.Helper()
	storage, err := objects.Open(r.t.Context())
	if err == nil {
		defer storage.Close()
		err = do(storage)
	}
	if err != nil {
		r.t.Error(err)
	}
}

// put writes an object, whatever is there.
func (r *recording) put(name string, body []byte) {
	r.t.Helper()
	r.elsewhere(func(s *objects.Storage) error {
		_, err := s.Put(r.t.Context(), objects.Upload{Bucket: gateway.Bucket, Key: r.prefix + "/" + name,
			Body: bytes.NewReader(body), Size: int64(len(body)), Replaces: true})
		return err
	})
}

// drop deletes an object.
func (r *recording) drop(name string) {
	r.t.Helper()
	r.elsewhere(func(s *objects.Storage) error {
		there, err := s.Head(r.t.Context(), gateway.Bucket, r.prefix+"/"+name)
		if err != nil {
			return err
		}
		return s.Delete(r.t.Context(), there.Bucket, there.Key, there.ETag)
	})
}
