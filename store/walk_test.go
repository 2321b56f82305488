package store

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/canon"
)

// manyKinds are captures with keys of every form, of which several are of one second, and with such
// as are left out.
func manyKinds(t testing.TB, b *Bolt) []Capture {
	t.Helper()
	file := addFile(t, b, "w.warc.gz")
	random := rand.New(rand.NewPCG(7, 8))
	var all []Capture
	add := func(c Capture) {
		c.Time = testTime.Add(time.Duration(random.IntN(8000)-4000) * time.Millisecond)
		c.Location = Location{File: file.Name, Offset: int64(len(all)), Length: 1}
		c.Entity = uint32(random.IntN(3))
		switch random.IntN(8) {
		case 0:
			c.Status = 304
		case 1, 2:
			c.Status = 206
		case 3:
			c.Truncated = true
		}
		all = append(all, c)
	}
	for _, host := range []string{"example.com", "sub.example.com"} {
		for _, length := range []int{0, maxCutKey - 30, maxCutKey, maxURLKey + 10} {
			url := "http://" + host + "/p?q=" + strings.Repeat("a", length)
			for range 5 {
				add(captureOf(url, testTime, "", 0))
				add(captureOf(url+"b", testTime, "", 0))
				keyer := Keyer{}
				for _, body := range []string{"b", strings.Repeat("c", maxPlainQuery+random.IntN(3)+5)} {
					c := Capture{URL: url, Method: "POST", Status: 200}
					keyer.Fill(&c, canon.Request{ContentType: "application/x-www-form-urlencoded",
						Body: []byte("a=" + body), BodyLen: int64(2 + len(body))})
					add(c)
				}
			}
		}
	}
	commit(t, b, all, File{ID: file.ID, Committed: int64(len(all))})
	return all
}

// someQueries are queries of manyKinds.
func someQueries() (queries []Query) {
	base := "http://example.com/p?q="
	deep := base + strings.Repeat("a", maxCutKey)
	for _, q := range []Query{
		{}, {URL: base}, {URL: base + "a"}, {URL: deep}, {URL: deep, Match: Prefix},
		{URL: base + strings.Repeat("a", maxURLKey+10)}, {URL: "http://example.com/", Match: Host},
		{URL: "http://example.com/", Match: Domain}, {URL: base, Match: Prefix},
		{URL: base + strings.Repeat("a", maxURLKey), Match: Prefix},
		{URL: canon.Pywb.Append(base, "POST", "a="+strings.Repeat("c", maxPlainQuery+5))},
		{URL: deep + "&zz", Match: Prefix},
		{URL: base + "&__wb_method=post&a=" + strings.Repeat("c", 600), Match: Prefix},
	} {
		for _, times := range [][2]string{{"", ""}, {"20261121054511", "20261121054513"},
			{"20261121054514", ""}, {"", "2026112105451"}} {
			q.From, q.To = times[0], times[1]
			queries = append(queries, q)
			q.All = true
			queries = append(queries, q)
			q.All = false
		}
	}
	return queries
}

// walked returns the lines of a walk.
func walked(t *testing.T, b *Bolt, w Walk) (lines []string) {
	t.Helper()
	err := b.Walk(w, func(c *Capture) bool {
		lines = append(lines, string(c.AppendCDXJ(nil)))
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestWalk: a walk has the lines of an export, backwards in the opposite order, and its parts have
// them one after another, wherever they are divided.
func TestWalk(t *testing.T) {
	openBoth(t, manyKinds, func(t *testing.T, b *Bolt, all []Capture) {
		for _, q := range someQueries() {
			text, _ := exportOf(t, b, q)
			want := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			if text == "" {
				want = nil
			}
			if got := walked(t, b, Walk{Query: q}); !slices.Equal(got, want) {
				t.Fatalf("%+v: %d lines, and not %d", q, len(got), len(want))
			}
			got := walked(t, b, Walk{Query: q, Back: true})
			if slices.Reverse(got); !slices.Equal(got, want) {
				t.Fatalf("%+v backwards: %d lines, and not %d", q, len(got), len(want))
			}
			for _, each := range []int{7} {
				checkPlaces(t, b, q, each, want)
			}
		}
	})
}

// checkPlaces divides what q selects into parts, and compares their lines.
func checkPlaces(t *testing.T, b *Bolt, q Query, each int, want []string) {
	t.Helper()
	ends := []Place{{}}
	all, err := b.Count()
	if err != nil {
		t.Fatal(err)
	}
	d, err := q.Divide(each)
	most := math.MaxInt
	for err == nil && !d.IsOver() {
		var places []Place
		n := 0
		most = min(most, d.Most(len(ends)-1, int(all)))
		if places, n, err = b.Divide(t.Context(), d, 11, 0); n > 11 {
			t.Fatalf("%d captures at once", n)
		}
		for _, p := range places {
			ends = append(ends, PlaceFrom(p.String()))
		}
	}
	if err != nil || most < len(ends) {
		t.Fatalf("%d parts, and at most %d were said: %v", len(ends), most, err)
	}
	ends = append(ends, Place{})
	var got []string
	for i := range ends[1:] {
		part := Walk{Query: q, From: ends[i], Until: ends[i+1]}
		lines := walked(t, b, part)
		got = append(got, lines...)
		part.Back = true
		if back := walked(t, b, part); len(back) != len(lines) {
			t.Fatalf("%+v: a part has %d lines, and backwards %d", q, len(lines), len(back))
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%+v in parts of %d: %d lines, and not %d", q, each, len(got), len(want))
	}
}

// TestWalkGoesOn: from a Place that Look is told, a walk goes on with what comes next; from that of a
// capture with what belongs together with it.
func TestWalkGoesOn(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "w.warc.gz")
	var all []Capture
	for i := range 3 * sliceKeys {
		all = append(all, captureOf(fmt.Sprintf("http://example.com/%d", i/2), testTime, file.Name, int64(i)))
	}
	commit(t, b, all)
	want := walked(t, b, Walk{})
	stop := errors.New("stop")
	var next Place
	told := 0
	w := Walk{Look: func(looked int, place Place) error {
		next = place
		if told += looked; told > looked {
			return stop
		}
		return nil
	}}
	err := b.Walk(w, func(*Capture) bool { return true })
	if !errors.Is(err, stop) || next == (Place{}) {
		t.Fatalf("error %v at %q", err, next)
	}
	if rest := walked(t, b, Walk{From: next}); len(rest) != len(want)-told {
		t.Errorf("%d captures and then %d, of %d", told, len(rest), len(want))
	}
	c := captureOf("http://example.com/7", testTime, file.Name, 0)
	if rest := walked(t, b, Walk{From: PlaceOf(&c)}); !strings.HasPrefix(rest[0], "com,example)/7 ") ||
		!strings.HasPrefix(rest[1], "com,example)/7 ") {
		t.Errorf("from a capture on: %s", rest[:2])
	}
}

// TestPlaceOf: on the way of a walk the places of captures do not go back, whatever their keys are. From
// a place on there are the captures of it and what follows, and before it the others.
func TestPlaceOf(t *testing.T) {
	for _, withCut := range []bool{false, true} {
		b := newIndex(t)
		file := addFile(t, b, "w.warc.gz")
		var all []Capture
		add := func(c Capture) {
			c.Location = Location{File: file.Name, Offset: int64(len(all)), Length: 1}
			all = append(all, c)
		}
		host := len("com,example)/")
		for _, length := range []int{1, maxCutKey - 1, maxCutKey} {
			url := "http://example.com/" + strings.Repeat("a", max(length-host, 1))
			for i, more := range []string{"", "!", "!!", "0", "x", "x" + strings.Repeat("y", maxURLKey)} {
				add(captureOf(url+more, testTime.Add(time.Duration(i%3)*time.Second), "", 0))
				add(captureOf(url+more, testTime.Add(time.Second), "", 0))
			}
			if withCut {
				c := Capture{URL: url, Method: "POST", Status: 200, Time: testTime}
				body := []byte("a=" + strings.Repeat("c", maxPlainQuery+5))
				(&Keyer{}).Fill(&c, canon.Request{ContentType: "application/x-www-form-urlencoded",
					Body: body, BodyLen: int64(len(body))})
				add(c)
			}
		}
		commit(t, b, all)
		var places []string
		if err := b.Walk(Walk{}, func(c *Capture) bool {
			places = append(places, PlaceOf(c).String())
			return true
		}); err != nil {
			t.Fatal(err)
		}
		if len(places) != len(all) || !slices.IsSorted(places) {
			t.Errorf("%d places, with cut keys %v, in order %v", len(places), withCut, slices.IsSorted(places))
		}
		want := walked(t, b, Walk{})
		for _, place := range places {
			first, _ := slices.BinarySearch(places, place)
			before, rest := walked(t, b, Walk{Until: PlaceFrom(place)}), walked(t, b, Walk{From: PlaceFrom(place)})
			back := walked(t, b, Walk{Until: PlaceFrom(place), Back: true})
			slices.Reverse(back)
			if !slices.Equal(before, want[:first]) || !slices.Equal(rest, want[first:]) ||
				!slices.Equal(back, before) {
				t.Fatalf("%q: %d captures before, %d behind, not %d of %d", place, len(before), len(rest),
					first, len(want))
			}
		}
	}
}

// TestOutwards compares captures outwards from a moment with all of them in that order.
func TestOutwards(t *testing.T) {
	openBoth(t, manyKinds, func(t *testing.T, b *Bolt, all []Capture) {
		for _, q := range someQueries() {
			if cmp.Or(q.Match, Exact) != Exact || q.URL == "" {
				continue
			}
			var want []Capture
			if err := b.Replayable(q, func(c *Capture) bool { want = append(want, *c); return true }); err != nil {
				t.Fatal(err)
			}
			for _, at := range []time.Time{testTime, testTime.Add(-time.Hour), testTime.Add(3 * time.Second),
				testTime.AddDate(100, 0, 0), testTime.AddDate(-2026, 0, 0)} {
				distance := func(c Capture) int64 {
					return max(c.Time.Unix()-at.Unix(), at.Unix()-c.Time.Unix())
				}
				slices.SortStableFunc(want, func(a, b Capture) int {
					return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(a.Time.Unix(), b.Time.Unix()))
				})
				var got []Capture
				err := b.Outwards(Walk{Query: q}, at, func(c *Capture) bool { got = append(got, *c); return true })
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("%+v from %s: %d captures, not %d, %v", q, at, len(got), len(want), err)
				}
			}
		}
	})
}

// TestOutwardsLooks: of very many captures no more are looked at than are wanted, or some more.
func TestOutwardsLooks(t *testing.T) {
	path, _ := manyOf(t, 6000)
	b, err := openToWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for most, looks := range map[int]int{1: 4, 100: 300, 1000: 2400} {
		looked, got := 0, 0
		w := Walk{Query: Query{URL: "http://example.com/page?a=b"}, Look: func(n int, _ Place) error {
			looked += n
			return nil
		}}
		for _, back := range []bool{false, true} {
			if w.Back, looked, got = back, 0, 0; back {
				err = b.Walk(w, func(*Capture) bool { got++; return got < most })
			} else {
				err = b.Outwards(w, testTime.Add(3000*time.Second),
					func(*Capture) bool { got++; return got < most })
			}
			if err != nil || got != most || looked > looks {
				t.Errorf("for %d, back %v: %d captures, %d looked at, %v", most, back, got, looked, err)
			}
		}
	}
}
