package unpacking

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"warcorder/store/collection"
	"warcorder/store/pagelist"
)

func gzipOf(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return out.String()
}

// change makes a zip file, and changes bytes of it.
func change(t testing.TB, with func([]byte) []byte, members ...member) string {
	t.Helper()
	path := zipOf(t, members...)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, with(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// directoryAt is where the n-th entry of the directory of a zip file is.
func directoryAt(text []byte, n int) int {
	at := 0
	for ; n >= 0; n-- {
		at += 1 + bytes.Index(text[at+1:], []byte("PK\x01\x02"))
	}
	return at
}

// TestHostileZip: zip files that are made to do harm are refused, or do none.
func TestHostileZip(t *testing.T) {
	first := member{name: "archive/1.warc.gz", content: gzipped}
	second := member{name: "archive/2.warc.gz", content: gzipped}
	set := func(n, field int, value uint32) func([]byte) []byte {
		return func(text []byte) []byte {
			binary.LittleEndian.PutUint32(text[directoryAt(text, n)+field:], value)
			return text
		}
	}
	large := member{content: gzipped, deflated: true, change: func(h *zip.FileHeader) {
		h.Extra = []byte("\x01\x00\x08\x0012345678")
	}}
	sixteen := make([]member, 16)
	for i := range sixteen {
		sixteen[i] = large
		sixteen[i].name = fmt.Sprintf("archive/%02d.warc.gz", i)
	}
	large.name = "pages/pages.jsonl"
	vast := func(text []byte) []byte { // 2^60 bytes each, by zip64
		for i := range bytes.Count(text, []byte("PK\x01\x02")) {
			at := directoryAt(text, i)
			extra := bytes.Index(text[at:], []byte("\x01\x00\x08\x00"))
			if text = set(i, 24, 0xffffffff)(text); extra >= 0 {
				binary.LittleEndian.PutUint64(text[at+extra+4:], 1<<60)
			}
		}
		return text
	}
	lists := []member{first}
	for i := range maxLists + 1 {
		lists = append(lists, member{name: fmt.Sprintf("pages/%d.jsonl", i)})
	}
	for name, test := range map[string]struct {
		path string
		want string
	}{
		"lengths whose sum is 2^64": {change(t, vast, sixteen...), "are free"},
		"a large list of pages": {
			change(t, func(text []byte) []byte {
				at := directoryAt(text, 1)
				extra := bytes.Index(text[at:], []byte("\x01\x00\x08\x00"))
				binary.LittleEndian.PutUint64(text[at+extra+4:], 1<<60)
				return set(1, 24, 0xffffffff)(text)
			}, first, large),
			"are free",
		},
		"many lists of pages":       {zipOf(t, lists...), "more members"},
		"two members are one place": {change(t, set(1, 42, 0), first, second), "bytes in common"},
		"a member spans the next": {
			change(t, func(text []byte) []byte { return set(0, 24, 100)(set(0, 20, 100)(text)) }, first, second),
			"bytes in common",
		},
		"more than there is room for": {
			change(t, func(text []byte) []byte { // zip64, of 2^60 bytes
				at := directoryAt(text, 0)
				binary.LittleEndian.PutUint64(text[bytes.Index(text[at:], []byte("\x01\x00\x08\x00"))+at+4:], 1<<60)
				return set(0, 24, 0xffffffff)(text)
			}, member{name: first.name, content: gzipped, deflated: true, change: func(h *zip.FileHeader) {
				h.Extra = []byte("\x01\x00\x08\x0012345678")
			}}),
			"are free",
		},
		"it inflates to more than it says": {
			change(t, set(0, 24, 2), member{name: first.name, content: gzipped, deflated: true}), "damaged",
		},
		"it inflates to less than it says": {
			change(t, set(0, 24, 20), member{name: first.name, content: gzipped, deflated: true}), "damaged",
		},
		"a wrong checksum": {change(t, set(0, 16, 1), first), "damaged"},
		"another method": {
			change(t, func(text []byte) []byte {
				binary.LittleEndian.PutUint16(text[directoryAt(text, 0)+10:], 93)
				return text
			}, first), "method 93",
		},
		"no header where it is to be": {change(t, set(0, 42, 7), first), "archive/1.warc.gz"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := take(t, func(u *Unpacking) error { return u.WACZ(test.path) })
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// TestManyMembers: a directory of a million members takes no memory that grows with it, nor one that
// only claims to have as many.
func TestManyMembers(t *testing.T) {
	dir := t.TempDir()
	claims := filepath.Join(dir, "claims.zip")
	end := binary.LittleEndian.AppendUint32(nil, 0x06064b50)
	end = append(end, make([]byte, 28)...)
	end = binary.LittleEndian.AppendUint64(end, 1<<34) // members
	end = append(end, make([]byte, 16)...)
	end = append(end, "PK\x06\x07\x00\x00\x00\x00"...)
	const size = 1 << 40
	end = binary.LittleEndian.AppendUint64(end, size)
	end = append(end, "\x01\x00\x00\x00PK\x05\x06\x00\x00\x00\x00\xff\xff\xff\xff"...)
	end = append(end, "\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00"...)
	file, err := os.Create(claims)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, err = file.WriteAt([]byte("PK\x03\x04"), 0)
	if _, err2 := file.WriteAt(end, size); err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	many := filepath.Join(dir, "many.zip")
	const count = 1_000_000
	var text []byte
	for i := range count {
		text = append(text, "PK\x01\x02"...)
		text = append(text, make([]byte, 24)...)
		text = append(text, 20, 0)
		text = append(text, make([]byte, 16)...)
		text = fmt.Appendf(text, "archive/%07d.warc", i)
	}
	length := len(text)
	text = append(text, "PK\x05\x06\x00\x00\x00\x00"...)
	text = binary.LittleEndian.AppendUint16(text, count%(1<<16))
	text = binary.LittleEndian.AppendUint16(text, count%(1<<16))
	text = binary.LittleEndian.AppendUint32(text, uint32(length))
	text = append(text, make([]byte, 6)...)
	if err := os.WriteFile(many, text, 0o600); err != nil {
		t.Fatal(err)
	}
	text = nil
	comment := filepath.Join(dir, "comment.zip") // longer than one may be, as archive/zip takes it
	file, err = os.Create(comment)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	binary.LittleEndian.PutUint64(end[32:], 1<<22)
	_, err = file.WriteAt([]byte("PK\x03\x04"), 0)
	if _, err2 := file.WriteAt(append(end, make([]byte, 65<<10-22)...), size); err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for _, path := range []string{claims, many, comment} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		_, err := openZip(path)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "more members") {
			t.Errorf("%s: %v", path, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 200<<20 {
			t.Errorf("%s: %d MiB", path, n>>20)
		}
	}
}

// TestBounds: what is bounded in a zip file is its directory, not its members; an import has no more
// than maxWARCs WARC files, however many WACZ files these come in.
func TestBounds(t *testing.T) {
	large := gzipped + strings.Repeat("x", maxDirectory+1)
	got, err := takeWACZ(t, member{name: "archive/large.warc.gz", content: large})
	if err != nil || got.files["large.warc.gz from My crawl"] != large {
		t.Error(err)
	}
	many := make([]member, maxWARCs+1)
	for i := range many {
		many[i].name = fmt.Sprintf("archive/%d.warc", i)
	}
	if _, err := takeWACZ(t, many...); err == nil || !strings.Contains(err.Error(), "more members") {
		t.Error(err)
	}
	path := zipOf(t, member{name: "archive/a.warc.gz", content: gzipped})
	u := &Unpacking{Dir: collection.Import(t.TempDir()), Pages: &pagelist.List{}, warcs: make([]WARC, maxWARCs)}
	if err := u.WACZ(path); err == nil || !strings.Contains(err.Error(), "fewer at a time") {
		t.Error(err)
	}
}

// TestProgress: it ends where all is done.
func TestProgress(t *testing.T) {
	path := zipOf(t, member{name: "archive/a.warc.gz", content: gzipped},
		member{name: "pages/pages.jsonl", content: header})
	var done, total int64
	u := &Unpacking{Dir: collection.Import(t.TempDir()), Pages: &pagelist.List{},
		Progress: func(_ string, d, t int64) { done, total = d, t }}
	if err := u.WACZ(path); err != nil || done != total || total != int64(len(gzipped)+len(header)) {
		t.Error(done, total, err)
	}
}

// FuzzZip: whatever a zip file is, what comes out of it lies in the folder of the import, has names
// that are allowed, is no more than the file declares, and comes soon.
func FuzzZip(f *testing.F) {
	for _, members := range [][]member{
		packageOf(member{name: "archive/a.warc.gz", content: gzipped, deflated: true},
			member{name: "pages/pages.jsonl", content: header}),
		{{name: "../../x.warc", content: plain}, {name: "archive/..\\x.warc", content: plain}},
		{{name: "archive//etc/x.warc", content: plain}, {name: "archive/\x00.warc", content: plain}},
		{{name: "archive/a.warc-" + strings.Repeat("a", 160) + ".warc.gz", content: gzipped}},
		{{name: "har.har", content: "{}"}},
	} {
		text, err := os.ReadFile(zipOf(f, members...))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<20 {
			return
		}
		began := time.Now()
		top := t.TempDir()
		path, dir := filepath.Join(top, "x.wacz"), filepath.Join(top, "import")
		if os.WriteFile(path, text, 0o600) != nil || os.Mkdir(dir, 0o700) != nil {
			t.Fatal("cannot write")
		}
		u := &Unpacking{Dir: collection.Import(dir), Pages: &pagelist.List{}}
		defer u.Pages.Close()
		form, _ := FormOf(path)
		if u.WACZ(path) == nil && form != WACZ {
			t.Errorf("taken as WACZ, and found to be %v", form)
		}
		for _, w := range u.WARCs() {
			if filepath.Dir(w.Path) != dir || !collection.IsWARC(w.Name) || w.Name != filepath.Base(w.Name) ||
				strings.HasPrefix(w.Name, ".") || len(w.Name) > maxNamed || len(w.From) > maxNamed {
				t.Errorf("%+q", w)
			}
		}
		if u.done > u.total {
			t.Errorf("%d bytes came out, %d were declared", u.done, u.total)
		}
		if entries, err := os.ReadDir(top); err != nil || len(entries) != 2 {
			t.Error(entries, err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
	})
}
