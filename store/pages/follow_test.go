package pages

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/readback"
)

// following is a recorder whose pages are followed.
type following struct {
	*recorder.Recorder
	*Follower
	t   *testing.T
	now time.Time
}

func follow(t *testing.T) *following {
	t.Helper()
	cfg := recorder.Default()
	cfg.CommitInterval, cfg.IndexInterval, cfg.MinFreeSpace = time.Millisecond, time.Millisecond, 0
	dir := collection.Dir(t.TempDir())
	rec, err := recorder.Open(cfg, dir, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	files := readback.New(dir, rec.Index())
	t.Cleanup(func() { rec.Close(); files.Close() })
	f := &following{Recorder: rec, Follower: New(rec.Index(), files).Follow(rec.Gaps), t: t, now: testTime}
	f.Now = func() time.Time { return f.now }
	return f
}

// record records an exchange of some time after testTime.
func (f *following) record(since time.Duration, url, fields string) {
	x := f.Begin()
	x.URL, x.Method, x.Started = url, "GET", testTime.Add(since)
	fmt.Fprintf(&x.Request, "GET / HTTP/1.1\r\nHost: a.example\r\n%s\r\n", fields)
	io.WriteString(&x.Response, answer("200 OK", "text/html", url))
	x.Commit()
}

// look looks once all is on the disk.
func (f *following) look() *Latest {
	f.t.Helper()
	if err := f.Settle(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
	latest, err := f.Look(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	return latest
}

// compares that the pages are those that All gives, with what Captures gives of each.
func (f *following) isSame(latest *Latest, withCaptures bool) {
	f.t.Helper()
	var got, want []string
	for i := range latest.Len() {
		page := latest.At(i)
		got = append(got, fmt.Sprint(page.ID(), page.Resources()))
		if n := page.Left + len(page.Base) + len(page.Tail); n != page.Resources()+1 {
			f.t.Errorf("%s has %d places", page.ID(), n)
		}
		made, err := f.PagesOf(page)
		if err != nil || len(made) != 1 || made[0].ID != page.ID() {
			f.t.Errorf("%v, %v", made, err)
		}
	}
	for page, err := range f.All(f.t.Context(), "", "") {
		if err != nil {
			f.t.Fatal(err)
		}
		want = append(want, fmt.Sprint(page.ID, page.Resources))
		if i := len(want) - 1; withCaptures && i < latest.Len() {
			f.hasCaptures(latest.At(i), page)
		}
	}
	if !slices.Equal(got, want) {
		f.t.Fatalf("%d pages, %d by All:\n%v\n%v", len(got), len(want), got, want)
	}
}

func (f *following) hasCaptures(page *Followed, of Page) {
	f.t.Helper()
	places, bytes := map[store.Location]bool{}, int64(0)
	for _, at := range slices.Concat(page.Base, page.Tail) {
		c, found, err := f.CaptureAt(at)
		if !found || err != nil {
			f.t.Fatal(at, found, err)
		}
		places[c.Location] = true
		bytes += c.Length
	}
	n := 0
	for c, err := range f.Captures(f.t.Context(), []Page{of}) {
		if n++; err != nil || !places[c.Location] {
			f.t.Fatal(c, err)
		}
	}
	if n != len(places) || bytes != page.Bytes {
		f.t.Fatal(n, len(places), bytes, page.Bytes)
	}
}

// TestFollowed: whatever comes, and whenever somebody looks, the pages are those of All: also of
// captures that come late, from before all others, or behind a pause.
func TestFollowed(t *testing.T) {
	for seed := range uint64(2) {
		f := follow(t)
		random := rand.New(rand.NewPCG(seed, 3))
		at := time.Duration(0)
		for i := range 800 {
			at += time.Duration(random.IntN(1500)) * time.Millisecond
			if random.IntN(400) == 0 {
				at += 90 * time.Minute
			}
			when := at - time.Duration(random.IntN(3000))*time.Millisecond
			if random.IntN(100) == 0 {
				when -= time.Duration(random.IntN(7200)) * time.Second
			}
			site := fmt.Sprintf("http://%d.example/", random.IntN(5))
			switch random.IntN(6) {
			case 0:
				f.record(when, site, toPage)
			case 1:
				f.record(when, fmt.Sprintf("%s%d.css", site, i), "Sec-Fetch-Dest: style\r\nReferer: "+site+"\r\n")
			default:
				f.record(when, fmt.Sprintf("%s%d", site, i), "Sec-Fetch-Dest: image\r\nReferer: "+site+"\r\n")
			}
			f.now = testTime.Add(at)
			if random.IntN(60) == 0 {
				f.look()
			}
		}
		latest := f.look()
		for more := true; more; {
			var err error
			if more, err = f.Earlier(t.Context()); err != nil {
				t.Fatal(err)
			}
			latest = f.look()
		}
		f.isSame(latest, seed == 0)
	}
}

// TestFollowedWork: at 100,000 captures a look walks what came within a minute, twice at most, and what
// finds nothing new walks nothing; what came before a long while makes it begin anew, and not at once.
func TestFollowedWork(t *testing.T) {
	const n, apart = 100_000, 20 * time.Millisecond
	index, err := store.Open(t.TempDir()+"/index", store.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	files := readback.New(collection.Dir(t.TempDir()), index)
	t.Cleanup(func() { files.Close(); index.Close() })
	f := New(index, files).Follow(index.Gaps)
	now := testTime
	f.Now = func() time.Time { return now }
	file, err := index.AddFile("a.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	offset := int64(0)
	commit := func(since time.Duration, visit store.Visit) store.Capture {
		offset += 10
		return store.Capture{Visit: visit, URL: fmt.Sprintf("http://a.example/%d", offset), Method: "GET",
			URLKey: fmt.Sprintf("example,a)/%d", offset), Time: testTime.Add(since), Status: 200,
			Location: store.Location{File: "a.warc.gz", Offset: offset, Length: 10}}
	}
	put := func(captures ...store.Capture) {
		file.Committed = offset + 10
		if err := index.Commit(captures, []store.File{file}); err != nil {
			t.Fatal(err)
		}
	}
	document := store.Visit{Dest: store.DestDocument, Traits: store.Told | store.Navigates | store.HTML | store.OK}
	leaf := store.Visit{Dest: store.DestLeaf, Traits: store.Told | store.OK}
	look := func() (walked int64) {
		before := f.Walked
		if _, err := f.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
		return f.Walked - before
	}
	var some []store.Capture
	at := time.Duration(0)
	for i := range n {
		at = time.Duration(i) * apart
		visit := leaf
		if i%100 == 0 {
			visit = document
		}
		some = append(some, commit(at, visit))
	}
	put(some...)
	now = testTime.Add(at)
	if walked := look(); walked > n+10 {
		t.Errorf("%d moments are walked at first", walked)
	}
	for range 5 {
		if walked := look(); walked != 0 {
			t.Errorf("%d moments are walked where nothing is new", walked)
		}
		at += 2 * time.Second
		now = now.Add(2 * time.Second)
		put(commit(at, document), commit(at-time.Second, leaf))
		if walked := look(); walked > int64(2*settleAfter/apart) || walked == 0 {
			t.Errorf("%d moments are walked for two new ones", walked)
		}
	}
	put(commit(time.Minute, leaf))
	if walked := look(); walked > int64(2*settleAfter/apart) {
		t.Errorf("%d moments are walked at once for one of long ago", walked)
	}
	now = now.Add(n * againAfter)
	if walked := look(); walked < n {
		t.Errorf("%d moments are walked for one of long ago", walked)
	}
	if latest, err := f.Look(t.Context()); err != nil || latest.Len() != n/100+5 || latest.Begun != 2 {
		t.Fatal(latest.Len(), latest.Begun, err)
	}
}
