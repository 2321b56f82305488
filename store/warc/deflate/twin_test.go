package deflate

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "write testdata anew")

// TestStreams has the streams of all texts, as hashes. The unsafe loads and their twin, built with
// the tag purego, must both make these. That the twin makes them at all shows that the unsafe ones
// stay within their slices.
func TestStreams(t *testing.T) {
	const golden = "testdata/streams.txt"
	var got bytes.Buffer
	all := texts()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, way := range ways {
			stream := way.encode(all[name])
			fmt.Fprintf(&got, "%x %7d %s, %s\n", sha256.Sum256(stream), len(stream), name, way.name)
		}
	}
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	wanted := bytes.Split(want, []byte("\n"))
	for i, line := range bytes.Split(got.Bytes(), []byte("\n")) {
		if i >= len(wanted) || !bytes.Equal(line, wanted[i]) {
			t.Fatalf("line %d of %s: another stream: %s", i+1, golden, line)
		}
	}
}

// ways are what a recorder does with a text.
var ways = []struct {
	name   string
	encode func(text []byte) []byte
}{
	{"as a body", func(text []byte) []byte { return encoded(text, Body) }},
	{"as a head", func(text []byte) []byte { return encoded(text, Head) }},
	{"in pieces", func(text []byte) []byte {
		var e Encoder
		var stream []byte
		e.Begin(nil)
		for piece := range slices.Chunk(text, maxStored) {
			e.Continue(piece)
			stream = append(stream, e.Take()...)
		}
		e.Deflate(nil, Body, true)
		return append(stream, e.End()...)
	}},
}

func encoded(text []byte, kind Kind) []byte {
	var e Encoder
	e.Begin(nil)
	e.Deflate(text, kind, true)
	return e.End()
}
