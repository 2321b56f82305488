package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestOriginal(t *testing.T) {
	b := newIndex(t)
	file, other := addFile(t, b, "a.warc.gz"), addFile(t, b, "b.warc.gz")
	at := time.Date(2026, 11, 21, 6, 45, 12, 123_456_000, time.UTC)
	for i, o := range []Original{
		{Key: OriginalKey{1}, RecordID: [16]byte{15: 7}, Time: at,
			Digest: "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", URL: "http://example.com/"},
		{Key: OriginalKey{2}, Time: at.Truncate(time.Second), Seconds: true,
			Digest: "sha256:" + strings.Repeat("0", 64), URL: "http://example.com/?\xff"},
		{Key: OriginalKey{3}, Time: time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)},
		{Key: OriginalKey{4}, Time: at, Digest: "sha1:3i42h3s6nnfq2msvx7xzkyayscx5qbyj",
			URL: strings.Repeat("x", 1<<20)},
	} {
		if _, found, err := b.Original(o.Key); found || err != nil {
			t.Fatalf("found before it is there, %v", err)
		}
		c := captureOf("http://example.com/", at, file.Name, int64(i))
		if i > 0 {
			c.File = other.Name
		}
		c.Original = &o
		commit(t, b, []Capture{c})
		if o.File = file.Name; i > 0 {
			o.File = other.Name
		}
		if got, found, err := b.Original(o.Key); got != o || !found || err != nil {
			t.Errorf("got %+v, %v, %v; want %+v", got, found, err, o)
		}
	}
	for _, c := range allOf(t, b, Query{}) {
		if c.Original != nil {
			t.Error("Captures fills Original")
		}
	}
}

// TestOriginalLatest checks that the latest of several counts, in whatever order they come.
func TestOriginalLatest(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	at := func(second int, id byte) Capture {
		c := captureOf("http://example.com/", testTime, file.Name, int64(second))
		c.Original = &Original{
			Time:     testTime.Add(time.Duration(second) * time.Second),
			RecordID: [16]byte{id},
		}
		return c
	}
	for _, step := range []struct {
		captures []Capture
		want     byte
	}{
		{[]Capture{at(5, 1)}, 1},
		{[]Capture{at(3, 2)}, 1},
		{[]Capture{at(7, 3), at(9, 4), at(8, 5)}, 4},
		{[]Capture{at(9, 6)}, 6}, // committed once more
	} {
		commit(t, b, step.captures)
		if o, _, err := b.Original(OriginalKey{}); o.RecordID[0] != step.want || err != nil {
			t.Errorf("got %d, %v; want %d", o.RecordID[0], err, step.want)
		}
	}
}

func TestOriginalDamaged(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	c := captureOf("http://example.com/", testTime, file.Name, 0)
	c.Original = &Original{Digest: c.Digest}
	commit(t, b, []Capture{c})
	whole := c.Original.appendValue(nil, 1)
	for n := range originalHead + 21 {
		key := OriginalKey{byte(n), 1}
		if err := put(b, bucketDedup, key[:], whole[:n]); err != nil {
			t.Fatal(err)
		}
		if _, _, err := b.Original(key); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if err := put(b, bucketDedup, c.Original.Key[:], c.Original.appendValue(nil, 2)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Original(c.Original.Key); err == nil {
		t.Error("there is no such file")
	}
}

func TestNewest(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	var captures []Capture
	for i := range 5 {
		captures = append(captures, captureOf("http://example.com/b",
			testTime.Add(time.Duration(i)*time.Second), file.Name, int64(i)))
	}
	long := "http://example.com/z/" + strings.Repeat("z", maxURLKey)
	captures = append(captures,
		captureOf("http://example.com/a", testTime, file.Name, 10),
		captureOf("http://example.com/b/c", testTime, file.Name, 11),
		captureOf("http://example.com/z", testTime, file.Name, 12),
		captureOf(long, testTime, file.Name, 13))
	commit(t, b, captures)
	for _, test := range []struct {
		url  string
		fits func(*Capture) bool
		want int64 // offset; -1 if none
	}{
		{"http://example.com/b", func(*Capture) bool { return true }, 4},
		{"http://example.com/b", func(c *Capture) bool { return c.Offset < 2 }, 1},
		{"http://example.com/b", func(c *Capture) bool { return c.Offset > 4 }, -1},
		{"http://example.com/a", func(*Capture) bool { return true }, 10},
		{"http://example.com/z", func(*Capture) bool { return true }, 12}, // the last key but one
		{"http://example.com/0", func(*Capture) bool { return true }, -1},
		{"http://example.com/zz", func(*Capture) bool { return true }, -1},
		{captures[8].URL, func(*Capture) bool { return true }, -1},
	} {
		newest, err := b.Newest(test.url, 1, test.fits)
		if found := len(newest) == 1; found != (test.want >= 0) || err != nil ||
			found && (newest[0].Offset != test.want || newest[0].File != file.Name) {
			t.Errorf("%.40s: %+v, %v; want offset %d", test.url, newest, err, test.want)
		}
	}
}

// TestNewestOfMany: the latest ones come first, no more than are asked for, and none that is not
// among the newest 1000.
func TestNewestOfMany(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	var captures []Capture
	for i := range maxNewest + 5 {
		captures = append(captures, captureOf("http://example.com/b",
			testTime.Add(time.Duration(i)*time.Second), file.Name, int64(i)))
	}
	commit(t, b, captures)
	for _, test := range []struct {
		most int
		fits func(*Capture) bool
		want []int64 // offsets
	}{
		{3, func(*Capture) bool { return true }, []int64{1004, 1003, 1002}},
		{3, func(c *Capture) bool { return c.Offset%500 == 0 }, []int64{1000, 500}},
		{3, func(c *Capture) bool { return c.Offset < 6 }, []int64{5}},
		{3, func(c *Capture) bool { return c.Offset < 5 }, nil},
	} {
		looked := 0
		newest, err := b.Newest("http://example.com/b", test.most, func(c *Capture) bool {
			looked++
			return test.fits(c)
		})
		var got []int64
		for _, c := range newest {
			got = append(got, c.Offset)
		}
		if err != nil || !slices.Equal(got, test.want) || looked > maxNewest {
			t.Errorf("%v, %v, looked at %d; want %v", got, err, looked, test.want)
		}
	}
}

func TestOriginalAt(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	var captures []Capture
	for i := range 3 {
		captures = append(captures, captureOf("http://example.com/b",
			testTime.Add(time.Duration(i)*time.Millisecond), file.Name, int64(i)))
	}
	commit(t, b, captures)
	all := func(*Capture) bool { return true }
	for i := range captures {
		if c, found, err := b.At("http://example.com/b", captures[i].Time, all); !found || err != nil ||
			c.Offset != int64(i) {
			t.Errorf("%+v, %v, %v; want offset %d", c.Location, found, err, i)
		}
	}
	if _, found, err := b.At("http://example.com/b", testTime.Add(-time.Millisecond), all); found ||
		err != nil {
		t.Errorf("%v, %v", found, err)
	}
	if _, found, err := b.At("http://example.com/a", testTime, all); found || err != nil {
		t.Errorf("%v, %v", found, err)
	}
}

// BenchmarkOriginal looks up one of 100,000.
func BenchmarkOriginal(b *testing.B) {
	index := newIndex(b)
	file := addFile(b, index, "a.warc.gz")
	key := func(n int) (k OriginalKey) {
		copy(k[:], fmt.Sprintf("%x", n*2654435761%100_003))
		return k
	}
	var captures []Capture
	for i := range 100_000 {
		c := captureOf("http://example.com/", testTime, file.Name, int64(i))
		c.Original = &Original{Key: key(i), Digest: c.Digest, URL: c.URL}
		captures = append(captures, c)
	}
	commit(b, index, captures)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		if _, found, err := index.Original(key(n % 100_000)); !found || err != nil {
			b.Fatal(found, err)
		}
		n++
	}
}
