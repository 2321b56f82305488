package recovery_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store/objects"
	"warcorder/store/objects/gateway"
)

// TestLostIndexAway: an index that is lost or damaged comes back as it was, from the files that are here,
// the notes, and the objects; no file is brought here, and none changes.
func TestLostIndexAway(t *testing.T) {
	w := newAwayWorld(t)
	for _, c := range []struct {
		name string
		run  func() (recovery.Found, error)
	}{
		{"a recorder that begins", w.open}, {"recover", w.repair}, {"rebuild", w.rebuild},
	} {
		for _, harm := range []string{"lost", "damaged", "neither"} {
			t.Run(c.name+", "+harm, func(t *testing.T) {
				before := w.everything()
				switch harm {
				case "lost":
					w.loseIndex()
				case "damaged":
					w.must(os.WriteFile(w.dir.Index(), []byte("no index"), 0o600))
				}
				found, err := c.run()
				if err != nil || len(found.Unread)+len(found.Missing)+len(found.Damaged)+len(found.Left) > 0 {
					t.Errorf("%+v, %v", found, err)
				}
				w.unchanged(before)
				w.whole()
				again, err := w.repair()
				if err != nil || again.Files > 0 {
					t.Errorf("there was more to do: %+v, %v", again, err)
				}
			})
		}
	}
}

// TestLostIndexBucketDown: while the bucket does not answer, a recorder begins with the files that are
// here, says which ones it has not read, and records; a rebuild changes nothing. Nothing is deleted or
// forgotten: when the bucket is there again, all is.
func TestLostIndexBucketDown(t *testing.T) {
	w := newAwayWorld(t)
	before := w.everything()
	w.down()

	// With its index nothing of it is needed.
	for name, run := range map[string]func() (recovery.Found, error){"open": w.open, "recover": w.repair} {
		if found, err := run(); err != nil || len(found.Unread)+found.Files > 0 {
			t.Errorf("%s, with an index: %+v, %v", name, found, err)
		}
	}
	index, err := os.ReadFile(w.dir.Index())
	w.must(err)
	if _, err := w.rebuild(); !errors.Is(err, objects.ErrUnreachable) || !strings.Contains(err.Error(), w.names[0]) {
		t.Errorf("rebuild with an index: %v", err)
	}
	if after, err := os.ReadFile(w.dir.Index()); err != nil || !slices.Equal(after, index) {
		t.Errorf("the old index is another one: %v", err)
	}
	if v := w.verified(false); v.Findings > 0 || v.Away != 2 {
		t.Errorf("what is away is taken for damage: %+v", v)
	}

	w.loseIndex()
	if _, err := w.rebuild(); !errors.Is(err, objects.ErrUnreachable) {
		t.Errorf("rebuild without an index: %v", err)
	}
	if _, err := os.Stat(w.dir.Index()); err == nil {
		t.Error("a rebuild that has failed has left an index")
	}
	for name, run := range map[string]func() (recovery.Found, error){"open": w.open, "recover": w.repair} {
		found, err := run()
		if err != nil || !slices.Equal(found.Unread, w.names[:2]) || len(found.Missing) > 0 {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
		if got := w.exported(); got != w.linesOfFiles(w.names[2]) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if v := w.verified(false); v.Away != 2 || v.Findings != 2 || v.Notes != 1 { // of the revisit's original
		t.Errorf("the referee: %+v", v)
	}
	w.unchanged(before)

	w.record(3, 1, func(*recorder.Recorder) {})
	more := w.exported()
	w.up()
	found, err := w.repair()
	if err != nil || len(found.Unread) > 0 || found.Files != 2 || found.Captures != 4 {
		t.Errorf("when it is there again: %+v, %v", found, err)
	}
	all := w.exported()
	for line := range strings.Lines(w.lines + more) {
		if strings.Count(all, line) != 1 {
			t.Errorf("%d times %s", strings.Count(all, line), line)
		}
	}
	w.away(w.names[:2]...)
	if v := w.verified(true); v.Findings > 0 {
		t.Errorf("%+v", v)
	}
}

// TestLostIndexBreaksOff: where object storage breaks off while a file is read, a recorder begins without
// the rest, and asks for no other file; the next start goes on, and all is in the index once.
func TestLostIndexBreaksOff(t *testing.T) {
	w := newAwayWorld(t)
	between := httputil.NewSingleHostReverseProxy(must(url.Parse(w.storage.Endpoint)))
	var asked sync.Map
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		asked.Store(path.Base(r.URL.Path), true)
		if r.Method == http.MethodGet {
			panic(http.ErrAbortHandler)
		}
		between.ServeHTTP(rw, r)
	}))
	defer server.Close()
	gateway.Use(t, server.URL)
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	w.loseIndex()
	found, err := w.open()
	if err != nil || !slices.Equal(found.Unread, w.names[:2]) {
		t.Errorf("%+v, %v", found, err)
	}
	if _, is := asked.Load(w.names[1]); is {
		t.Error("it has asked for the second file")
	}
	w.up()
	if found, err := w.open(); err != nil || len(found.Unread) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
	w.whole()
}
