package fromhar

import (
	"errors"
	"fmt"
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

// TestHostile: what is short in a HAR takes no memory beyond its length. White space that took time
// would take memory: the decoder keeps what it goes through again.
func TestHostile(t *testing.T) {
	const answer = `{"status":200,"headers":[],"content":{"size":1,"text":"x"}}`
	cut := func(entry string) [2]string {
		begin, end, _ := strings.Cut(logOf(entry), "|")
		return [2]string{begin, end}
	}
	asking := func(headers string) string {
		return entryOf(`{"method":"GET","url":"https://a.example/","headers":[`+headers+`]}`, answer)
	}
	messages := strings.TrimSuffix(entryOf(get, answer), "}") + `,"_webSocketMessages":[0|]}`
	posted := entryOf(`{"method":"POST","url":"https://a.example/","postData":{"params":[{}|]}}`, answer)
	form := entryOf(`{"method":"POST","url":"https://a.example/","postData":{"mimeType":`+
		`"application/x-www-form-urlencoded","params":[{"name":"|"}]}}`, answer)
	for name, test := range map[string]struct {
		around [2]string
		within string // 1 MiB of it
		times  int
		most   int    // MiB of memory that is taken in all
		want   string // error, or reason
	}{
		"a value of line breaks": {
			cut(asking(`{"name":"` + strings.Repeat("a", 256) + `","value":"x\n|"}`)), `a\n`, 2, 40, "head that is too long",
		},
		"deep":        {[2]string{`{"log":{},"x":`, ""}, "[", 4, 4, "nested deeper"},
		"fields":      {cut(asking("{}|")), ",{}", 2, 20, "more than 10,000 fields"},
		"params":      {cut(posted), ",{}", 2, 20, "more than 10,000 fields"},
		"a form":      {cut(form), "\xff", 6, 150, "request whose body is in a form"},
		"messages":    {cut(messages), ",0", 4, 30, ""},
		"white space": {[2]string{`{"log":{`, "}}"}, " ", 8, 4, ""},
	} {
		t.Run(name, func(t *testing.T) {
			maker := Maker{Room: math.MaxInt64, Page: func(pagelist.Page) error { return nil }}
			maker.Out = func(_ [][]byte, body io.Reader, _ int64, _ bool) error {
				_, err := io.Copy(io.Discard, body)
				return err
			}
			within := strings.Repeat(test.within, 1<<20/len(test.within))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			report, err := maker.Make("x.har", func() (io.ReadCloser, error) {
				return io.NopCloser(io.MultiReader(strings.NewReader(test.around[0]),
					&repeated{parts: []string{within, test.around[1]}, times: test.times})), nil
			})
			runtime.ReadMemStats(&after)
			said := fmt.Sprint(report.Reasons)
			if err != nil {
				said = err.Error()
			}
			if !strings.Contains(said, test.want) || test.want == "" && said != "map[]" {
				t.Errorf("%s, want %q", said, test.want)
			}
			if n := (after.TotalAlloc - before.TotalAlloc) >> 20; int(n) > test.most {
				t.Errorf("%d MiB of memory for %d", n, test.times)
			}
		})
	}
}

// TestElements: elements are counted as encoding/json has them.
func TestElements(t *testing.T) {
	for text, want := range map[string]int{
		"[]": 0, "[ \n]": 0, "[1]": 1, "[[]]": 1, "[{}, [1,2]]": 2, `["a,\"b,", "\\"]`: 2, "null": 0, `{"a":[1,2]}`: 0,
	} {
		if got := elements([]byte(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
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
