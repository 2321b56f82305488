package uploading

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

// unnoted makes an object of a file of which it was not noted yet that it is there.
func (r *recording) unnoted() string {
	r.t.Helper()
	file := r.file("https://example.com/unnoted", 3000)
	r.round("")
	f, _ := r.Index().File(file)
	note := begun{Bucket: f.Remote.Bucket, Key: f.Remote.Key, Size: f.Committed, Mark: f.Remote.Mark}
	for _, err := range []error{r.Index().SetRemote(file, nil), r.dir.DropNote(r.dir.AwayNote(file)),
		r.dir.WriteNote(r.dir.UploadNote(file), 0, note)} {
		if err != nil {
			r.t.Fatal(err)
		}
	}
	return file
}

// TestMissingFile: the object of a file that was lost here, before it was noted that it is there, is all
// that is left of it: it is not deleted, wherever files go by now, and serves when the file is back.
func TestMissingFile(t *testing.T) {
	r := start(t)
	file := r.unnoted()
	object, aside := r.object(file), r.dir.WARC(file)+".aside"
	if err := os.Rename(r.dir.WARC(file), aside); err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"news", "other"} {
		r.close()
		r.open()
		if f, known := r.Index().File(file); !known || !f.Missing {
			t.Errorf("%+v", f)
		}
		r.prefix = prefix
		r.round("0")
		if !exists(object) {
			t.Fatal("it is deleted")
		}
	}
	r.prefix = "news"
	r.close()
	if err := os.Rename(aside, r.dir.WARC(file)); err != nil {
		t.Fatal(err)
	}
	r.open()
	r.round("0")
	r.readable()
	r.settled(true)
	r.verified()
}

// TestElsewhere: what was sent to a place to which files do not go any more, and was not noted yet, is sent
// to the other place, and told of: in a copy of the directory it may be the object of the collection itself.
func TestElsewhere(t *testing.T) {
	r := start(t)
	file := r.unnoted()
	former := r.object(file)
	r.prefix = "other"
	var said bytes.Buffer
	r.up.log = zerolog.New(&said)
	r.round("0")
	if !exists(former) || !strings.Contains(said.String(), `"at":"s3://warcs/news/`+file+`"`) {
		t.Errorf("it is there: %v, and told of: %s", exists(former), said.String())
	}
	r.readable()
	r.settled(true)
	r.verified()
}

// TestLostMeanwhile: a file that has gone from archive/ since the start may be in an object alone: that is
// not deleted, be it one that was not noted yet, or one from which something is to be removed.
func TestLostMeanwhile(t *testing.T) {
	for name, lost := range map[string]func(*recording) string{
		"not noted": (*recording).unnoted,
		"removed": func(r *recording) string {
			file := r.hushed()
			r.round("")
			r.removes()
			return file
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			file := lost(r)
			object := r.object(file)
			if err := os.Remove(r.dir.WARC(file)); err != nil {
				t.Fatal(err)
			}
			r.prefix = "other"
			done, err := r.up.Round(t.Context(), r.wants("0"), true, nil)
			if err != nil || done.Deleted > 0 || len(done.Failed) == 0 || !exists(object) {
				t.Errorf("%+v, %v; it is there: %v", done, err, exists(object))
			}
		})
	}
}
