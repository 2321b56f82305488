package readback

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/holdings/awaytest"
	"warcorder/store/objects"
	"warcorder/store/objects/gateway"
)

// TestAway: what was recorded is read from object storage as it was from the disk: responses, their
// requests, revisits of what is away, and what archives a file names; beside a recorder and at rest.
func TestAway(t *testing.T) {
	storage := gateway.Start(t)
	r := record(t, func(cfg *recorder.Config) { cfg.Dedup.MinSize = 0 })
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n"
	body := strings.Repeat("body ", 1000)
	r.commit("http://example.com/a", head+body, nil)
	name := r.wait("http://example.com/a", 1)[0].File
	if _, err := r.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.commit("http://example.com/again", head+body, nil)
	again := r.wait("http://example.com/again", 1)[0]
	if again.MIME != "warc/revisit" || again.File == name {
		t.Fatalf("no revisit in another file: %+v", again)
	}
	read := func(when string) {
		t.Helper()
		for _, url := range []string{"http://example.com/a", "http://example.com/again"} {
			c := captures(t, r.files.index, url)[0]
			response, err := r.files.Response(&c)
			if err != nil {
				t.Errorf("%s, %s: %v", when, url, err)
				continue
			}
			if got := all(t, response.Body); got != body {
				t.Errorf("%s, %s: %d bytes", when, url, len(got))
			}
			response.Close()
			request, err := r.files.Request(&c)
			if err != nil {
				t.Errorf("%s, the request for %s: %v", when, url, err)
				continue
			}
			request.Close()
		}
	}
	read("here")
	awaytest.Send(t, r.dir, r.Index(), name)
	read("away")
	r.rest()
	read("away and at rest")

	// An object that somebody has changed is not what the index knows.
	object := filepath.Join(storage.Dir, gateway.Bucket, "test", name)
	size, err := os.Stat(object)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(object); err != nil {
		t.Fatal(err)
	}
	r.files.Close()
	r.files = New(r.dir, r.files.index)
	c := captures(t, r.files.index, "http://example.com/a")[0]
	if _, err := r.files.Response(&c); !errors.Is(err, ErrMissing) {
		t.Errorf("an object that is gone: %v", err)
	}
	other := objects.Upload{Bucket: gateway.Bucket, Key: "test/" + name, Body: bytes.NewReader(make([]byte, size.Size())),
		Size: size.Size(), Replaces: true}
	if another, err := objects.Open(t.Context()); err != nil {
		t.Fatal(err)
	} else if _, err := another.Put(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	r.files.Close()
	r.files = New(r.dir, r.files.index)
	if _, err := r.files.Response(&c); !errors.Is(err, objects.ErrChanged) {
		t.Errorf("another object in its place: %v", err)
	}
}

// TestAwayUnreachable: a storage that is not there is an error that says so, and nothing that is taken
// for a missing file.
func TestAwayUnreachable(t *testing.T) {
	gateway.Use(t, "http://127.0.0.1:1")
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	r := record(t, nil)
	r.commit("http://example.com/a", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", nil)
	c := r.wait("http://example.com/a", 1)[0]
	if _, err := r.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	known, _ := r.Index().File(c.File)
	remote := &store.Remote{Bucket: "archive", Key: "a.warc.gz", Size: known.Committed, ETag: `"e"`, Released: true}
	if err := errors.Join(r.Index().SetRemote(c.File, remote), os.Remove(r.dir.WARC(c.File))); err != nil {
		t.Fatal(err)
	}
	_, err := r.files.Response(&c)
	if !errors.Is(err, objects.ErrUnreachable) || errors.Is(err, ErrMissing) ||
		!strings.Contains(fmt.Sprint(err), c.File) {
		t.Errorf("%v", err)
	}
}
