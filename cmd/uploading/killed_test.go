//go:build faults

package uploading

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store/collection"
	"warcorder/store/fault"
)

// What makes TestUploadChild upload: a collection, and the prefix of its objects.
const (
	childDir    = "UPLOADING_TEST_DIR"
	childPrefix = "UPLOADING_TEST_PREFIX"
)

// leastPart is the shortest part that a storage takes.
const leastPart = 5 << 20

// TestUploadChild uploads a collection at rest, and lets all go. It is the process that TestUploadKilled
// lets end.
func TestUploadChild(t *testing.T) {
	path := os.Getenv(childDir)
	if path == "" {
		return
	}
	r := &recording{t: t, dir: collection.Dir(path), prefix: os.Getenv(childPrefix)}
	err := recorder.AtRest(settings(), r.dir, zerolog.Nop(), func(rec *recorder.Recorder) error {
		u := New(r.dir, rec.Index, zerolog.Nop())
		u.partSize = leastPart
		done, err := u.Round(t.Context(), r.wants("0"), true, nil)
		if len(done.Failed) > 0 {
			t.Errorf("%+v", done.Failed)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// child lets a process upload, and reports whether a fault has ended it.
func (r *recording) child(faults string) (killed bool) {
	r.t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestUploadChild$", "-test.v")
	cmd.Env = append(os.Environ(), childDir+"="+string(r.dir), childPrefix+"="+r.prefix, fault.Variable+"="+faults,
		"GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	exit := (*exec.ExitError)(nil)
	if err != nil && (!errors.As(err, &exit) || exit.Exited()) {
		r.t.Fatalf("%q: %v: %s", faults, err, out)
	}
	return err != nil
}

// TestUploadKilled ends a process at each step of an upload, in parts too, and of what follows when local
// copies go: then all that was recorded is read back, and the next upload goes on from there. No part that
// is noted is sent again. In one of three cases the index is lost meanwhile.
func TestUploadKilled(t *testing.T) {
	whole := start(t)
	for i, size := range []int{2*leastPart + 1000, 3000} {
		whole.file(fmt.Sprintf("https://example.com/%d", i), size)
	}
	whole.close()
	asked := stand(t, whole.storage.Endpoint)
	kills, parts := 0, 0
	for _, point := range fault.Uploads {
		for hit := 1; ; hit++ {
			r := *whole
			r.dir = collection.Dir(filepath.Join(t.TempDir(), "c"))
			r.prefix = fmt.Sprintf("%s-%d", point, hit)
			if err := os.CopyFS(string(r.dir), os.DirFS(string(whole.dir))); err != nil {
				t.Fatal(err)
			}
			if !r.child(fmt.Sprintf("kill %s %d", point, hit)) {
				break // there are not so many
			}
			kills++
			parts += r.afterKill(asked, kills%3 == 0)
			if t.Failed() {
				t.Fatalf("killed at %s, hit %d", point, hit)
			}
		}
	}
	if want := 2*7 + 4; kills != want || parts == 0 { // a file has three parts, and its begin is noted too
		t.Errorf("%d kills, want %d; %d parts were noted", kills, want, parts)
	}
}

// afterKill holds a collection against what it must be, and returns how many parts were noted.
func (r *recording) afterKill(asked *between, lost bool) (parts int) {
	r.t.Helper()
	if lost {
		if _, err := recovery.Rebuild(recovery.Config{}, r.dir, zerolog.Nop()); err != nil {
			r.t.Fatal(err)
		}
	}
	r.open()
	r.readable()
	r.close()
	noted := r.notedParts()
	asked.asked("")
	if r.child("") {
		r.t.Fatal("killed")
	}
	for _, put := range asked.asked("PUT") {
		for _, number := range noted {
			if strings.Contains(put, fmt.Sprintf("partNumber=%d&", number)) {
				r.t.Errorf("part %d was there, and was sent again: %s", number, put)
			}
		}
	}
	r.open()
	r.readable()
	r.settled(true)
	r.verified()
	return len(noted)
}

// notedParts are the numbers of the parts of which it is noted that they are there.
func (r *recording) notedParts() (numbers []int32) {
	r.t.Helper()
	names, err := r.dir.Uploads()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, name := range names {
		var b begun
		if err := r.dir.ReadNote(r.dir.UploadNote(name), &b); err != nil {
			r.t.Fatal(err)
		}
		if b.Begun != nil {
			for _, p := range b.Begun.Parts {
				numbers = append(numbers, p.Number)
			}
		}
	}
	return numbers
}
