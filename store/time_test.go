package store

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

// oddTimes are times in their order.
func oddTimes() []time.Time {
	return []time.Time{
		time.Unix(-1<<62, 0),
		time.Date(-100_000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(-1, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
		time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(0, 1, 1, 0, 30, 0, 0, time.UTC),
		{},
		time.Date(999, 12, 31, 23, 59, 59, 0, time.UTC),
		time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(1969, 12, 31, 23, 59, 59, 999_000_000, time.UTC),
		time.Unix(0, 0),
		time.Date(2026, 11, 21, 0, 30, 0, 0, time.FixedZone("", 3600)), // the day before, in UTC
		time.Date(2026, 11, 21, 0, 0, 0, 1_000_000, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
		time.Date(10_000, 1, 1, 0, 0, 0, 0, time.FixedZone("", -3600)),
		time.Date(10_000, 6, 1, 0, 0, 0, 0, time.UTC),
		time.Date(12_026, 1, 2, 0, 0, 0, 0, time.UTC),
		time.Unix(1<<62, 0),
	}
}

// TestOddTimes: whatever the time, captures lie in its order, each is its own, and its line has a
// timestamp of 14 digits.
func TestOddTimes(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	var batch []Capture
	for i, at := range oddTimes() {
		batch = append(batch, captureOf("http://example.com/", at, file.Name, int64(1000*(i+1))))
	}
	backwards := slices.Clone(batch)
	slices.Reverse(backwards)
	commit(t, b, backwards, file)
	all := allOf(t, b, Query{})
	if len(all) != len(batch) {
		t.Fatalf("%d captures, want %d", len(all), len(batch))
	}
	for i, c := range all {
		want := FourDigitYear(batch[i].Time).Truncate(time.Microsecond)
		if !c.Time.Equal(want) || c.Offset != batch[i].Offset {
			t.Errorf("%d: %v at %d, want %v at %d", i, c.Time, c.Offset, want, batch[i].Offset)
		}
		if line, before := string(c.AppendCDXJ(nil)), string(batch[i].AppendCDXJ(nil)); line != before {
			t.Errorf("%d: line %s\nbefore it was stored %s", i, line, before)
		} else if ts := strings.Fields(line)[1]; len(ts) != 14 || strings.Trim(ts, "0123456789") != "" {
			t.Errorf("%d: %s", i, line)
		}
	}
	var out bytes.Buffer
	if _, err := b.Export(&out, Query{}, nil); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSuffix(out.String(), "\n"),
		"\n"); len(lines) != len(batch) || !slices.IsSorted(lines) {
		t.Errorf("lines are not sorted:\n%s", &out)
	}
}

// TestKeysSortAsTimes: of keys with the same SURT, the later time has the later key.
func TestKeysSortAsTimes(t *testing.T) {
	var last []byte
	for i, at := range oddTimes() {
		key := appendKey(nil, []byte("com,example)/"), at, 1, int64(i))
		if bytes.Compare(last, key) >= 0 {
			t.Errorf("%v has the key %q, not behind %q", at, key, last)
		}
		got, err := indexKey(key).time()
		if err != nil || !got.Equal(FourDigitYear(at).Truncate(time.Millisecond)) {
			t.Errorf("%v: the key says %v, %v", at, got, err)
		}
		last = key
	}
}
