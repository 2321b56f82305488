package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"time"
)

// checkTotals: the index says that it has so many; -1 revisits are not counted.
func checkTotals(t *testing.T, what string, b *Bolt, captures, revisits, bytes int64, files int) {
	t.Helper()
	got, err := b.Totals()
	if err != nil {
		t.Fatal(what, err)
	}
	counted := int64(-1)
	if got.Revisits != nil {
		counted = *got.Revisits
	}
	if got.Captures != captures || counted != revisits || got.Bytes != bytes || got.Files != files {
		t.Errorf("%s: %+v, %d revisits", what, got, counted)
	}
}

// TestTotals: captures and revisits are counted as they come, are replaced and change what they
// are; files count once they have captures, and while they are there. Opened again, for writing or
// for reading, the index says the same.
func TestTotals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.bolt")
	b, err := openToWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	checkTotals(t, "new", b, 0, 0, 0, 0)
	first, second := addFile(t, b, "first"), addFile(t, b, "second")
	at := time.Date(2026, 11, 22, 16, 0, 0, 0, time.UTC)
	var captures []Capture
	for i := range 10 {
		c := captureOf(fmt.Sprint("http://example.com/", i), at, "first", int64(1000*i))
		if i%3 == 2 {
			c.MIME = revisitMIME
		}
		captures = append(captures, c)
	}
	first.Committed, second.Committed = 10_000, 500
	commit(t, b, captures, first)
	checkTotals(t, "committed", b, 10, 3, 10_000, 1)
	commit(t, b, captures, second)
	checkTotals(t, "again", b, 10, 3, 10_500, 2)
	captures[0].MIME, captures[2].MIME, captures[5].MIME = revisitMIME, "text/html", "text/html"
	commit(t, b, captures)
	checkTotals(t, "changed", b, 10, 2, 10_500, 2)
	second.Missing = true
	commit(t, b, nil, second)
	checkTotals(t, "away", b, 10, 2, 10_000, 1)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	rest, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	checkTotals(t, "at rest", rest, 10, 2, 10_000, 1)
	if b, err = openToWrite(path); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	checkTotals(t, "opened", b, 10, 2, 10_000, 1)
}

// TestTotalsOfOlder: where a program that counts no revisits has recorded they are not told, until
// they are counted anew: at once where that is soon done, else when all of the index is read.
func TestTotalsOfOlder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.bolt")
	b, err := openToWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	addFile(t, b, "first")
	revisit := captureOf("http://example.com/", time.Unix(0, 0), "first", 0)
	revisit.MIME = revisitMIME
	commit(t, b, []Capture{revisit, captureOf("http://example.com/", time.Unix(0, 0), "first", 10)})
	older := binary.BigEndian.AppendUint64(nil, 1) // when the revisits were counted
	for _, value := range [][]byte{append(make([]byte, 8), older...), nil, {1}} {
		if err := put(b, bucketMeta, metaRevisits, value); err != nil {
			t.Fatal(err)
		}
		if err := b.recount(1); err != nil {
			t.Fatal(err)
		}
		checkTotals(t, "too many", b, 2, -1, 0, 0)
		commit(t, b, []Capture{captureOf("http://example.com/", time.Unix(0, 0), "first", 10)})
		checkTotals(t, "still too many", b, 2, -1, 0, 0)
		if err := b.recount(math.MaxInt64); err != nil {
			t.Fatal(err)
		}
		checkTotals(t, "counted", b, 2, 1, 0, 0)
		if err := put(b, bucketMeta, metaRevisits, value); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if b, err = openToWrite(path); err != nil {
			t.Fatal(err)
		}
		checkTotals(t, "opened", b, 2, 1, 0, 0)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		rest, err := OpenReadOnly(path)
		if err != nil {
			t.Fatal(err)
		}
		checkTotals(t, "opened and closed", rest, 2, 1, 0, 0)
		if err := rest.Close(); err != nil {
			t.Fatal(err)
		}
		if b, err = openToWrite(path); err != nil {
			t.Fatal(err)
		}
	}
	c := revisit
	c.Offset = 20
	commit(t, b, []Capture{c})
	checkTotals(t, "one more", b, 3, 2, 0, 0)
	b.Close()
	rest, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	checkTotals(t, "stored", rest, 3, 2, 0, 0)
}
