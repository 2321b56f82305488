package warc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestForeignDictionary has files whose frames need the dictionary that they begin with.
func TestForeignDictionary(t *testing.T) {
	var samples [][]byte
	for i := range 200 {
		samples = append(samples, []byte(foreignRecord(i, fmt.Sprintf(
			"<html><head><title>page %d</title></head><body>some text that is on every page</body></html>",
			i*7919))))
	}
	dictionary, err := zstd.BuildDict(zstd.BuildDictOptions{
		ID:       4711,
		Contents: samples,
		History:  bytes.Join(samples[:20], nil),
		Offsets:  [3]int{1, 4, 8},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"as it is": dictionary, "compressed": zstandard(t, string(dictionary)),
	} {
		file := binary.LittleEndian.AppendUint32(nil, dictionaryMagic)
		file = binary.LittleEndian.AppendUint32(file, uint32(len(content)))
		file = append(file, content...)
		first := int64(len(file))
		frame := zstandard(t, string(samples[1]), zstd.WithEncoderDict(dictionary))
		if plain := zstandard(t, string(samples[1])); len(frame) >= len(plain) {
			t.Fatal("the dictionary is of no use")
		}
		file = append(file, frame...)
		file = append(file, "\x51\x2a\x4d\x18\x03\x00\x00\x00abc"...) // a skippable frame
		file = append(file, zstandard(t, string(samples[2]), zstd.WithEncoderDict(dictionary))...)
		got := readAll(t, "x", file, false)
		if len(got) != 2 || got[0] != (found{"<urn:x:1>", first, int64(len(frame)), nil}) ||
			got[1].number != "<urn:x:2>" || got[1].offset != first+int64(len(frame))+11 {
			t.Errorf("%s: %v", name, got)
		}
		file[first+20] ^= 0xff
		if got := readAll(t, "x", file, false); len(got) != 2 || got[0].number != "" ||
			got[1].number != "<urn:x:2>" {
			t.Errorf("%s, damaged: %v", name, got)
		}
		file[10] ^= 0xff
		file[0x40] ^= 0xff
		_ = readAll(t, "x", file, false) // whatever a damaged dictionary gives
	}
}
