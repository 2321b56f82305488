package tombstone

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"warcorder/store/warc"
)

// recordOf is a tombstone as it is read from a file.
func recordOf(t *testing.T, block []byte) *warc.Record {
	t.Helper()
	head := Header(warc.Version, "<urn:uuid:1>", "", time.Unix(0, 0), block)
	text := string(head) + string(block) + warc.RecordEnd
	r, err := warc.NewForeignReader(strings.NewReader(text), "a.warc", 0)
	if err != nil {
		t.Fatal(err)
	}
	record, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// TestRead: what a tombstone tells is what was said, whatever the captures are called; what is none tells
// nothing, and a block has a bound.
func TestRead(t *testing.T) {
	var l List
	l.Add("2026-05-01T12:00:00Z", "sha1:A", "https://example.com/a b")
	l.Add("2026-05-01T12:00:01Z", "", "https://example.com/captures: 7")
	f := Facts{ID: "<urn:uuid:1>", Time: time.Unix(1e9, 0), Reason: "captured", Captures: 5, Records: 9}
	got := ""
	note := func(told Told, c Captured) error {
		got += fmt.Sprintf("%s|%s|%s|%s\n", told.Removed, c.Date, c.Digest, c.URI)
		return nil
	}
	told, is, err := Read(recordOf(t, Block(&f, &l)), note)
	const want = "2001-09-09T01:46:40Z|2026-05-01T12:00:00Z|sha1:A|https://example.com/a b\n" +
		"2001-09-09T01:46:40Z|2026-05-01T12:00:01Z||https://example.com/captures: 7\n"
	if err != nil || !is || told != (Told{"2001-09-09T01:46:40Z", 5, 2}) || got != want {
		t.Errorf("%+v %v %v\n%s", told, is, err, got)
	}
	if _, is, err := Read(recordOf(t, []byte("other: field\r\n")), note); is || err != nil {
		t.Errorf("what is none: %v %v", is, err)
	}
	long := append(Block(&f, &List{}), make([]byte, MaxBlock)...)
	if _, is, err := Read(recordOf(t, long), note); is || err == nil {
		t.Errorf("what is too long: %v %v", is, err)
	}
	broken := errors.New("broken")
	_, _, err = Read(recordOf(t, Block(&f, &l)), func(Told, Captured) error { return broken })
	if !errors.Is(err, broken) {
		t.Error(err)
	}
}
