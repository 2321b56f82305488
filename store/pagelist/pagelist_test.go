package pagelist

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"warcorder/store/collection"
)

func at(second int) time.Time { return time.Date(2026, 5, 1, 12, 0, second, 0, time.UTC) }

func newDir(t testing.TB) collection.Dir {
	t.Helper()
	dir := collection.Dir(filepath.Join(t.TempDir(), "c"))
	if err := dir.Make(collection.DefaultMode); err != nil {
		t.Fatal(err)
	}
	return dir
}

// add adds pages to a collection, as an import does.
func add(t testing.TB, dir collection.Dir, pages ...Page) {
	t.Helper()
	list := &List{Dir: t.TempDir()}
	defer list.Close()
	for _, page := range pages {
		if ok, err := list.Add(page); err != nil || !ok {
			t.Fatalf("%v: %v, %v", page, ok, err)
		}
	}
	var out bytes.Buffer
	if _, err := list.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pages.jsonl")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a recovery may do it again
		if err := Merge(dir, collection.DefaultMode, path); err != nil {
			t.Fatal(err)
		}
	}
}

func all(t testing.TB, dir collection.Dir, from, before time.Time) (pages []Page) {
	t.Helper()
	for page, err := range All(dir, from, before) {
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, page)
	}
	return pages
}

// TestMerge: lists become one in the order of time, each page once, and the first one stays.
func TestMerge(t *testing.T) {
	dir := newDir(t)
	if pages := all(t, dir, time.Time{}, time.Time{}); pages != nil {
		t.Fatal(pages)
	}
	first := Page{at(5), "https://b.example/", "1", "B \"quoted\" <b>", "text", "one.wacz"}
	late := Page{at(9), "https://c.example/?a=\"x\",\"title\":", "", "", "", "one.wacz"}
	named := Page{at(9), late.URL, "9", "another id", "", "one.wacz"}
	early := Page{at(1), "https://a.example/", "1", "A", "", "two.wacz"}
	add(t, dir, late, first, named)
	again := first
	again.Title, again.From = "A other title", "two.wacz"
	add(t, dir, early, again, named)
	want := []Page{early, first, late, named}
	if got := all(t, dir, time.Time{}, time.Time{}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if got := all(t, dir, at(5), at(9)); !reflect.DeepEqual(got, want[1:2]) {
		t.Errorf("between: %v", got)
	}
	text, err := os.ReadFile(dir.Pages())
	if err != nil || !bytes.HasPrefix(text, []byte(header+"\n")) || bytes.Count(text, []byte("\n")) != 5 {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := os.Stat(dir.NewPages()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left: %v", err)
	}
}

// TestPrepare: what is dropped is in no file any more when the new list has taken the place of the old
// one, also if a process was killed before.
func TestPrepare(t *testing.T) {
	dir := newDir(t)
	if n, err := Prepare(dir, 0, func(*Page) bool { return true }); n != 0 || err != nil {
		t.Fatal(n, err)
	}
	add(t, dir, Page{Time: at(1), URL: "https://a.example/secret"}, Page{Time: at(2), URL: "https://b.example/"})
	if err := os.Chmod(dir.Pages(), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir.NewPages(), []byte("secret, half"), 0o600); err != nil {
		t.Fatal(err)
	}
	none, err := Prepare(dir, 0, func(*Page) bool { return false })
	if _, left := os.Stat(dir.NewPages()); none != 0 || err != nil || !errors.Is(left, fs.ErrNotExist) {
		t.Fatal(none, err, left)
	}
	n, err := Prepare(dir, 0, func(p *Page) bool { return strings.HasSuffix(p.URL, "/secret") })
	if n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if err := os.Rename(dir.NewPages(), dir.Pages()); err != nil {
		t.Fatal(err)
	}
	if got := all(t, dir, time.Time{}, time.Time{}); len(got) != 1 || got[0].URL != "https://b.example/" {
		t.Error(got)
	}
	entries, err := os.ReadDir(string(dir))
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(string(dir), entry.Name()))
		if err != nil || bytes.Contains(text, []byte("secret")) {
			t.Errorf("%s: %v, %s", entry.Name(), err, text)
		}
	}
	if info, err := os.Stat(dir.Pages()); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestRead reads the lists of other tools.
func TestRead(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	list := strings.Join([]string{
		`{"format":"json-pages-1.0","id":"pages","title":"All Pages","hasText":"false"}`,
		`{"id":"1","url":"https://a.example/","ts":"2026-05-01T12:00:01.250Z","title":"A","text":"` + long + `"}` + "\r",
		`{"url":"https://b.example/","ts":"20260501120002","size":3,"seed":true}`,
		`{"url":"https://c.example/","ts":"2026-05-01T14:00:03+02:00"}`,
		``,
		`{"url":"https://no-time.example/"}`,
		`{"url":"https://no-time.example/","ts":7}`,
		`{"ts":"2026-05-01T12:00:01Z"}`,
		`{"url":"https://long.example/","ts":"2026-05-01T12:00:01Z"` + strings.Repeat(` `, MaxLine) + `}`,
		`not JSON`,
		`{"url":"https://d.example/","ts":"2026-05-01T12:00:04Z","text":"` + strings.Repeat(`\u0001`, 600_000) + `"}`,
	}, "\n")
	var got []Page
	passed, err := Read(strings.NewReader(list), func(p Page) error {
		got = append(got, p)
		return nil
	})
	if err != nil || passed != 5 {
		t.Errorf("passed over %d, %v", passed, err)
	}
	want := []Page{
		{Time: at(1).Add(250 * time.Millisecond), URL: "https://a.example/", ID: "1", Title: "A", Text: long},
		{Time: at(2), URL: "https://b.example/"},
		{Time: at(3), URL: "https://c.example/"},
		{Time: at(4), URL: "https://d.example/", Text: strings.Repeat("\u0001", 600_000)},
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%d pages: %.300v", len(got), got)
	}
	dir := newDir(t)
	add(t, dir, got...)
	for i, page := range all(t, dir, time.Time{}, time.Time{}) {
		if page.URL != want[i].URL || len(page.Text) > maxText {
			t.Errorf("%s has %d bytes of text", page.URL, len(page.Text))
		}
	}
}

// TestLongLine: no line that is written is longer than those that are read.
func TestLongLine(t *testing.T) {
	page := Page{Time: at(1), URL: "https://a.example/", Text: strings.Repeat("\x01", maxText)}
	line := page.Line()
	if got, ok := Parse(line); !ok || got.URL != page.URL || len(line) > MaxLine {
		t.Errorf("%v, %d bytes", ok, len(line))
	}
}

// TestReadLongTexts: a page is one however long its text is, wherever that stands and whatever it
// holds.
func TestReadLongTexts(t *testing.T) {
	const most = MaxLine - mostBehind
	long := strings.Repeat("x", MaxLine)
	many := MaxLine / 5
	for name, test := range map[string]struct{ before, behind, want string }{
		"behind":      {`"id":"7","title":"A"`, `"text":"` + long + `"`, "x"},
		"before":      {`"text":"` + long + `"`, `"id":"7","title":"A"`, "x"},
		"two":         {`"html":"` + long + `","text":"` + long + `"`, `"id":"7","title":"A"`, "x"},
		"escapes":     {`"text":"` + strings.Repeat(`\u00e4`, many) + `"`, `"id":"7","title":"A"`, "ä"},
		"escapes, 1":  {`"text":"x` + strings.Repeat(`\u00e4`, many) + `"`, `"id":"7","title":"A"`, "ä"},
		"escapes, 3":  {`"text":"xxx` + strings.Repeat(`\u00e4`, many) + `"`, `"id":"7","title":"A"`, "ä"},
		"quotes":      {`"text":"` + strings.Repeat(`\"`, 3*many) + `"`, `"id":"7","title":"A"`, `"`},
		"quotes, 1":   {`"text":"x` + strings.Repeat(`\"`, 3*many) + `"`, `"id":"7","title":"A"`, `"`},
		"backslashes": {`"text":"` + strings.Repeat(`\\`, 3*many) + `"`, `"id":"7","title":"A"`, `\`},
		"characters":  {`"text":"` + strings.Repeat(`ä`, 3*many) + `"`, `"id":"7","title":"A"`, "ä"},
		"just":        {`"text":"` + strings.Repeat("x", most-9) + `"`, `"id":"7","title":"A"`, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			line := "{" + test.before + `,"url":"https://a.example/","ts":"2026-05-01T12:00:01Z",` + test.behind + "}\n"
			var got []Page
			next := `{"url":"https://b.example/","ts":"2026-05-01T12:00:02Z","text":"b"}`
			passed, err := Read(strings.NewReader(header+"\n"+line+next), func(p Page) error {
				got = append(got, p)
				return nil
			})
			if err != nil || passed != 0 || len(got) != 2 || got[1].Text != "b" {
				t.Fatalf("%d pages, passed over %d, %v", len(got), passed, err)
			}
			text := got[0].Text
			got[0].Text = ""
			if want := (Page{Time: at(1), URL: "https://a.example/", ID: "7", Title: "A"}); got[0] != want {
				t.Errorf("%+v", got[0])
			}
			rest := strings.TrimLeft(strings.ReplaceAll(text, test.want, ""), "x")
			if len(text) < maxURL || len(text) > MaxLine || rest != "" {
				t.Errorf("%d bytes of text, with %.20q", len(text), rest)
			}
		})
	}
}

// TestPagesThatCannotBe are not added.
func TestPagesThatCannotBe(t *testing.T) {
	list := &List{}
	defer list.Close()
	for name, page := range map[string]Page{
		"no URL":      {Time: at(1)},
		"a long URL":  {Time: at(1), URL: strings.Repeat("x", maxURL+1)},
		"a late year": {Time: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), URL: "x"},
	} {
		if ok, err := list.Add(page); ok || err != nil {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
	}
}

// TestOddIDs: an ID with control characters is none, in a list of ours as in another tool's.
func TestOddIDs(t *testing.T) {
	for _, id := range []string{"\x00", "a\x00b", "a\nb", "\u0085"} {
		page := Page{Time: at(1), URL: "https://example.com/", ID: id}
		odd := line{Time: at(1).Format(timeForm), URL: page.URL, ID: id}
		written, ok := Parse(page.Line())
		read, also := Parse(odd.encode())
		if page.ID = ""; !ok || !also || written != page || read != page ||
			bytes.Contains((&Page{Time: at(1), URL: page.URL, ID: id}).Line(), []byte(`\u00`)) {
			t.Errorf("%q: written %+v, read %+v", id, written, read)
		}
	}
}

// TestManyPages: more pages than memory holds.
func TestManyPages(t *testing.T) {
	const count = 35_000
	list := &List{Dir: t.TempDir()}
	defer list.Close()
	for i := range count + 9 { // some of them twice, as files that share pages name them
		page := Page{Time: at(0).Add(time.Duration(i*7919%count) * time.Second), URL: "https://a.example/",
			Title: strings.Repeat("t", 200)}
		if ok, err := list.Add(page); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	var out bytes.Buffer
	if _, err := list.WriteTo(&out); err != nil || list.Len() != count {
		t.Fatal(list.Len(), err)
	}
	last, n := "", 0
	for text := range strings.Lines(out.String()) {
		if text <= last {
			t.Fatalf("%q comes behind %q", text, last)
		}
		last, n = text, n+1
	}
	if n != count {
		t.Errorf("%d lines", n)
	}
}

// TestSeek: from any time on a long list gives the same pages as one that is read from its beginning.
func TestSeek(t *testing.T) {
	dir := newDir(t)
	const count = 3000
	var pages []Page
	for i := range count {
		page := Page{Time: at(i / 3 * 2), URL: fmt.Sprintf("https://a.example/%04d", i),
			Text: strings.Repeat("x", i%7*100)}
		if i%1000 == 999 {
			page.Text = strings.Repeat("y", 200<<10)
		}
		pages = append(pages, page)
	}
	add(t, dir, pages...)
	for _, second := range []int{-5, 0, 1, 2, 3, 500, 666, 667, 1331, 1332, 1333, 1997, 1998, 1999, 5000} {
		want := 0
		for _, page := range pages {
			if !page.Time.Before(at(second)) {
				want++
			}
		}
		got := all(t, dir, at(second), time.Time{})
		if len(got) != want || want > 0 && got[0].URL != pages[count-want].URL {
			t.Errorf("from %d: %d pages, want %d", second, len(got), want)
		}
	}
}

// TestFind: a page is found by its time and URL wherever it stands, and whatever its ID is.
func TestFind(t *testing.T) {
	dir := newDir(t)
	if _, found, err := Find(dir, at(0), "https://a.example/"); found || err != nil {
		t.Errorf("%v, %v, without a list", found, err)
	}
	const count = 3000
	var pages []Page
	for i := range count {
		pages = append(pages, Page{Time: at(i / 1000), URL: fmt.Sprintf("https://a.example/%04d\"#", i),
			ID: []string{"", "!", " ", "\"", "x"}[i%5], Title: "t", Text: strings.Repeat("x", i%7*100)})
	}
	add(t, dir, pages...)
	for i := 0; i < count; i += 37 {
		page, found, err := Find(dir, pages[i].Time, pages[i].URL)
		if err != nil || !found || page.ID != pages[i].ID || page.Text != pages[i].Text {
			t.Fatalf("%d: %.200v, %v, %v", i, page, found, err)
		}
		if page, found, err := Find(dir, at(i/1000+5), pages[i].URL); found || err != nil {
			t.Errorf("%d, later: %.200v, %v", i, page, err)
		}
		if page, found, err := Find(dir, pages[i].Time, pages[i].URL[:20]); found || err != nil {
			t.Errorf("%d, a shorter URL: %.200v, %v", i, page, err)
		}
	}
	if _, found, err := Find(dir, at(0), ""); found || err != nil {
		t.Errorf("without a URL: %v, %v", found, err)
	}
}

// FuzzParse: what is read is written so that it is read again, and no line is longer than MaxLine.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"url":"https://a.example/","ts":"2026-05-01T12:00:01.250Z","id":"1","title":"A"}`))
	f.Add([]byte(`{"url":"a","ts":"20260501120002","id":",\"title\":","text":"\ud800"}`))
	f.Add([]byte(`{"url":"a","ts":"0000-01-01T00:00:00+23:59"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		page, ok := Parse(text)
		if !ok {
			return
		}
		l := page.Line()
		if l == nil {
			return
		}
		if len(l) > MaxLine || bytes.ContainsAny(l, "\n\r") {
			t.Fatalf("%d bytes: %.100q", len(l), l)
		}
		again, ok := Parse(l)
		if !ok || !bytes.Equal(again.Line(), l) {
			t.Fatalf("%q becomes %q", l, again.Line())
		}
		if same := sameAs(l); !bytes.HasPrefix(l, same) || !strings.HasSuffix(string(same),
			fmt.Sprintf(`"id":%s`, same[bytes.LastIndex(same, []byte(`"id":`))+5:])) {
			t.Fatalf("%q stands for %q", l, same)
		}
	})
}
