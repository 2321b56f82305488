package uploading

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"warcorder/cmd/removing"
	"warcorder/store"
	"warcorder/store/selection"
)

// hush is the URL of what is removed.
const hush = "https://example.com/hush"

// remove removes what was recorded of hush.
func (r *recording) remove() error {
	r.t.Helper()
	_, err := removing.Remove(r.t.Context(), r.Recorder, r.dir, r.cfg.Mode, removing.Wish{
		Choose: removing.Chosen(r.t.Context(), selection.Selection{URL: hush})})
	if err == nil {
		delete(r.sizes, hush)
	}
	return err
}

// removes is remove, which succeeds.
func (r *recording) removes() {
	r.t.Helper()
	if err := r.remove(); err != nil {
		r.t.Fatal(err)
	}
}

// hushed makes a file that has hush and something else.
func (r *recording) hushed() string {
	r.t.Helper()
	r.record(hush, 3000)
	return r.file("https://example.com/other", 3000)
}

// tells reports whether a file at that path has what was recorded of hush, or a line of it.
func tells(t testing.TB, path string) bool {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if z, err := gzip.NewReader(bytes.NewReader(b)); err == nil {
		if b, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	return bytes.Contains(b, random(hush, 100)) || bytes.Contains(b, []byte(`"url": "`+hush)) ||
		bytes.Contains(b, []byte(`"url":"`+hush))
}

// lined is a round that sends the lines of files too, in which nothing fails.
func (r *recording) lined(keep string) {
	r.t.Helper()
	cfg := r.wants(keep)
	cfg.CDXJ = true
	if done, err := r.up.Round(r.t.Context(), cfg, true, nil); err != nil || len(done.Failed) > 0 {
		r.t.Fatalf("%+v, %v", done, err)
	}
}

// TestRemoved: what is removed from a file is removed at the other side too, from its lines as well, whether
// a copy is here or not; the file stays as it was: here or away.
func TestRemoved(t *testing.T) {
	for name, c := range map[string]struct {
		keep  string
		lines bool // they are sent anew
	}{
		"here, with lines":    {"", true},
		"away, with lines":    {"0", true},
		"here, lines no more": {"", false},
		"away, lines no more": {"0", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			file := r.hushed()
			r.lined(c.keep)
			if !tells(t, r.object(file)) || !tells(t, r.object(file)+linesSuffix) {
				t.Fatal("the object and its lines do not tell of it")
			}
			r.removes()
			if _, stale, err := r.dir.Away(); err != nil || len(stale) != 1 || stale[0] != file {
				t.Errorf("stale: %v, %v", stale, err)
			}
			r.readable()
			if c.lines {
				r.lined(c.keep)
				if tells(t, r.object(file)+linesSuffix) {
					t.Error("the lines tell of it")
				}
			} else if r.round(c.keep); exists(r.object(file) + linesSuffix) {
				t.Error("the lines are there, and tell of it")
			}
			if tells(t, r.object(file)) {
				t.Error("the object tells of it")
			}
			r.readable()
			r.settled(c.keep == "0")
			r.verified()
		})
	}
}

// TestRemovedInOutage: what is removed while the storage is down is deleted there when it is back, after a
// restart too. What is away cannot be removed meanwhile, and nothing has changed by the try.
func TestRemovedInOutage(t *testing.T) {
	for name, keep := range map[string]string{"here": "", "away": "0"} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			file := r.hushed()
			r.round(keep)
			storage := stand(t, r.storage.Endpoint)
			t.Setenv("AWS_MAX_ATTEMPTS", "1")
			r.close()
			r.open() // which asks the storage anew
			storage.breaks(cut)
			err := r.remove()
			if (err == nil) != (keep == "") {
				t.Fatal(err)
			}
			if err != nil && (!strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "cannot be reached")) {
				t.Error(err)
			}
			done, err := r.up.Round(t.Context(), r.wants(keep), true, nil)
			if keep == "" && err == nil || done.Files+done.Deleted > 0 || !tells(t, r.object(file)) {
				t.Errorf("%+v, %v", done, err)
			}
			r.close()
			r.open()
			storage.breaks(nil)
			if keep != "" {
				r.removes()
			}
			r.round(keep)
			if tells(t, r.object(file)) {
				t.Error("the object tells of it")
			}
			r.readable()
			r.settled(keep == "0")
			r.verified()
		})
	}
}

// TestRemovedWhileSent: what is removed from a file while that is sent is not there in the end, if the other
// side has taken the former file too; neither if that is ended, and something is removed once more.
func TestRemovedWhileSent(t *testing.T) {
	for name, ended := range map[string]bool{"it goes on": false, "the recorder ends": true} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			const second = "https://example.com/second"
			r.record(second, 3000)
			file := r.hushed()
			storage := stand(t, r.storage.Endpoint)
			storage.breaks(func(_ http.ResponseWriter, req *http.Request) bool {
				if req.Method == http.MethodPut {
					storage.breaks(nil)
					r.removes()
				}
				return false
			})
			done, err := r.up.Round(t.Context(), r.wants("0"), true, nil)
			if err != nil || len(done.Failed) != 1 || done.Released > 0 || !tells(t, r.object(file)) {
				t.Errorf("%+v, %v", done, err)
			}
			if ended { // before it was noted that the copy is not what the file is
				former := new(noted)
				err := r.dir.ReadNote(r.dir.StaleNote(file), former)
				if err = errors.Join(err, r.dir.DropNote(r.dir.StaleNote(file))); err != nil {
					t.Fatal(err)
				}
				info, err := os.Stat(r.object(file))
				if err != nil {
					t.Fatal(err)
				}
				note := begun{Bucket: "warcs", Key: r.prefix + "/" + file, Size: info.Size(), Mark: former.Mark}
				if err := r.dir.WriteNote(r.dir.UploadNote(file), 0, note); err != nil {
					t.Fatal(err)
				}
			}
			r.round("0")
			if tells(t, r.object(file)) {
				t.Error("the object tells of it")
			}
			r.readable()
			r.settled(true)
			r.verified()
		})
	}
}

// TestRemovedElsewhere: where files go to another place by now, what was removed is deleted at the former
// one. Until that can be done the file stays here, and nothing keeps others from being sent.
func TestRemovedElsewhere(t *testing.T) {
	r := start(t)
	var files []string
	for range 3 {
		files = append(files, r.hushed())
	}
	r.round("")
	r.removes()
	former := r.object(files[0])
	r.prefix = "other"
	next := r.file("https://example.com/next", 3000)
	storage := stand(t, r.storage.Endpoint)
	storage.breaks(func(w http.ResponseWriter, req *http.Request) bool {
		return req.Method == http.MethodDelete && refuse(w, http.StatusForbidden, "AccessDenied")
	})
	r.up = New(r.dir, r.Index, r.up.log)
	done, err := r.up.Round(t.Context(), r.wants("0"), true, nil)
	if err != nil || done.Files != 1 || done.Released != 1 || !exists(r.object(next)) || done.Deleted > 0 {
		t.Errorf("%+v, %v", done, err)
	}
	for _, file := range files {
		if exists(r.object(file)) || !r.isHere(file) || !exists(r.dir.StaleNote(file)) {
			t.Errorf("%s is there: %v, here: %v", file, exists(r.object(file)), r.isHere(file))
		}
	}
	storage.breaks(nil)
	if done := r.round("0"); done.Deleted != 3 || done.Files != 3 || done.Released != 3 || exists(former) {
		t.Errorf("%+v", done)
	}
	r.readable()
	r.settled(true)
	r.verified()
}

// TestRemovedByOthers: if the object is another one by now than that from which something was removed, it is
// neither deleted nor written over, and a person is told.
func TestRemovedByOthers(t *testing.T) {
	r := start(t)
	file := r.hushed()
	r.round("")
	r.removes()
	r.put(file, []byte("another"))
	isOther := func() bool {
		b, err := os.ReadFile(r.object(file))
		return err == nil && string(b) == "another"
	}
	for _, prefix := range []string{"news", "other"} {
		r.prefix = prefix
		done, err := r.up.Round(t.Context(), r.wants("0"), true, nil)
		r.prefix = "news"
		if err != nil || len(done.Failed) == 0 || done.Deleted+done.Released > 0 || !isOther() {
			t.Errorf("%s: %+v, %v", prefix, done, err)
		}
	}
	r.drop(file)
	r.round("0")
	r.readable()
	r.settled(true)
}

// TestRemovedOld: what is older than it is kept goes from files that are away too; while the storage is down
// it stays, since nobody can tell whether such a file is ours.
func TestRemovedOld(t *testing.T) {
	r := start(t)
	file := r.hushed()
	r.round("0")
	storage := stand(t, r.storage.Endpoint)
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	r.close()
	r.open()
	later := time.Now().Add(100 * 24 * time.Hour)
	old := func() (removing.Removed, error) {
		return removing.Remove(t.Context(), r.Recorder, r.dir, r.cfg.Mode, removing.Wish{Look: true,
			Choose: removing.Older(t.Context(), r.dir, 90*24*time.Hour, later)})
	}
	storage.breaks(cut)
	if done, err := old(); err != nil || done.Done {
		t.Errorf("%+v, %v", done, err)
	}
	storage.breaks(nil)
	if done, err := old(); err != nil || !done.Done || done.Captures != 2 {
		t.Errorf("%+v, %v", done, err)
	}
	r.sizes = map[string]int{}
	r.round("0")
	if exists(r.object(file)) && tells(t, r.object(file)) {
		t.Error("the object tells of it")
	}
	r.readable()
	r.settled(true)
	r.verified()
}

// TestTaken: an object that others put there while parts are sent is not written over, and the parts go.
func TestTaken(t *testing.T) {
	r := start(t)
	r.up.partSize = 5 << 20
	file := r.file("https://example.com/large", 6<<20)
	storage := stand(t, r.storage.Endpoint)
	other := []byte("another")
	storage.breaks(func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodPost || !strings.Contains(req.URL.RawQuery, "uploadId") {
			return false
		}
		storage.breaks(nil)
		r.put(file, other)
		return refuse(w, http.StatusPreconditionFailed, "PreconditionFailed")
	})
	done, err := r.up.Round(t.Context(), r.wants("0"), true, nil)
	if err != nil || len(done.Failed) != 1 || !r.isHere(file) {
		t.Errorf("%+v, %v", done, err)
	}
	if now, err := os.ReadFile(r.object(file)); err != nil || !bytes.Equal(now, other) {
		t.Errorf("%d bytes are there, %v", len(now), err)
	}
	aborted := storage.asked(http.MethodDelete)
	if len(aborted) != 1 || !strings.Contains(aborted[0], "uploadId") || exists(r.dir.UploadNote(file)) {
		t.Errorf("deleted: %v, noted: %v", aborted, exists(r.dir.UploadNote(file)))
	}
	if f, _ := r.Index().File(file); f.Remote != (*store.Remote)(nil) {
		t.Errorf("%+v", f)
	}
}
