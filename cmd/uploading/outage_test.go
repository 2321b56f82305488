package uploading

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// patience is how long anything that must come is waited for.
const patience = time.Minute

// eventually waits until ok is true, and says what it waited for if that does not come.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// runs lets the uploader run beside the recorder, until the test ends.
func (r *recording) runs(keep string) {
	cfg := r.wants(keep)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.up.Run(ctx, r.Finished(), func() (Config, bool) { return cfg, true })
	}()
	r.t.Cleanup(func() { stop(); <-ended })
}

// allThere reports whether all finished files have copies.
func (r *recording) allThere() bool {
	for _, f := range r.files() {
		if isWanted(&f) {
			return false
		}
	}
	return true
}

// TestOutage: while the storage is down, silent, overloaded or refuses, recording goes on, nobody waits for
// it, and no file goes; when it is back all goes up by itself, what has failed too.
func TestOutage(t *testing.T) {
	back := make(chan struct{})
	for name, fault := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"down": cut,
		"silent": func(w http.ResponseWriter, r *http.Request) bool {
			select {
			case <-back:
			case <-r.Context().Done():
			}
			return cut(w, r)
		},
		"overloaded": func(w http.ResponseWriter, _ *http.Request) bool {
			return refuse(w, http.StatusServiceUnavailable, "SlowDown")
		},
		"refuses": func(w http.ResponseWriter, _ *http.Request) bool {
			return refuse(w, http.StatusForbidden, "AccessDenied")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			storage := stand(t, r.storage.Endpoint)
			t.Setenv("AWS_MAX_ATTEMPTS", "1")
			r.file("https://example.com/before", 3000)
			r.round("1000h")
			asked := make(chan struct{}, 1)
			storage.breaks(func(w http.ResponseWriter, req *http.Request) bool {
				select {
				case asked <- struct{}{}:
				default:
				}
				return fault(w, req)
			})
			r.file("https://example.com/a", 3000)
			r.file("https://example.com/b", 3000)
			r.runs("0")
			<-asked
			for i := range 20 { // each waits until it is on disk and in the index
				r.record(fmt.Sprintf("https://example.com/%d", i), 3000)
			}
			r.file("https://example.com/c", 3000)
			if name == "silent" {
				close(back)
			}
			eventually(t, "it is told", func() bool { return !r.up.State().Since.IsZero() })
			state := r.up.State()
			if state.Waiting < 2 || state.Failed == 0 || state.LastText == "" || state.Away > 0 || state.Sent == 0 {
				t.Errorf("%+v", state)
			}
			if !r.Measures().Recording {
				t.Error("nothing is recorded")
			}
			for _, f := range r.files() {
				if f.Sealed && !r.isHere(f.Name) {
					t.Errorf("%s has gone", f.Name)
				}
			}
			storage.breaks(nil)
			eventually(t, "all is there", func() bool { return r.allThere() && r.up.State().Stored == 0 })
			eventually(t, "it is told", func() bool { return r.up.State().Since.IsZero() })
			r.readable()
			r.settled(true)
		})
	}
}

// TestWrongBytes: what arrives with other bytes counts as nothing there: the file stays, and is sent again.
func TestWrongBytes(t *testing.T) {
	for name, size := range map[string]int{"whole": 3000, "in parts": 6 << 20} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			storage := stand(t, r.storage.Endpoint)
			t.Setenv("AWS_MAX_ATTEMPTS", "1")
			r.up.partSize = 5 << 20
			file := r.file("https://example.com/", size)
			storage.breaks(func(_ http.ResponseWriter, req *http.Request) bool {
				if req.Method == http.MethodPut {
					first := make([]byte, 1)
					io.ReadFull(req.Body, first)
					first[0] ^= 1
					req.Body = io.NopCloser(io.MultiReader(bytes.NewReader(first), req.Body))
				}
				return false
			})
			done, err := r.up.Round(t.Context(), r.wants("0"), true, nil)
			if err == nil || len(done.Failed) != 1 || done.Failed[0].File != file || done.Files+done.Released > 0 {
				t.Errorf("%+v, %v", done, err)
			}
			if exists(r.object(file)) || !r.isHere(file) || r.files()[0].Remote != nil {
				t.Errorf("%+v is there: %v", r.files(), exists(r.object(file)))
			}
			want, err := os.ReadFile(r.dir.WARC(file))
			if err != nil {
				t.Fatal(err)
			}
			storage.breaks(nil)
			if done := r.round("0"); done.Files != 1 || done.Released != 1 {
				t.Errorf("%+v", done)
			}
			if got, err := os.ReadFile(r.object(file)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes of %d are there, %v", len(got), len(want), err)
			}
			r.readable()
			r.settled(true)
			r.verified()
		})
	}
}

// TestPlainStorage: a storage that knows neither checksums nor conditions nor trailers gets all of it, and
// what it has is compared before a local copy goes.
func TestPlainStorage(t *testing.T) {
	r := start(t)
	storage := stand(t, r.storage.Endpoint)
	storage.breaks(func(w http.ResponseWriter, req *http.Request) bool {
		for name := range req.Header {
			isNew := strings.HasPrefix(name, "X-Amz-Checksum") || strings.HasPrefix(name, "X-Amz-Trailer")
			if isNew || strings.HasPrefix(name, "If-") || name == "X-Amz-Sdk-Checksum-Algorithm" {
				return refuse(w, http.StatusNotImplemented, "NotImplemented")
			}
		}
		return false
	})
	r.up.partSize = 5 << 20
	r.file("https://example.com/small", 3000)
	r.file("https://example.com/large", 6<<20)
	cfg := r.wants("0")
	cfg.CDXJ = true
	done, err := r.up.Round(t.Context(), cfg, true, nil)
	if err != nil || len(done.Failed) > 0 || done.Files != 2 || done.Released != 2 {
		t.Errorf("%+v, %v", done, err)
	}
	storage.breaks(nil) // a condition keeps what is read to be what was noted
	r.readable()
	r.settled(true)
	r.verified()
}

// TestObjectChanged: a local copy stays if the object is not what it was, and nobody's object is written
// over; when that has gone, the file is sent anew.
func TestObjectChanged(t *testing.T) {
	for name, change := range map[string]func([]byte) []byte{
		"other bytes": func(b []byte) []byte { return append([]byte{b[0] ^ 1}, b[1:]...) },
		"shorter":     func(b []byte) []byte { return b[:len(b)-1] },
		"gone":        nil,
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			file := r.file("https://example.com/", 3000)
			r.round("")
			was, err := os.ReadFile(r.object(file))
			if err != nil {
				t.Fatal(err)
			}
			if change == nil {
				r.drop(file)
			} else {
				other := change(was)
				r.put(file, other)
				for range 2 {
					done, err := r.up.Round(t.Context(), r.wants("0"), true, nil)
					if err != nil || len(done.Failed) != 1 || !strings.Contains(done.Failed[0].Why, "warc-prefix") {
						t.Errorf("%+v, %v", done, err)
					}
					if now, err := os.ReadFile(r.object(file)); err != nil || !bytes.Equal(now, other) {
						t.Errorf("it was written over: %v", err)
					}
					if !r.isHere(file) || r.files()[0].Remote != nil {
						t.Errorf("here: %v, %+v", r.isHere(file), r.files())
					}
				}
				r.readable()
				r.drop(file)
			}
			if done := r.round("0"); done.Files != 1 || done.Released != 1 {
				t.Errorf("%+v", done)
			}
			r.readable()
			r.settled(true)
			r.verified()
		})
	}
}
