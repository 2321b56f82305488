package store

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// TestSession: an open session notes the time of each transaction, a closed one none, and its gaps
// come and go with it.
func TestSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.bolt")
	b, err := openToWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := b.Session(); err != nil || s != (Session{}) {
		t.Errorf("a new index: %+v, %v", s, err)
	}
	started := time.Now().UTC().Truncate(time.Microsecond)
	crash := Gap{
		Time:   started.Add(-time.Hour),
		Until:  started,
		Reason: "crash",
		Detail: "nothing was cut off",
	}
	if err := b.SetSession(Session{Started: started, Last: started, Open: true}, crash); err != nil {
		t.Fatal(err)
	}
	if got := gapsOf(t, b, 0); !reflect.DeepEqual(got.Latest, []Gap{crash}) {
		t.Errorf("got %+v, want %+v", got.Latest, crash)
	}
	file := addFile(t, b, "a.warc.gz")
	for _, transaction := range []func() error{
		func() error { _, err := b.AddFile("b.warc.gz"); return err },
		func() error { return b.Commit(nil, []File{file}) },
		func() error { return b.AddGaps([]Gap{crash}, nil) },
	} {
		before := sessionOf(t, b)
		time.Sleep(2 * time.Microsecond) // what the index tells apart
		if err := transaction(); err != nil {
			t.Fatal(err)
		}
		if after := sessionOf(t, b); !after.Open || !after.Started.Equal(started) ||
			!after.Last.After(before.Last) {
			t.Errorf("after a transaction %+v, before %+v", after, before)
		}
	}
	closed := Session{Started: started, Last: started.Add(time.Minute)}
	if err := b.SetSession(closed); err != nil {
		t.Fatal(err)
	}
	addFile(t, b, "c.warc.gz")
	b.Close()
	if b, err = OpenReadOnly(path); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if got := sessionOf(t, b); got != closed {
		t.Errorf("got %+v, want %+v", got, closed)
	}
}

func sessionOf(t *testing.T, b *Bolt) Session {
	t.Helper()
	s, err := b.Session()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNoteFiles: the state of a file and the gap that tells of it come together.
func TestNoteFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.bolt")
	b, err := openToWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	file := addFile(t, b, "a.warc.gz")
	file.Committed, file.Missing = 100, true
	if err := b.NoteFiles([]File{file}, Gap{Time: testTime, Reason: "missing",
		URL: file.Name}); err != nil {
		t.Fatal(err)
	}
	if err := b.NoteFiles([]File{{ID: 7}}, Gap{Reason: "missing"}); err == nil {
		t.Error("of a file that is not known")
	}
	b.Close()
	if b, err = openToWrite(path); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if got, _ := b.File(file.Name); got != file || len(gapsOf(t, b, 0).Latest) != 1 {
		t.Errorf("%+v, gaps %+v", got, gapsOf(t, b, 0))
	}
}
