package fromhar

import (
	"errors"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"warcorder/store/pagelist"
)

// repeated gives a text so many times, between others.
type repeated struct {
	parts []string
	times int
	now   *strings.Reader
}

func (r *repeated) Read(p []byte) (int, error) {
	for r.now == nil || r.now.Len() == 0 {
		switch {
		case len(r.parts) == 0:
			return 0, io.EOF
		case len(r.parts) == 2 && r.times > 0:
			r.times--
			r.now = strings.NewReader(r.parts[0])
		default:
			r.now = strings.NewReader(r.parts[0])
			r.parts = r.parts[1:]
		}
	}
	return r.now.Read(p)
}

// TestLarge: memory is flat for a HAR of 120 MB; an entry of more than MaxEntry is refused by number.
func TestLarge(t *testing.T) {
	body := strings.Repeat("A", 1<<20)
	entry := entryOf(get, `{"status":200,"headers":[],"content":{"size":1,"text":"`+body+`"}}`)
	begin, end, _ := strings.Cut(logOf("|"), "|")
	var most uint64
	maker := Maker{Room: math.MaxInt64, Page: func(pagelist.Page) error { return nil }}
	maker.Out = func(_ [][]byte, body io.Reader, size int64, _ bool) error {
		var stats runtime.MemStats
		if size > 0 {
			runtime.ReadMemStats(&stats)
			most = max(most, stats.HeapSys)
		}
		n, err := io.Copy(io.Discard, body)
		if n != size {
			t.Errorf("%d bytes, and %d said", n, size)
		}
		return err
	}
	har := func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader(begin+entry),
			&repeated{parts: []string{"," + entry, end}, times: 120})), nil
	}
	report, err := maker.Make("x.har", har)
	if err != nil || report.Captures != 122 {
		t.Fatalf("%+v, %v", report, err)
	}
	if most > 90<<20 {
		t.Errorf("%d MiB of memory", most>>20)
	}
	long := func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader(begin+entry+`,{"x":"`),
			&repeated{parts: []string{body, end}, times: 200})), nil
	}
	if _, err := maker.Make("x.har", long); err == nil || !strings.Contains(err.Error(), "entry 1 is longer") {
		t.Error(err)
	}
	maker.Room = 5 << 20
	if _, err := maker.Make("x.har", har); !errors.Is(err, ErrRoom) {
		t.Error(err)
	}
}

// FuzzHAR: whatever a HAR is, its records can be read, each message is one of HTTP, and it takes no
// longer than its length warrants.
func FuzzHAR(f *testing.F) {
	f.Add([]byte(logOf(entryOf(get, `{"status":200,"headers":[],"content":{"size":1,"text":"x"}}`))))
	f.Add([]byte(logOf(entryOf(`{"method":"POST","url":"https://u:p@a.example\\x y/\u0000?ö","headers":[{"name":"a",`+
		`"value":"b\r\n\r\nc"}],"postData":{"text":"x"}}`, `{"status":304,"statusText":"a\r\nb","headers":[{"name":`+
		`"Content-Type","value":"a;;"}],"content":{"text":"ö","mimeType":"\u0000"}}`))))
	f.Fuzz(func(t *testing.T, har []byte) {
		if len(har) > 1<<20 {
			return
		}
		began := time.Now()
		m, err := makeOf(t, string(har), nil)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
		if err != nil {
			return
		}
		if len(m.blocks) > 0 && len(m.blocks) != 1+2*m.report.Captures {
			t.Errorf("%d records of %d captures", len(m.blocks), m.report.Captures)
		}
		for i, h := range m.headers {
			if h.Get("WARC-Type") == "warcinfo" {
				continue
			}
			head, _, ok := strings.Cut(m.blocks[i], "\r\n\r\n")
			line, _, _ := strings.Cut(head, "\r\n")
			if !ok || !strings.Contains(line, "HTTP/1.1") || strings.Contains(strings.ReplaceAll(head, "\r\n", ""), "\n") ||
				!strings.HasPrefix(strings.ToLower(h.Get("WARC-Target-URI")), "http") {
				t.Errorf("%q of %v", m.blocks[i], h)
			}
		}
	})
}
