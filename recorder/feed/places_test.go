package feed

import (
	"strings"
	"testing"
)

// TestTook: how long an exchange took is known by its place while its event is held, of the newest of
// nearly all, and is never that of another.
func TestTook(t *testing.T) {
	f := New()
	const number = maxEvents + 5000
	for i := range number {
		e := example
		e.Offset, e.MS = int64(i), int64(i)
		f.Publish(&e)
		f.Publish(&Event{Kind: Files, File: e.File})
	}
	known, lately := 0, 0
	for i := range int64(number) {
		ms, is := f.Took(example.File, i)
		if is {
			known++
		}
		if is && (ms != i || number-i > maxEvents/2) {
			t.Fatalf("capture %d took %d", i, ms)
		}
	}
	if known < maxEvents/2*8/10 {
		t.Errorf("of %d captures that are held %d are known", maxEvents/2, known)
	}
	for range 1000 {
		if _, is := f.Took("other", number-1); is {
			t.Fatal("a capture of another file is known")
		}
	}
	for i := int64(number - 200); i < number; i++ {
		if _, is := f.Took(example.File, i); is {
			lately++
		}
	}
	if lately < 190 {
		t.Errorf("of the newest 200 captures %d are known", lately)
	}
	if _, is := f.Took(example.File, number); is {
		t.Error("what is not there is known")
	}
	if _, is := New().Took(example.File, 0); is {
		t.Error("an empty feed knows something")
	}
}

// TestTookIsBounded: what a question reads is the place of one event, however long its URL is, and
// however much there is beside it.
func TestTookIsBounded(t *testing.T) {
	f := New()
	for i := range 500 {
		e := example
		e.Offset = int64(i)
		f.Publish(&e)
	}
	long := example
	long.Offset, long.URL = 500, strings.Repeat("x", 1<<20)
	f.Publish(&long)
	for _, offset := range []int64{1, 500} {
		if n := testing.AllocsPerRun(100, func() { f.Took(example.File, offset) }); n > 0 {
			t.Errorf("a question about %d allocates %v times", offset, n)
		}
		if ms, known := f.Took(example.File, offset); !known || ms != example.MS {
			t.Errorf("capture %d took %d, %v", offset, ms, known)
		}
	}
}
