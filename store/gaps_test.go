package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func addGaps(t testing.TB, b *Bolt, gaps []Gap, more map[string]int64) {
	t.Helper()
	if err := b.AddGaps(gaps, more); err != nil {
		t.Fatal(err)
	}
}

func gapsOf(t testing.TB, b *Bolt, limit int) Gaps {
	t.Helper()
	g, err := b.Gaps(limit)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// newestFirst returns gaps as the index gives them.
func newestFirst(gaps []Gap) []Gap {
	gaps = slices.Clone(gaps)
	slices.Reverse(gaps)
	return gaps
}

func TestGaps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.bolt")
	b, err := openToWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := gapsOf(t, b, 0); got.Counts == nil || len(got.Counts)+len(got.Latest) != 0 {
		t.Errorf("a new index has %+v", got)
	}
	addGaps(t, b, nil, nil)
	addGaps(t, b, nil, map[string]int64{"memory": 7, "none": 0, "less": -3})
	gaps := manyGaps(5)
	gaps[1].Reason, gaps[2].Detail, gaps[3].URL = "memory", "", ""
	gaps[4].Visit = Visit{DestFrame, SiteCross, Told | Navigates, HashURL("https://example.org/"), 0}
	addGaps(t, b, gaps[:2], nil)
	addGaps(t, b, gaps[2:], map[string]int64{"upstream": 10})
	check := func(b *Bolt) {
		t.Helper()
		want := Gaps{map[string]int64{"memory": 8, "upstream": 14}, newestFirst(gaps)}
		if got := gapsOf(t, b, 0); !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
		want.Latest = want.Latest[:2]
		if got := gapsOf(t, b, 2); !reflect.DeepEqual(got, want) {
			t.Errorf("two: %+v", got)
		}
		if got := gapsOf(t, b, 100); len(got.Latest) != 5 {
			t.Errorf("a hundred: %+v", got)
		}
	}
	check(b)
	b.Close()
	for _, open := range []func(string) (*Bolt, error){OpenReadOnly, openToWrite} {
		if b, err = open(path); err != nil {
			t.Fatal(err)
		}
		check(b)
		b.Close()
	}
	if b, err = OpenReadOnly(path); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.AddGaps(gaps, nil); err == nil {
		t.Error("added to an index that is open for reading")
	}
}

// TestOldestGapsGo: the newest stay, all are counted.
func TestOldestGapsGo(t *testing.T) {
	b := newIndex(t)
	all := manyGaps(2*MaxGaps + 2345)
	for _, part := range [][]Gap{all[:1000], all[1000 : MaxGaps-1], all[MaxGaps-1 : MaxGaps+1],
		all[MaxGaps+1 : MaxGaps+1000], all[MaxGaps+1000:]} {
		addGaps(t, b, part, nil)
	}
	got := gapsOf(t, b, 0)
	if got.Counts["upstream"] != int64(len(all)) ||
		!reflect.DeepEqual(got.Latest, newestFirst(all[len(all)-MaxGaps:])) {
		t.Errorf("%v, %d of them, %v to %v", got.Counts, len(got.Latest), got.Latest[0],
			got.Latest[len(got.Latest)-1])
	}
	addGaps(t, b, all[:1], nil)
	if got = gapsOf(t, b, 0); len(got.Latest) != MaxGaps || got.Latest[0] != all[0] ||
		got.Latest[MaxGaps-1] != all[len(all)-MaxGaps+1] {
		t.Errorf("one more: %d, %v to %v", len(got.Latest), got.Latest[0], got.Latest[len(got.Latest)-1])
	}
}

// TestManyReasons: so many are counted one by one, the others together.
func TestManyReasons(t *testing.T) {
	b := newIndex(t)
	for i := range maxReasons + 10 {
		reason := fmt.Sprintf("reason %03d", i)
		addGaps(t, b, []Gap{{Time: testTime, Reason: reason}}, map[string]int64{reason: 2})
	}
	addGaps(t, b, []Gap{{Time: testTime}, {Time: testTime, Reason: "reason 000"}},
		map[string]int64{otherReason: 100})
	got := gapsOf(t, b, 1)
	if len(got.Counts) != maxReasons+1 || got.Counts["reason 000"] != 4 ||
		got.Counts["reason 063"] != 3 || got.Counts[otherReason] != 131 {
		t.Errorf("%d reasons: %v", len(got.Counts), got.Counts)
	}
	all := gapsOf(t, b, 0)
	if r := all.Latest[2].Reason; r != "reason 073" {
		t.Errorf("its own reason is %q", r)
	}
}

func TestGapTexts(t *testing.T) {
	b := newIndex(t)
	long := strings.Repeat("é", 3000)
	for _, test := range []struct{ in, want Gap }{
		{Gap{Reason: long, URL: long, Detail: long},
			Gap{Reason: long[:64], URL: long[:2048], Detail: long[:1024]}},
		{Gap{Reason: "x" + long, URL: "x" + long, Detail: "x" + long},
			Gap{Reason: "x" + long[:62], URL: "x" + long[:2046], Detail: "x" + long[:1022]}},
		{Gap{Reason: "r", URL: "a\xffb", Detail: strings.Repeat("\x80", 5000)},
			Gap{Reason: "r", URL: "a\uFFFDb", Detail: "\uFFFD"}},
		{Gap{Reason: "\xff"}, Gap{Reason: "\uFFFD"}},
		{Gap{}, Gap{Reason: "other"}},
	} {
		test.in.Time, test.want.Time = testTime, testTime.UTC()
		addGaps(t, b, []Gap{test.in}, nil)
		got := gapsOf(t, b, 1).Latest[0]
		got.Time, test.want.Time = time.Time{}, time.Time{}
		if got != test.want {
			t.Errorf("got  %+v\nwant %+v", got, test.want)
		}
		if !utf8.ValidString(got.Reason + got.URL + got.Detail) {
			t.Errorf("%+v is no UTF-8", got)
		}
	}
}

func TestGapTimes(t *testing.T) {
	b := newIndex(t)
	precise := time.Date(2026, 11, 21, 5, 45, 12, 123456789, time.FixedZone("", 3600))
	old := time.Date(1931, 1, 2, 3, 4, 5, 6000, time.UTC)
	for in, want := range map[time.Time]time.Time{
		precise: time.Date(2026, 11, 21, 4, 45, 12, 123456000, time.UTC),
		old:     old,
		{}:      {},
		time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC):  firstTime,
		time.Date(1e6, 1, 1, 0, 0, 0, 0, time.UTC): lastTime,
	} {
		addGaps(t, b, []Gap{{Time: in}}, nil)
		if got := gapsOf(t, b, 1).Latest[0].Time; got != want {
			t.Errorf("%v became %v", in, got)
		}
	}
}

// TestGapsOfOldIndex: one without their bucket has no gaps, and gets them.
func TestGapsOfOldIndex(t *testing.T) {
	b := newIndex(t)
	path := b.writing.db.Path()
	addGaps(t, b, manyGaps(1), nil)
	tx, err := b.writing.db.Begin(true)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(tx.DeleteBucket(bucketGaps),
		tx.Bucket(bucketMeta).Delete([]byte("gap upstream")), tx.Commit()); err != nil {
		t.Fatal(err)
	}
	b.Close()
	if b, err = OpenReadOnly(path); err != nil {
		t.Fatal(err)
	}
	if got := gapsOf(t, b, 0); len(got.Counts)+len(got.Latest) != 0 {
		t.Errorf("got %+v", got)
	}
	b.Close()
	if b, err = openToWrite(path); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	addGaps(t, b, manyGaps(2), nil)
	if got := gapsOf(t, b, 0); got.Counts["upstream"] != 2 || len(got.Latest) != 2 {
		t.Errorf("then %+v", got)
	}
}

func TestDamagedGaps(t *testing.T) {
	good := manyGaps(1)[0].appendValue(nil)
	key := []byte{0, 0, 0, 0, 0, 0, 0, 9}
	for name, test := range map[string]struct{ bucket, key, value []byte }{
		"no value":      {bucketGaps, key, nil},
		"other version": {bucketGaps, key, append([]byte{2}, good[1:]...)},
		"no visit":      {bucketGaps, key, append([]byte{3}, good[1:9]...)},
		"short value":   {bucketGaps, key, good[:len(good)-1]},
		"long value":    {bucketGaps, key, append(good[:len(good):len(good)], 0)},
		"short count":   {bucketMeta, []byte("gap x"), []byte{1}},
		"count below 0": {bucketMeta, []byte("gap x"), []byte{0xff, 0, 0, 0, 0, 0, 0, 0}},
	} {
		b := newIndex(t)
		addGaps(t, b, manyGaps(1), nil)
		if err := put(b, test.bucket, test.key, test.value); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Gaps(0); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, key := range map[string][]byte{"short key": []byte("x"),
		"last key": []byte("\xff\xff\xff\xff\xff\xff\xff\xff")} {
		b := newIndex(t)
		addGaps(t, b, manyGaps(1), nil)
		if err := put(b, bucketGaps, key, good); err != nil {
			t.Fatal(err)
		}
		if err := b.AddGaps(manyGaps(1), nil); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzDecodeGap: whatever stands in the index, it is decoded or refused; what is decoded is stored
// again as it was.
func FuzzDecodeGap(f *testing.F) {
	f.Add(manyGaps(1)[0].appendValue(nil))
	seen := manyGaps(1)[0]
	seen.Visit.Dest = DestScript
	f.Add(seen.appendValue(nil))
	f.Fuzz(func(t *testing.T, value []byte) {
		g, err := decodeGap(value)
		if err != nil {
			return
		}
		again, err := decodeGap(g.appendValue(nil))
		if err != nil {
			t.Fatal(err)
		}
		if third, err := decodeGap(again.appendValue(nil)); err != nil || third != again {
			t.Fatalf("%+v became %+v, %v", again, third, err)
		}
	})
}

// BenchmarkAddGaps adds 1000 to as many as are kept.
func BenchmarkAddGaps(b *testing.B) {
	index := newIndex(b)
	addGaps(b, index, manyGaps(MaxGaps), nil)
	gaps := manyGaps(1000)
	b.ReportAllocs()
	for b.Loop() {
		addGaps(b, index, gaps, nil)
	}
}
