package uploading

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store/objects"
)

// found makes an object of a file that was there before anything of it was sent: another collection may
// have put it there, which has the same file.
func (r *recording) found(file string) {
	r.t.Helper()
	r.round("")
	for _, err := range []error{r.Index().SetRemote(file, nil), r.dir.DropNote(r.dir.AwayNote(file))} {
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

// TestFound: an object of the same content that was there before counts as a copy, and as nothing more: the
// file stays here, and what is removed here is not removed from the object, which a person is told.
func TestFound(t *testing.T) {
	r := start(t)
	file := r.hushed()
	r.found(file)
	done := r.round("0")
	f, _ := r.Index().File(file)
	if f.Remote == nil || !f.Remote.Found || !r.isHere(file) || len(done.Kept) != 1 ||
		!strings.Contains(done.Kept[0], file) {
		t.Errorf("%+v, %+v", done, f)
	}
	r.removes()
	object := r.object(file)
	for _, prefix := range []string{"news", "other"} {
		r.prefix = prefix
		done, err := r.up.Round(t.Context(), r.wants("0"), true, nil)
		if err != nil || len(done.Failed) == 0 || done.Deleted+done.Released > 0 || !tells(t, object) {
			t.Errorf("%s: %+v, %v", prefix, done, err)
		}
	}
	r.prefix = "news"
	r.drop(file) // as the person was told
	r.round("0")
	r.readable()
	r.settled(true)
	r.verified()
}

// TestNotesOfOthers: notes that this collection has not written, for they are of objects of another name,
// delete nothing.
func TestNotesOfOthers(t *testing.T) {
	r := start(t)
	victim, file := r.file("https://example.com/victim", 3000), r.file("https://example.com/file", 3000)
	r.round("")
	f, _ := r.Index().File(victim)
	remote := *f.Remote
	for _, err := range []error{
		r.dir.WriteNote(r.dir.StaleNote(file), 0, noted{Remote: remote}),
		r.dir.WriteNote(r.dir.UploadNote(file), 0, begun{Bucket: remote.Bucket, Key: remote.Key,
			Size: remote.Size, Mark: remote.Mark}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r.prefix = "other"
	done, err := r.up.Round(t.Context(), r.wants("0"), true, nil)
	r.prefix = "news"
	if err != nil || len(done.Failed) != 1 || !strings.Contains(done.Failed[0].Why, r.dir.StaleNote(file)) ||
		done.Deleted > 0 || !exists(r.object(victim)) {
		t.Errorf("%+v, %v; it is there: %v", done, err, exists(r.object(victim)))
	}
}

// TestStaleStays: where what a removal has left in the bucket cannot be deleted, the file is sent anew all
// the same, and its note counts: an index that is lost then is made of it.
func TestStaleStays(t *testing.T) {
	r := start(t)
	file := r.hushed()
	r.lined("")
	r.removes()
	storage := stand(t, r.storage.Endpoint)
	storage.breaks(func(w http.ResponseWriter, req *http.Request) bool {
		return req.Method == http.MethodDelete && refuse(w, http.StatusForbidden, "AccessDenied")
	})
	r.up = New(r.dir, r.Index, r.up.log)
	for range 2 { // sent; and released, by a round that tries again what has failed
		_, err := r.up.Round(t.Context(), r.wants("0"), true, nil)
		if err != nil && !errors.Is(err, objects.ErrRefused) {
			t.Fatal(err)
		}
	}
	if !exists(r.dir.StaleNote(file)) || r.isHere(file) || tells(t, r.object(file)) {
		t.Fatalf("stale: %v, here: %v", exists(r.dir.StaleNote(file)), r.isHere(file))
	}
	r.close()
	if err := os.Remove(r.dir.Index()); err != nil {
		t.Fatal(err)
	}
	if _, err := recorder.Recover(r.cfg, r.dir, zerolog.Nop()); err != nil {
		t.Fatal(err)
	}
	r.open()
	r.readable()
	storage.breaks(nil)
	r.round("0")
	if exists(r.object(file) + linesSuffix) {
		t.Error("the lines are there, and tell of it")
	}
	r.settled(true)
	r.verified()
}
