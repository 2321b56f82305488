package zipnum

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"warcorder/store"
)

// parts are what was written.
type parts struct {
	names []string
	bytes map[string]*bytes.Buffer
	list  bytes.Buffer
}

func (p *parts) begin(name string) (io.Writer, error) {
	p.names = append(p.names, name)
	if p.bytes == nil {
		p.bytes = make(map[string]*bytes.Buffer)
	}
	p.bytes[name] = new(bytes.Buffer)
	return p.bytes[name], nil
}

// write writes lines.
func write(t *testing.T, settings Settings, lines []string) *parts {
	t.Helper()
	p := &parts{}
	settings.Begin, settings.List = p.begin, &p.list
	w := New(settings)
	for _, line := range lines {
		if err := w.Put([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return p
}

// member returns the lines of one, after it has checked that it is one.
func (p *parts) member(t *testing.T, name string, offset, length int) []string {
	t.Helper()
	data := bytes.NewReader(p.bytes[name].Bytes()[offset:][:length])
	in, err := gzip.NewReader(data)
	if err != nil {
		t.Fatal(err)
	}
	in.Multistream(false)
	text, err := io.ReadAll(in)
	if err != nil || data.Len() > 0 {
		t.Fatalf("%d bytes behind a member, %v", data.Len(), err)
	}
	return slices.Collect(strings.Lines(string(text)))
}

// lines returns lines of so many keys, each of so many captures.
func lines(keys, each int) (all []string) {
	for i := range keys {
		for j := range each {
			c := store.Capture{URLKey: fmt.Sprintf("com,example)/%06d", i), URL: "http://example.com/",
				Time: time.Unix(1e9+int64(j/3), 0)}
			all = append(all, string(c.AppendCDXJ(nil))+"\n")
		}
	}
	return all
}

func keyOf(line string) string {
	key, _, _ := strings.Cut(line, " ")
	return key
}

// TestPywb: members and parts have the lines in order, the list says where each member is, and no key
// is in two parts.
func TestPywb(t *testing.T) {
	for name, of := range map[string]struct {
		lines       []string
		part        int64
		wantParts   int
		mostMembers int // lines
	}{
		"nothing":         {nil, 10, 0, 0},
		"one line":        {lines(1, 1), 10, 1, 1},
		"a part for each": {lines(12, 40), 10, 12, 7},
		"one long key":    {lines(1, 1000), 10, 1, 7},
		"few long keys":   {slices.Concat(lines(3, 200)), 150, 3, 7},
		"no end of parts": {lines(100, 3), 0, 1, 7},
	} {
		p := write(t, Settings{Dialect: Pywb, Lines: 7, Part: of.part}, of.lines)
		var got []string
		keys := map[string]string{}
		for i, row := range slices.Collect(strings.Lines(p.list.String())) {
			f := strings.Split(strings.TrimSuffix(row, "\n"), "\t")
			offset, _ := strconv.Atoi(f[2])
			length, _ := strconv.Atoi(f[3])
			member := p.member(t, f[1], offset, length)
			if f[4] != fmt.Sprint(i+1) || !strings.HasPrefix(member[0], f[0]+" {") {
				t.Errorf("%s: %q of %q", name, row, member[0])
			}
			if len(member) > 7 {
				t.Errorf("%s: a member of %d lines", name, len(member))
			}
			for _, line := range member {
				if part := keys[keyOf(line)]; part != "" && part != f[1] {
					t.Errorf("%s: %s is in %s and %s", name, keyOf(line), part, f[1])
				}
				keys[keyOf(line)] = f[1]
			}
			got = append(got, member...)
		}
		if !slices.Equal(got, of.lines) {
			t.Errorf("%s: %d lines, not %d", name, len(got), len(of.lines))
		}
		if len(p.names) != of.wantParts || !slices.IsSorted(p.names) {
			t.Errorf("%s: parts %v", name, p.names)
		}
		if !slices.IsSorted(slices.Collect(strings.Lines(p.list.String()))) {
			t.Errorf("%s: the list is not sorted", name)
		}
	}
}

// TestWACZ: there is one part, whatever comes, and a list that begins with its form; package wacz has
// more of it.
func TestWACZ(t *testing.T) {
	for name, all := range map[string][]string{"nothing": nil, "some": lines(2, 100)} {
		p := write(t, Settings{Dialect: WACZ, Lines: 10}, all)
		rows := slices.Collect(strings.Lines(p.list.String()))
		if rows[0] != `!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}`+"\n" ||
			!slices.Equal(p.names, []string{WACZPart}) || !slices.IsSorted(rows) {
			t.Errorf("%s: %q, %v", name, rows[0], p.names)
		}
		var got []string
		for _, row := range rows[1:] {
			var at struct{ Offset, Length int }
			if err := json.Unmarshal([]byte(row[strings.Index(row, "{"):]), &at); err != nil {
				t.Fatal(err)
			}
			got = append(got, p.member(t, WACZPart, at.Offset, at.Length)...)
		}
		if !slices.Equal(got, all) {
			t.Errorf("%s: %d lines, not %d", name, len(got), len(all))
		}
	}
}

// TestBounded: memory does not grow with the lines of a key, nor do members with the length of lines.
func TestBounded(t *testing.T) {
	long := strings.Repeat("x", 1<<18)
	line := []byte("com,example)/?" + long + ` 20261121054512 {"url":"` + long + "\"}\n")
	most, written := 0, int64(0)
	w := New(Settings{Dialect: Pywb, Part: 1, List: io.Discard,
		Begin: func(string) (io.Writer, error) { return counter{&written}, nil }})
	var before, after runtime.MemStats
	for i := range 100 {
		if err := w.Put(line); err != nil {
			t.Fatal(err)
		}
		if w.filling != nil {
			most = max(most, w.filling.text.Len())
		}
		if i == 50 {
			runtime.GC()
			runtime.ReadMemStats(&before)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.part != 0 || most > 4<<20 || written == 0 {
		t.Errorf("part %d, members of %d bytes, %d written", w.part, most, written)
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 20<<20 {
		t.Errorf("26 MB more of lines took %d MB", grown>>20)
	}
}

type counter struct{ n *int64 }

func (c counter) Write(p []byte) (int, error) {
	*c.n += int64(len(p))
	return len(p), nil
}

// TestError: an error of a part ends the work, and is told.
func TestError(t *testing.T) {
	broken := errors.New("broken")
	w := New(Settings{Dialect: Pywb, Lines: 2, List: io.Discard,
		Begin: func(string) (io.Writer, error) { return nil, broken }})
	var err error
	for _, line := range lines(100, 1) {
		if err = w.Put([]byte(line)); err != nil {
			break
		}
	}
	if !errors.Is(err, broken) || !errors.Is(w.Close(), broken) {
		t.Error(err)
	}
}
