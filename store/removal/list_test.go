package removal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/store/removal/tombstone"
	"warcorder/store/warc"
)

// TestTold: what is too long to be an earlier tombstone of ours is refused, and never cut; what is no
// tombstone may have any length.
func TestTold(t *testing.T) {
	line := "capture: 2026-01-01T00:00:00Z - https://example.com/" + strings.Repeat("a", 1<<10) + "\r\n"
	list := strings.Repeat(line, tombstone.MaxList/len(line))
	begin := "removal: <urn:uuid:1>\r\ncapture: 2026-01-01T00:00:00Z - https://example.com/hush\r\n"
	for name, test := range map[string]struct {
		block string
		told  bool
		err   string
	}{
		"a tombstone":      {begin + list, true, ""},
		"one too long":     {begin + list + list + line, false, "the tombstone at byte 0 has more than"},
		"no tombstone":     {"other: text\r\n" + list + list + line, false, ""},
		"without the name": {"removal: <urn:uuid:1>\r\n" + list, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			record := theRecord(t, []byte(test.block))
			p := Plan{order: Order{Forget: true, Has: func(uri string, _ time.Time) bool {
				return strings.HasSuffix(uri, "/hush")
			}}}
			block, err := p.retoldBlock(record)
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Fatal(err)
			}
			if (block != nil) != test.told {
				t.Fatalf("%d bytes", len(block))
			}
			if test.told && (bytes.Count(block, []byte(line)) != strings.Count(list, line) ||
				!bytes.HasSuffix(block, []byte("unlisted: 1\r\n"))) {
				t.Errorf("%d bytes of %d", len(block), len(test.block))
			}
		})
	}
}

// theRecord is a metadata record, read from a file, with that block.
func theRecord(t *testing.T, block []byte) *warc.Record {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.warc")
	head := fmt.Sprintf("WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:uuid:2>\r\n"+
		"WARC-Date: 2026-01-01T00:00:00Z\r\n%s\r\nContent-Length: %d\r\n\r\n", fields, len(block))
	whole := append(append([]byte(head), block...), warc.RecordEnd...)
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	record, err := recordAt(file, "x.warc", 0, int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	return record
}
