package warc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSegments(t *testing.T) {
	segment := func(number int, more, block string) string {
		kind, origin := "continuation", "WARC-Segment-Origin-ID: <urn:x:7>\r\n"
		if number == 1 {
			kind, origin = "response", ""
		}
		return fmt.Sprintf(
			"WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:x:%d>\r\n%sWARC-Segment-Number: %d\r\n"+
				"%sContent-Length: %d\r\n\r\n%s\r\n\r\n",
			kind, number+6, origin, number, more, len(block), block)
	}
	total := "WARC-Segment-Total-Length: 9\r\n"
	other := strings.Replace(segment(2, total, "wrong"), "<urn:x:7>", "<urn:x:9>", 1)
	whole := foreignRecord(7, "one")
	for _, test := range []struct {
		name  string
		files []string
		want  string
		err   error
	}{
		{"in one file",
			[]string{segment(1, "", "one") + whole + segment(2, "", "two") + segment(3, total, "six")},
			"onetwosix", nil},
		{"in three files",
			[]string{segment(1, "", "one"), other + segment(2, "", "two"),
				whole + segment(3, total, "six") + segment(4, "", "no")}, "onetwosix", nil},
		{"the last is missing", []string{segment(1, "", "one") + segment(2, "", "two")}, "onetwo",
			ErrSegment},
		{"one is missing", []string{segment(1, "", "one"), segment(3, total, "six")}, "one", ErrSegment},
		{"no segments", []string{whole, segment(2, total, "two")}, "one", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var paths []string
			for _, file := range test.files {
				paths = append(paths, filepath.Join(t.TempDir(), "x.warc"))
				if err := os.WriteFile(paths[len(paths)-1], []byte(file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s, err := OpenSegments(paths, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			got, err := io.ReadAll(s.Block)
			if string(got) != test.want || !errors.Is(err, test.err) ||
				s.Header.Get("WARC-Record-ID") != "<urn:x:7>" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
