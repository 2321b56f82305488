package uploading

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/objects"
	"warcorder/store/objects/gateway"
	"warcorder/store/readback"
	"warcorder/store/verify"
)

// recording is a real recorder in a directory of its own, and what uploads its files.
type recording struct {
	*recorder.Recorder
	t       testing.TB
	cfg     recorder.Config
	dir     collection.Dir
	up      *Uploader
	storage *gateway.Server
	prefix  string         // of its objects
	sizes   map[string]int // of what was recorded, by URL
}

// start starts a recorder, and the storage that the environment of the test names from then on.
func start(t testing.TB) *recording {
	t.Helper()
	r := &recording{t: t, cfg: settings(), dir: collection.Dir(filepath.Join(t.TempDir(), "c")),
		storage: gateway.Start(t), prefix: "news", sizes: map[string]int{}}
	r.open()
	t.Cleanup(func() { r.Recorder.Close() })
	return r
}

func settings() recorder.Config {
	cfg := recorder.Default()
	cfg.CommitInterval, cfg.IndexInterval, cfg.MinFreeSpace = time.Millisecond, time.Millisecond, 0
	return cfg
}

func (r *recording) open() {
	r.t.Helper()
	var err error
	if r.Recorder, err = recorder.Open(r.cfg, r.dir, zerolog.Nop()); err != nil {
		r.t.Fatal(err)
	}
	r.up = New(r.dir, r.Index, zerolog.Nop())
	r.up.Hold, r.up.Tell = r.WithFinished, r.TellFile
}

func (r *recording) close() {
	r.t.Helper()
	if err := r.Recorder.Close(); err != nil {
		r.t.Fatal(err)
	}
}

// random is the body of a URL: nothing makes it shorter.
func random(url string, size int) []byte {
	var seed [32]byte
	copy(seed[:], url)
	b := make([]byte, size)
	rand.NewChaCha8(seed).Read(b)
	return b
}

// record records an exchange whose body has that size.
func (r *recording) record(url string, size int) {
	r.t.Helper()
	x := r.Begin()
	x.URL, x.Method, x.Started = url, "GET", time.Now()
	x.RemoteIP = netip.MustParseAddr("192.0.2.1")
	io.WriteString(&x.Request, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
	fmt.Fprintf(&x.Response, "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: %d\r\n\r\n", size)
	x.Response.Write(random(url, size))
	x.Commit()
	if err := r.Settle(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	r.sizes[url] = size
}

// file records an exchange into a file of its own, which is finished then, and returns its name.
func (r *recording) file(url string, size int) string {
	r.t.Helper()
	before := map[string]bool{}
	for _, f := range r.files() {
		before[f.Name] = f.Sealed
	}
	r.record(url, size)
	if _, err := r.Rotate(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	for _, f := range r.files() {
		if !before[f.Name] && f.Sealed {
			return f.Name
		}
	}
	r.t.Fatal("no file was finished")
	return ""
}

func (r *recording) files() []store.File {
	r.t.Helper()
	files, err := r.Index().Files()
	if err != nil {
		r.t.Fatal(err)
	}
	return files
}

// wants is what is wanted: into the bucket, and what stays here.
func (r *recording) wants(keep string) Config {
	r.t.Helper()
	cfg := Config{Place: objects.Place{Bucket: gateway.Bucket, Prefix: r.prefix}}
	if err := cfg.Keep.UnmarshalText([]byte(keep)); err != nil {
		r.t.Fatal(err)
	}
	return cfg
}

// round does a round in which nothing fails.
func (r *recording) round(keep string) Done {
	r.t.Helper()
	done, err := r.up.Round(r.t.Context(), r.wants(keep), true, nil)
	if err != nil || len(done.Failed) > 0 {
		r.t.Fatalf("%+v, %v", done, err)
	}
	return done
}

// object is the path of the object of a file, as the storage keeps it.
func (r *recording) object(name string) string {
	return filepath.Join(r.storage.Dir, gateway.Bucket, r.prefix, name)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// isHere reports whether a file lies in archive/.
func (r *recording) isHere(name string) bool { return exists(r.dir.WARC(name)) }

// readable: all that was recorded is read back, wherever it lies.
func (r *recording) readable() {
	r.t.Helper()
	files := readback.New(r.dir, r.Index())
	defer files.Close()
	left := map[string]bool{}
	for url := range r.sizes {
		left[url] = true
	}
	err := r.Index().Captures(store.Query{}, func(c *store.Capture) bool {
		response, err := files.Response(c)
		if err != nil {
			r.t.Errorf("%s in %s: %v", c.URL, c.File, err)
			return true
		}
		defer response.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil || !bytes.Equal(body, random(c.URL, len(body))) || len(body) != r.sizes[c.URL] {
			r.t.Errorf("%s in %s has %d bytes, %v", c.URL, c.File, len(body), err)
		}
		delete(left, c.URL)
		return true
	})
	if err != nil || len(left) > 0 {
		r.t.Errorf("%v; lost: %v", err, left)
	}
}

// settled: each finished file is at the other side, as it is noted in the index and beside it; here is what
// is said to be, and no upload is under way.
func (r *recording) settled(away bool) {
	r.t.Helper()
	for _, f := range r.files() {
		if !f.Sealed {
			continue
		}
		note := new(noted)
		err := r.dir.ReadNote(r.dir.AwayNote(f.Name), note)
		if err != nil || f.Remote == nil || !note.IsSame(f.Remote) || !exists(r.object(f.Name)) {
			r.t.Errorf("%s: %+v, its note says %+v, %v", f.Name, f, note, err)
			continue
		}
		if f.IsAway() != away || r.isHere(f.Name) == away {
			r.t.Errorf("%s is away: %v, and here: %v", f.Name, f.IsAway(), r.isHere(f.Name))
		}
	}
	names, err := r.dir.Uploads()
	if err != nil || len(names) > 0 {
		r.t.Errorf("under way: %v, %v", names, err)
	}
	if _, stale, err := r.dir.Away(); err != nil || len(stale) > 0 {
		r.t.Errorf("stale: %v, %v", stale, err)
	}
}

// verified closes the recorder, and lets the referee look, at the other side too.
func (r *recording) verified() {
	r.t.Helper()
	r.close()
	checker := verify.Checker{TempDir: r.t.TempDir(), Remote: true, Report: func(f verify.Finding) {
		if !f.Note {
			r.t.Errorf("verify: %+v", f)
		}
	}}
	if summary, err := checker.Collection(r.dir); err != nil || !summary.Indexed || !summary.Remote {
		r.t.Errorf("verify: %+v, %v", summary, err)
	}
}
