package collection

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"warcorder/store/warc"
)

func TestIsOwnWarcinfo(t *testing.T) {
	for block, want := range map[string]bool{
		"software: warcorder 0.1.0\r\nformat: WARC File Format 1.1\r\n": true,
		"software: warcorder": true,
		"format: WARC File Format 1.1\r\nSoftware:warcorder\r\n": true,
		"software: Wget/1.21 (with warcorder)\r\n":               false,
		"software: Wget\r\nsoftware: warcorder\r\n":              false,
		"operator: warcorder\r\n":                                false,
		"":                                                       false,
	} {
		if IsOwnWarcinfo([]byte(block)) != want {
			t.Errorf("%q: want %v", block, want)
		}
	}
}

// TestIsOwn: a file is ours if it says so and is as we write it, under its final name or another.
// It says so even when somebody has changed how it is written.
func TestIsOwn(t *testing.T) {
	ours := warcFile("warcinfo", "software: warcorder 0.1.0\r\n")
	flipped := bytes.Clone(ours)
	flipped[30] ^= 0xff
	wget := warcFile("warcinfo", "software: Wget")
	named := warcFile("warcinfo", "format: 1\r\nsoftware: warcorder")
	text := record("warcinfo", "software: warcorder 0.1.0\r\n")
	broken := packed(append(bytes.Clone(text), "\r\n"...))
	noHeader := []byte("WARC/1.1\r\nno header\r\n\r\n")
	resource := warcFile("resource", "software: warcorder")
	inside := append([]byte("WARC/1.0\r\nWARC-Type: response\r\n\r\n"), ours...)
	for name, test := range map[string]struct {
		file      string
		text      []byte
		own, says bool
	}{
		"ours":                             {"x.warc.gz", ours, true, true},
		"ours, open":                       {"x.warc.gz.open", ours, true, true},
		"ours, renamed":                    {"x.warc", ours, true, true},
		"ours, cut":                        {"x.warc.gz", ours[:len(ours)-3], true, true},
		"ours, its first member damaged":   {"x.warc.gz", flipped, true, true},
		"ours, damaged and renamed":        {"x.warc", flipped, true, true},
		"ours, unpacked":                   {"x.warc.gz", text, false, true},
		"ours, unpacked and renamed":       {"x.warc", text, false, false},
		"ours, packed as one member":       {"x.warc.gz", packed(slices.Repeat(text, 2)), false, true},
		"ours, packed record by record":    {"x.warc.gz", slices.Repeat(packed(text), 2), true, true},
		"ours, with a line break too many": {"x.warc.gz", broken, false, true},
		"empty":                            {"x.warc.gz", nil, true, true},
		"another's":                        {"x.warc.gz", wget, false, false},
		"another's, which names us":        {"x.warc.gz", named, false, true},
		"no warcinfo":                      {"x.warc.gz", resource, false, false},
		"a plain file with ours in a page": {"x.warc", inside, false, false},
		"a compressed one with ours in it": {"x.warc.gz", inside, true, true}, // as after damage
		"plain text":                       {"x.warc.gz", noHeader, false, false},
	} {
		path := filepath.Join(t.TempDir(), test.file)
		if err := os.WriteFile(path, test.text, 0o600); err != nil {
			t.Fatal(err)
		}
		if own, err := IsOwn(path); err != nil || own != test.own {
			t.Errorf("%s: %v, %v", name, own, err)
		}
		file := io.NewSectionReader(bytes.NewReader(test.text), 0, int64(len(test.text)))
		if says, err := SaysOwn(file, test.file); err != nil || says != test.says {
			t.Errorf("%s: it says %v, %v", name, says, err)
		}
	}
	if _, err := IsOwn(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// warcFile is a file of one record, as we write them.
func warcFile(kind, block string) []byte {
	return warc.NewCompressor().Append(nil, [][]byte{record(kind, block)}, -1)
}

// record is a record that is not compressed.
func record(kind, block string) []byte {
	return fmt.Appendf(nil, "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Date: 2026-11-21T12:00:00Z\r\n"+
		"WARC-Record-ID: <urn:uuid:01234567-89ab-4def-8123-456789abcdef>\r\nContent-Length: %d\r\n\r\n"+
		"%s%s", kind, len(block), block, warc.RecordEnd)
}

// packed is what gzip makes of text: one member.
func packed(text []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(text)
	w.Close()
	return out.Bytes()
}
