package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

// momentsOf returns the timeline from a time on.
func momentsOf(t *testing.T, b *Bolt, from time.Time) (all []Moment) {
	t.Helper()
	for m, err := range b.Timeline(context.Background(), from) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

// TestTimelineValue: what a capture says of its page comes back, whatever is there of it.
func TestTimelineValue(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	page, other := HashURL("http://example.com/"), HashURL("https://other.org/x?y")
	for i, c := range []struct {
		visit  Visit
		method string
		keyed  bool
	}{
		{Visit{}, "", false},
		{Visit{Referer: page}, "", false},
		{Visit{Referer: other, Next: page}, "", false},
		{Visit{Next: other, Traits: NotGET, Dest: DestLeaf, Site: SiteCross}, "POST", false},
		{Visit{Traits: HTML | OK, Referer: other}, "", true},
		{Visit{Traits: Navigates | Told, Dest: DestDocument, Site: SiteNone}, "", true},
		{Visit{Traits: Navigates | Told | Ahead, Dest: DestDocument}, "", false},
		{Visit{Traits: Navigates | Told | Ahead | HTML | OK, Dest: DestDocument}, "", true},
		{Visit{Traits: Ahead | HTML | OK, Dest: DestScript}, "", false},
		{Visit{Traits: 1<<traitBits - 1, Dest: 1<<destBits - 1, Site: 1<<siteBits - 1,
			Referer: 1<<64 - 1, Next: 1}, "PUT", false},
	} {
		made := captureOf("http://example.com/a", testTime.Add(time.Duration(i)*time.Hour), file.Name,
			int64(i)*1000)
		made.Visit, made.Method = c.visit, c.method
		commit(t, b, []Capture{made})
		got := momentsOf(t, b, made.Time)
		if len(got) != 1 || got[0].Visit != c.visit || got[0].Location != made.Location ||
			!got[0].Time.Equal(made.Time) || got[0].URL != HashURL(made.URL) || got[0].HasKey() != c.keyed {
			t.Errorf("%+v is %+v", made, got)
		}
		made.Visit = Visit{}
		if found, ok, err := b.CaptureOf(&got[0], made.URLKey); found != made || !ok || err != nil {
			t.Errorf("the capture is %+v, %v, %v", found, ok, err)
		}
	}
}

// TestTimelineAgain: a capture that is committed again stays one in the timeline, also when its
// microseconds are others; Check counts the same.
func TestTimelineAgain(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	c := captureOf("http://example.com/a", testTime, file.Name, 0)
	commit(t, b, []Capture{c, c})
	c.Time = c.Time.Add(-100 * time.Microsecond)
	commit(t, b, []Capture{c})
	if got := momentsOf(t, b, time.Time{}); len(got) != 1 || !got[0].Time.Equal(c.Time) {
		t.Errorf("%+v", got)
	}
	if n, err := b.Untimed(); n != 0 || err != nil {
		t.Error(n, err)
	}
	commit(t, b, []Capture{captureOf("http://example.com/other", c.Time, file.Name, 0)})
	path := b.writing.db.Path()
	b.Close()
	again, err := Open(path, Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// TestTimelineOfOlder: an index without a timeline has none, and says of how many captures; those
// that come later, or once more, are in it.
func TestTimelineOfOlder(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	old := captureOf("http://example.com/a", testTime, file.Name, 0)
	commit(t, b, []Capture{old, captureOf("http://example.com/b", testTime, file.Name, 9)})
	err := b.writing.db.Update(func(tx *bbolt.Tx) error {
		if err := tx.DeleteBucket(bucketTimeline); err != nil {
			return err
		}
		return tx.Bucket(bucketMeta).Delete(metaTimeline)
	})
	if err != nil {
		t.Fatal(err)
	}
	path := b.writing.db.Path()
	b.Close()
	resting, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := resting.Untimed(); n != 2 || err != nil || len(momentsOf(t, resting, time.Time{})) != 0 {
		t.Error(n, err)
	}
	if b, err = openToWrite(path); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	commit(t, b, []Capture{old, captureOf("http://example.com/c", testTime, file.Name, 99)})
	if n, err := b.Untimed(); n != 1 || err != nil || len(momentsOf(t, b, time.Time{})) != 2 {
		t.Error(n, err)
	}
}

// TestTimelineOrder: moments come in the order of time, of files' names and of offsets, in whatever
// order the files were added; also where thousands of captures have one time.
func TestTimelineOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	var captures []Capture
	for i := range 3 * sliceMoments {
		at := testTime
		switch {
		case i < 100:
			at = at.Add(time.Duration(i/30-2) * time.Millisecond)
		case i < 9000:
			at = at.Add(time.Duration(i%7) * time.Minute)
		}
		captures = append(captures, captureOf(fmt.Sprintf("http://example.com/%d", i), at,
			fmt.Sprintf("%d.warc.gz", i%7), int64(i)))
	}
	var want []Location
	for n, files := range []string{"0123456", "6251403", "3456012"} {
		b := newIndex(t)
		b.sortMemory, b.stretchMoments = 1<<16, n*sliceMoments // 0 is the usual
		for _, name := range files {
			addFile(t, b, string(name)+".warc.gz")
		}
		random.Shuffle(len(captures), func(i, j int) { captures[i], captures[j] = captures[j], captures[i] })
		commit(t, b, captures)
		got := momentsOf(t, b, time.Time{})
		if !slices.IsSortedFunc(got, func(a, b Moment) int {
			if order := a.Time.Compare(b.Time); order != 0 {
				return order
			}
			if order := strings.Compare(a.File, b.File); order != 0 {
				return order
			}
			return int(a.Offset - b.Offset)
		}) {
			t.Errorf("files %s: not in order", files)
		}
		var places []Location
		for _, m := range got {
			places = append(places, m.Location)
		}
		if want != nil && !slices.Equal(places, want) || len(places) != len(captures) {
			t.Errorf("files %s: %d of %d, others", files, len(places), len(captures))
		}
		want = places
	}
}

// TestQuietBefore: the last pause before a time is found, over any number of captures.
func TestQuietBefore(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	var captures []Capture
	at := testTime
	for i := range 3 * sliceMoments {
		if i == 100 || i == 3*sliceMoments-10 {
			at = at.Add(time.Hour)
		}
		if i > 200 && i%2 == 0 {
			at = at.Add(time.Second)
		}
		captures = append(captures, captureOf("http://example.com/", at, file.Name, int64(i)))
	}
	commit(t, b, captures)
	for _, c := range []struct {
		name     string
		at, want time.Time
	}{
		{"before all", testTime.Add(-time.Minute), testTime.Add(-time.Minute)},
		{"the first ones", testTime.Add(time.Minute), testTime},
		{"behind a pause", captures[100].Time.Add(time.Second), captures[100].Time},
		{"thousands later", captures[3*sliceMoments-20].Time, captures[100].Time},
		{"the last ones", captures[3*sliceMoments-1].Time, captures[3*sliceMoments-10].Time},
		{"much later", testTime.AddDate(9, 0, 0), testTime.AddDate(9, 0, 0)},
	} {
		got, err := b.QuietBefore(context.Background(), c.at, time.Hour-2*stretch)
		if err != nil || got.After(c.want) || c.want.Sub(got) > stretch {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

// TestStretches: what lies in a stretch is told apart: nothing comes that is earlier than was asked for, and
// a pause begins with the last capture of a stretch, not with its first.
func TestStretches(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	first := startOfStretch(testTime)
	var captures []Capture
	for i, after := range []time.Duration{0, 16 * time.Second, time.Hour + 8*time.Second} {
		captures = append(captures, captureOf("http://example.com/", first.Add(after), file.Name, int64(i)))
	}
	commit(t, b, captures)
	if got := momentsOf(t, b, captures[1].Time); len(got) != 2 || !got[0].Time.Equal(captures[1].Time) {
		t.Errorf("%+v", got)
	}
	got, err := b.QuietBefore(context.Background(), captures[2].Time, time.Hour)
	if err != nil || got.After(captures[0].Time) {
		t.Errorf("quiet is %v, %v", got, err)
	}
}

// TestHashURL: two spellings of one URL have one hash, and those of one origin its half.
func TestHashURL(t *testing.T) {
	for _, c := range []struct {
		a, b         string
		same, origin bool
	}{
		{"http://example.com", "http://example.com/", true, true},
		{"HTTP://Example.COM:80/a", "http://example.com/a#b", true, true},
		{"https://example.com:443/?q", "https://example.com/?q", true, true},
		{"https://example.com/A", "https://example.com/a", false, true},
		{"http://example.com/", "https://example.com/", false, false},
		{"http://example.com:443/", "http://example.com/", false, false},
		{"http://example.com/?a", "http://example.com/#?a", false, true},
		{"http://example.com#/a", "http://example.com", true, true},
	} {
		a, b := HashURL(c.a), HashURL(c.b)
		if (a == b) != c.same || (a.Origin() == b.Origin()) != c.origin || a == 0 {
			t.Errorf("%s and %s: %x, %x", c.a, c.b, uint64(a), uint64(b))
		}
	}
	for _, none := range []string{"", "urn:view:http://example.com/", "ftp://example.com/", "://"} {
		if HashURL(none) != 0 {
			t.Errorf("%q has a hash", none)
		}
	}
}

// TestPeriod: a period has its seconds from the first to the last.
func TestPeriod(t *testing.T) {
	for _, c := range []struct {
		from, to string
		has      bool
	}{
		{"", "", true}, {"2026", "2026", true}, {"20261121", "", true}, {"20261122", "", false},
		{"", "2025", false}, {"20261121054512", "20261121054512", true}, {"", "20261121054511", false},
		{"20261121054513", "", false}, {"0", "", true}, {"20260230", "20269999", true},
	} {
		p, err := NewPeriod(c.from, c.to)
		if err != nil || p.Has(testTime) != c.has || c.has && p.Begin().After(testTime) {
			t.Errorf("%q to %q: %v, %v, from %v", c.from, c.to, p.Has(testTime), err, p.Begin())
		}
	}
	for from, want := range map[string]string{
		"": "00000101000000", "2026": "20260101000000", "202611": "20261101000000", "2026112": "20261120000000",
		"20261121054512": "20261121054512", "20269999999999": "20261231235959", "20260231": "20260228000000",
		"20240231": "20240229000000", "2026112199": "20261121230000",
		"20240010": "20240101000000", "20240100235959": "20240101000000", "20241300": "20241201000000",
	} {
		p, err := NewPeriod(from, "")
		if got := string(appendSeconds(nil, p.Begin())); got != want || err != nil {
			t.Errorf("%s begins at %s, %v, want %s", from, got, err, want)
		}
	}
	if _, err := NewPeriod("yesterday", ""); err == nil {
		t.Error("yesterday is taken")
	}
}
