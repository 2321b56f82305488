package collection

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
func TestIsOwn(t *testing.T) {
	ours := warcFile("warcinfo", "software: warcorder 0.1.0\r\n")
	flipped := bytes.Clone(ours)
	flipped[30] ^= 0xff
	resource := warcFile("resource", "software: warcorder")
	inside := append([]byte("WARC/1.0\r\nWARC-Type: response\r\n\r\n"), ours...)
	for name, test := range map[string]struct {
		file string
		text []byte
		want bool
	}{
		"ours":                             {"x.warc.gz", ours, true},
		"ours, open":                       {"x.warc.gz.open", ours, true},
		"ours, renamed":                    {"x.warc", ours, true},
		"ours, cut":                        {"x.warc.gz", ours[:len(ours)-3], true},
		"ours, its first member damaged":   {"x.warc.gz", flipped, true},
		"ours, damaged and renamed":        {"x.warc", flipped, true},
		"empty":                            {"x.warc.gz", nil, true},
		"another's":                        {"x.warc.gz", warcFile("warcinfo", "software: Wget"), false},
		"no warcinfo":                      {"x.warc.gz", resource, false},
		"a plain file with ours in a page": {"x.warc", inside, false},
		"a compressed one with ours in it": {"x.warc.gz", inside, true}, // as after damage
		"plain text":                       {"x.warc.gz", []byte("WARC/1.1\r\nno header\r\n\r\n"), false},
	} {
		path := filepath.Join(t.TempDir(), test.file)
		if err := os.WriteFile(path, test.text, 0o600); err != nil {
			t.Fatal(err)
		}
		if own, err := IsOwn(path); err != nil || own != test.want {
			t.Errorf("%s: %v, %v", name, own, err)
		}
		file := io.NewSectionReader(bytes.NewReader(test.text), 0, int64(len(test.text)))
		if own, err := IsOwnFile(file, test.file); err != nil || own != test.want {
			t.Errorf("%s, in memory: %v, %v", name, own, err)
		}
	}
	if _, err := IsOwn(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// warcFile is a file of one record, as we write them.
func warcFile(kind, block string) []byte {
	head := fmt.Appendf(nil, "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Date: 2026-11-21T12:00:00Z\r\n"+
		"WARC-Record-ID: <urn:uuid:01234567-89ab-4def-8123-456789abcdef>\r\nContent-Length: %d\r\n\r\n",
		kind, len(block))
	return warc.NewCompressor().Append(nil,
		[][]byte{head, []byte(block), []byte(warc.RecordEnd)}, -1)
}
