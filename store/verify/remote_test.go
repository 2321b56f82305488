package verify_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/holdings/awaytest"
	"warcorder/store/objects"
	"warcorder/store/objects/gateway"
	"warcorder/store/verify"
)

// copied is a collection of three files: the first two are away, and the third has a copy. The second
// one has a revisit of what is in the first.
type copied struct {
	storage *gateway.Server
	dir     string
	remotes []*store.Remote
}

func newCopied(t *testing.T) *copied {
	t.Helper()
	c := &copied{storage: gateway.Start(t), dir: t.TempDir()}
	body := page(randomBytes(90_000))
	for i, url := range []string{"first", "again", "third"} {
		if i == 2 {
			body = page(randomBytes(50_000))
		}
		record(t, recorder.Config{}, c.dir, []exchange{{url: "http://example.com/" + url, request: get, response: body}})
	}
	paths := archive(t, c.dir)
	if len(paths) != 3 {
		t.Fatalf("%d files", len(paths))
	}
	dir := collection.Dir(c.dir)
	index, err := store.Open(dir.Index(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	for i, path := range paths {
		send := awaytest.Send
		if i == 2 {
			send = awaytest.Copy
		}
		c.remotes = append(c.remotes, send(t, dir, index, filepath.Base(path)))
	}
	return c
}

// object is where the storage keeps an object, and tag where it keeps its ETag.
func (c *copied) object(i int) string {
	return filepath.Join(c.storage.Dir, gateway.Bucket, filepath.FromSlash(c.remotes[i].Key))
}

func (c *copied) tag(i int) string {
	return filepath.Join(filepath.Dir(c.storage.Dir), "meta", gateway.Bucket,
		filepath.FromSlash(c.remotes[i].Key), "meta", "etag")
}

// check checks the collection with what is in object storage.
func (c *copied) check(t *testing.T) (found checked, err error) {
	t.Helper()
	checker := verify.Checker{Remote: true, TempDir: t.TempDir(),
		Report: func(f verify.Finding) { found.all = append(found.all, f) }}
	found.Summary, err = checker.Collection(collection.Dir(c.dir))
	return found, err
}

// rewrite changes a file, and returns what puts it back.
func rewrite(t *testing.T, path string, change func([]byte) []byte) (back func()) {
	t.Helper()
	before, err := os.ReadFile(path)
	if err == nil {
		if after := change(slices.Clone(before)); after == nil {
			err = os.Remove(path)
		} else {
			err = os.WriteFile(path, after, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.WriteFile(path, before, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRemoteFindings: what is wrong with an object is told of this object, with what it is, whether the
// file is away or here as well; and of no other one. What was put back is right again.
func TestRemoteFindings(t *testing.T) {
	c := newCopied(t)
	flip := func(b []byte) []byte { b[len(b)/2] ^= 1; return b }
	for _, test := range []struct {
		name, text string
		change     func(b []byte) []byte
		ofTag      bool // it is the ETag that changes
	}{
		{"gone", "the object is gone", func([]byte) []byte { return nil }, false},
		{"changed", "another SHA-256", flip, false},
		{"longer", "not what was uploaded", func(b []byte) []byte { return append(b, 0) }, false},
		{"shorter", "not what was uploaded", func(b []byte) []byte { return b[:len(b)-1] }, false},
		{"empty", "not what was uploaded", func([]byte) []byte { return []byte{} }, false},
		{"of another ETag", "not what was uploaded", func([]byte) []byte { return []byte("other") }, true},
	} {
		for i, remote := range c.remotes {
			t.Run(fmt.Sprintf("%s, %d", test.name, i), func(t *testing.T) {
				path := c.object(i)
				if test.ofTag {
					path = c.tag(i)
				}
				back := rewrite(t, path, test.change)
				found, err := c.check(t)
				back()
				if err != nil {
					t.Fatal(err)
				}
				told := 0
				for _, f := range found.all {
					isLost := test.name == "changed" && i == 0 && f.File == c.remotes[1].URL()
					if f.Code == verify.Original && (f.Note || isLost) { // of the revisit
						continue
					}
					if f.File != remote.URL() {
						t.Errorf("of another one: %+v", f)
					}
					if f.Code == verify.Object {
						told++
						if !strings.Contains(f.Text, test.text) ||
							strings.Contains(f.Text, "upload send it anew") != (i == 2) {
							t.Errorf("%s", f.Text)
						}
					} else if test.name != "changed" {
						t.Errorf("more than is wrong: %+v", f)
					}
				}
				if told != 1 || found.Findings == 0 {
					t.Errorf("told %d times: %+v", told, found.all)
				}
			})
		}
	}
	found, err := c.check(t)
	if err != nil || len(found.all) > 0 || found.Away != 2 || found.Copies != 1 || found.Files != 3 {
		t.Errorf("nothing is wrong any more: %+v, %v", found, err)
	}
}

// TestRemoteUnreadable: a storage that does not answer, refuses, or breaks off is no finding, but the end
// of the check, which says why and of which object; no object is called gone that was not asked for.
func TestRemoteUnreadable(t *testing.T) {
	c := newCopied(t)
	between := httputil.NewSingleHostReverseProxy(must(url.Parse(c.storage.Endpoint)))
	breaking := func(fault http.HandlerFunc) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, filepath.Base(c.remotes[1].Key)) {
				fault(w, r)
				return
			}
			between.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	for _, test := range []struct {
		name, endpoint, secret string
		bucket                 bool // that is gone
		want                   error
		object                 string // named in the error; empty: any
	}{
		{"nobody listens", "http://127.0.0.1:1", "", false, objects.ErrUnreachable, ""},
		{"other credentials", "", "anotherSecretKey0123456789", false, objects.ErrRefused, ""},
		{"no such bucket", "", "", true, objects.ErrRefused, ""},
		{"breaks off in one", breaking(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("ETag", `"`+c.remotes[1].ETag+`"`)
			w.Header().Set("Content-Length", fmt.Sprint(c.remotes[1].Size))
			io.WriteString(w, "not all")
			panic(http.ErrAbortHandler)
		}), "", false, objects.ErrUnreachable, c.remotes[1].Key},
		{"fails in one", breaking(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "", http.StatusServiceUnavailable)
		}), "", false, objects.ErrUnreachable, c.remotes[1].Key},
		{"refuses one", breaking(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "", http.StatusForbidden)
		}), "", false, objects.ErrRefused, c.remotes[1].Key},
	} {
		t.Run(test.name, func(t *testing.T) {
			gateway.Use(t, c.storage.Endpoint)
			t.Setenv("AWS_MAX_ATTEMPTS", "1")
			if test.endpoint != "" {
				t.Setenv("AWS_ENDPOINT_URL", test.endpoint)
			}
			if test.secret != "" {
				t.Setenv("AWS_SECRET_ACCESS_KEY", test.secret)
			}
			if bucket := filepath.Join(c.storage.Dir, gateway.Bucket); test.bucket {
				if err := os.Rename(bucket, bucket+".away"); err != nil {
					t.Fatal(err)
				}
				defer os.Rename(bucket+".away", bucket)
			}
			found, err := c.check(t)
			if !errors.Is(err, test.want) || !strings.Contains(fmt.Sprint(err), test.object) ||
				!strings.Contains(fmt.Sprint(err), "s3://"+gateway.Bucket) {
				t.Errorf("%v", err)
			}
			if found.Findings > 0 {
				t.Errorf("%+v", found.all)
			}
		})
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// TestRemoteLarge: a large object takes no more memory than a small one, and the part that is not what was
// uploaded is named.
func TestRemoteLarge(t *testing.T) {
	storage := gateway.Start(t)
	dir, size := collection.Dir(t.TempDir()), int64(150<<20)
	if err := dir.Make(0); err != nil {
		t.Fatal(err)
	}
	name := "large.warc"
	file := must(os.Create(dir.WARC(name)))
	fmt.Fprintf(file, "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:%s>\r\n"+
		"WARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Target-URI: http://example.com/large\r\n"+
		"Content-Type: application/octet-stream\r\nContent-Length: %d\r\n\r\n",
		"12345678-1234-1234-1234-123456789012", size)
	at := must(file.Seek(size, io.SeekCurrent)) // nothing but zeros
	file.WriteAt([]byte("\r\n\r\n"), at)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	opened := must(recovery.Repair(recovery.Config{}, dir, zerolog.Nop()))
	remote := awaytest.Send(t, dir, opened.Index, name)
	if err := errors.Join(opened.Index.Close(), opened.Unlock()); err != nil {
		t.Fatal(err)
	}
	c := copied{storage: storage, dir: string(dir), remotes: []*store.Remote{remote}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found, err := c.check(t)
	runtime.ReadMemStats(&after)
	if err != nil || found.Findings > 0 || found.Bytes != remote.Size {
		t.Errorf("%+v, %v", found, err)
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 32<<20 {
		t.Errorf("%d bytes were taken for an object of %d", taken, remote.Size)
	}
	object := must(os.OpenFile(c.object(0), os.O_WRONLY, 0))
	object.WriteAt([]byte("other"), remote.PartSize+1000)
	object.Close()
	found, err = c.check(t)
	last := fmt.Sprint(found.all[len(found.all)-1:])
	if err != nil || found.Findings != 1 || !strings.Contains(last, "of 3 parts of 67108864 bytes these: 2)") {
		t.Errorf("%+v, %v", found.all, err)
	}
}
