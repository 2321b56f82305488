package uploading

import (
	"bytes"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/store/collection"
)

// other is another collection that has the same file, and uploads to the same place.
func (r *recording) other(file string) *recording {
	r.t.Helper()
	o := &recording{t: r.t, cfg: settings(), dir: collection.Dir(filepath.Join(r.t.TempDir(), "other")),
		storage: r.storage, prefix: r.prefix, sizes: maps.Clone(r.sizes)}
	err := o.dir.Make(0)
	if err == nil {
		err = os.Link(r.dir.WARC(file), o.dir.WARC(file))
	}
	if err != nil {
		r.t.Fatal(err)
	}
	o.open()
	r.t.Cleanup(func() { o.Recorder.Close() })
	return o
}

// refused lets an upload begin, whose object is refused.
func (r *recording) refused() {
	r.t.Helper()
	storage := stand(r.t, r.storage.Endpoint)
	storage.breaks(func(w http.ResponseWriter, r *http.Request) bool {
		return r.Method == http.MethodPut && refuse(w, http.StatusForbidden, "AccessDenied")
	})
	r.up = New(r.dir, r.Index, zerolog.Nop())
	if done, err := r.up.Round(r.t.Context(), r.wants(""), true, nil); err == nil || len(done.Failed) != 1 {
		r.t.Fatalf("%+v, %v", done, err)
	}
	storage.breaks(nil)
}

// TestOwner: what another collection puts there after an upload of the same file was begun is that one's: it
// is neither written over nor deleted.
func TestOwner(t *testing.T) {
	r := start(t)
	file := r.hushed()
	r.refused()
	o := r.other(file)
	if done := o.round("0"); done.Released != 1 {
		t.Errorf("%+v", done)
	}
	r.round("0")
	if f, _ := r.Index().File(file); f.Remote == nil || !f.Remote.Found || !r.isHere(file) {
		t.Errorf("%+v", f)
	}
	r.removes()
	if done, err := r.up.Round(t.Context(), r.wants(""), true, nil); err != nil || len(done.Failed) == 0 {
		t.Errorf("%+v, %v", done, err)
	}
	o.readable()
}

// TestOtherOfTheSize: so is a file of other content that has the same name and size.
func TestOtherOfTheSize(t *testing.T) {
	r := start(t)
	file := r.file("https://example.com/", 3000)
	r.refused()
	body, err := os.ReadFile(r.dir.WARC(file))
	if err != nil {
		t.Fatal(err)
	}
	body[len(body)-1] ^= 1
	r.put(file, body)
	done, err := r.up.Round(t.Context(), r.wants("0"), true, nil)
	if now, _ := os.ReadFile(r.object(file)); !bytes.Equal(now, body) || len(done.Failed) != 1 || err != nil ||
		!r.isHere(file) {
		t.Errorf("%+v, %v; as it was: %v", done, err, bytes.Equal(now, body))
	}
}

// TestLinesOfOthers: lines that this collection has not sent are neither written over nor deleted.
func TestLinesOfOthers(t *testing.T) {
	r := start(t)
	file := r.hushed()
	own := []byte("somebody's own\n")
	r.put(file+linesSuffix, own)
	r.round("") // no lines are wanted
	r.removes()
	r.round("")
	is := func(r *recording) {
		t.Helper()
		if now, err := os.ReadFile(r.object(file) + linesSuffix); !bytes.Equal(now, own) {
			t.Errorf("%.100q, %v", now, err)
		}
	}
	is(r)
	wants := r.wants("")
	wants.CDXJ = true
	if done, err := r.up.Round(t.Context(), wants, true, nil); err != nil || len(done.Failed) != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	is(r)
}

// TestLinesBesideFound: nor are those beside an object that was there before.
func TestLinesBesideFound(t *testing.T) {
	r := start(t)
	file := r.hushed()
	o := r.other(file)
	r.lined("")
	own := []byte("other lines by now\n")
	r.put(file+linesSuffix, own)
	o.lined("")
	if now, err := os.ReadFile(r.object(file) + linesSuffix); !bytes.Equal(now, own) {
		t.Errorf("%.100q, %v", now, err)
	}
}
