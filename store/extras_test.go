package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// longText returns n bytes that cannot be deflated by much.
func longText(n int, seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 0))
	text := make([]byte, n)
	for i := range text {
		text[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[random.IntN(64)]
	}
	return string(text)
}

func TestExtras(t *testing.T) {
	var w extrasWriter
	var x extrasReader
	for _, test := range []struct {
		name string
		c    Capture
		most int // bytes of the value
	}{
		{"other bodies", Capture{RequestBody: "a=1", SpecBody: "__wb_post_data=a%3D1",
			WarcioJSBody: "a=1"}, 40},
		{"no body in one", Capture{RequestBody: "a=1", WarcioJSBody: "a=1"}, 13},
		{"no body in the other", Capture{RequestBody: "a=1", SpecBody: "a=1"}, 13},
		{"body in one alone", Capture{WarcioJSBody: "__wb_post_data="}, 30},
		{"cut body", Capture{RequestBody: longText(4096, 1), WarcioJSBody: longText(4096, 1),
			SpecBody: longText(5000, 1)}, 930},
		{"long body", Capture{RequestBody: "a=1", SpecBody: longText(100_000, 2)}, 80_000},
		{"long body that is simple", Capture{SpecBody: strings.Repeat("a", 1<<20)}, 6000},
		{"keys", Capture{URL: "http://example.com/A%2fB?c=d", PathKey: "http://example.com/A%2FB?c=d",
			WWWOFFLEKey: "http://example.com/A/B?c=d", FormKey: "c=d"}, 70},
		{"keys that are the URL", Capture{URL: "http://example.com/", PathKey: "http://example.com/",
			WWWOFFLEKey: "http://example.com/"}, 13},
		{"query", Capture{QueryKey: "com,example)/#body=00000000000000000000000000000000"}, 67},
		{"odd bytes", Capture{URL: "\xff", PathKey: "\x00\xff", FormKey: "ä", QueryKey: "\x00",
			SpecBody: "\n"}, 21},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !test.c.hasExtras() {
				t.Error("it has extras")
			}
			value, err := w.append(nil, &test.c, []byte(test.c.URLKey))
			if err != nil {
				t.Fatal(err)
			}
			if len(value) > test.most {
				t.Errorf("%d bytes", len(value))
			}
			got := Capture{URL: test.c.URL, RequestBody: test.c.RequestBody}
			if err := x.read(&got, nil, value); err != nil || got != test.c {
				t.Errorf("got  %.500v\nwant %.500v, %v", got, test.c, err)
			}
			if len(value) > 2000 {
				return
			}
			for n := range value { // whatever is cut off, it is seen
				if err := x.read(&got, nil, value[:n:n]); err == nil {
					t.Errorf("%d of %d bytes are no error", n, len(value))
				}
			}
			if err := x.read(&got, nil, append(value, 0)); err == nil {
				t.Error("a byte too many is no error")
			}
		})
	}
	if got := (Capture{RequestBody: "a"}); x.read(&got, nil, nil) != nil || got.SpecBody != "a" ||
		got.WarcioJSBody != "a" {
		t.Errorf("without extras: %+v", got)
	}
}

// TestCommitOfExtras commits captures with extras, others without, and the same again with others.
func TestCommitOfExtras(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	var captures []Capture
	for i := range 5 {
		c := captureOf(fmt.Sprintf("http://example.com/%d", i), testTime, file.Name, int64(i))
		c.Method, c.RequestBody, c.SpecBody, c.WarcioJSBody = "POST", "same", "same", "same"
		captures = append(captures, c)
	}
	captures[1].SpecBody = longText(100_000, 1)
	captures[2].WarcioJSBody = ""
	captures[3].PathKey, captures[3].FormKey = "/3", "form"
	check := func() {
		t.Helper()
		for i, c := range allOf(t, b, Query{}) {
			if err := readExtras(b, &c); err != nil || c != captures[i] {
				t.Errorf("got  %.500v\nwant %.500v, %v", c, captures[i], err)
			}
		}
	}
	commit(t, b, captures)
	check()
	captures[0].SpecBody = "other"
	captures[1].SpecBody = "same"
	captures[2].WarcioJSBody = "there"
	captures[3].FormKey = "another"
	commit(t, b, captures)
	check()
	twice := captures[4]
	twice.PathKey, twice.SpecBody = "/never", "never"
	commit(t, b, []Capture{twice, captures[4], captures[0]})
	check()
	for _, q := range []Query{{Key: PathKey, URL: "/never"}, {Key: FormKey, URL: "form"}} {
		if got := allOf(t, b, q); len(got) > 0 {
			t.Errorf("%s finds %+v", q.URL, got)
		}
	}
	if n, err := b.Count(); err != nil || n != 5 {
		t.Errorf("count %d, %v", n, err)
	}
}

// TestVeryLongExtras: the memory for a very long body is not kept.
func TestVeryLongExtras(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	c := captureOf("http://example.com/", testTime, file.Name, 0)
	c.Method, c.SpecBody = "POST", longText(24<<20, 1)
	commit(t, b, []Capture{c})
	if kept := max(cap(b.batch.buf), cap(b.batch.extras.plain),
		b.batch.extras.deflated.Cap()); kept > keepBatch {
		t.Errorf("%d bytes are kept", kept)
	}
	got := allOf(t, b, Query{})[0]
	if err := readExtras(b, &got); err != nil || got != c {
		t.Errorf("a body of %d bytes is one of %d, %v", len(c.SpecBody), len(got.SpecBody), err)
	}
}

func TestReadDamagedExtras(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	c := captureOf("http://example.com/", testTime, file.Name, 1)
	c.Method, c.SpecBody = "POST", "spec"
	commit(t, b, []Capture{c})
	if err := put(b, bucketExtras, appendLocation(nil, file.ID, 1), []byte{9, 9}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Export(bytes.NewBuffer(nil), Query{Dialect: "spec"}, nil); err == nil ||
		!strings.Contains(err.Error(), "damaged") {
		t.Errorf("got %v", err)
	}
	if err := b.Commit([]Capture{c}, nil); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("got %v", err)
	}
}

// FuzzDecodeExtras: whatever stands in the index, it is decoded or refused, with memory that is
// bounded; what is decoded is stored again as it was.
func FuzzDecodeExtras(f *testing.F) {
	var w extrasWriter
	var x extrasReader
	upload := captured(uploadOf("form", 2000, 1), testTime, "a.warc.gz", 0).capture
	odd := upload
	odd.URLKey += "x"
	for _, c := range []Capture{
		{URL: "http://example.com/", RequestBody: "a=1", SpecBody: "a=1&b=2", WarcioJSBody: "x",
			PathKey: "p", WWWOFFLEKey: "http://example.com/", FormKey: "f=/"},
		{URLKey: "com,example)/", QueryKey: "com,example)/#query=12", RequestBody: "a=1"},
		{SpecBody: strings.Repeat("a=1&", minDeflate)}, upload, odd,
	} {
		value, err := w.append(nil, &c, []byte(c.URLKey))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(value, c.URL, c.RequestBody, c.URLKey)
	}
	f.Fuzz(func(t *testing.T, value []byte, url, body, urlKey string) {
		known := Capture{URL: url, Method: "POST", RequestBody: body, URLKey: urlKey}
		escaped := appendURLKey(nil, urlKey)
		key := appendKey(nil, escaped, testTime, 1, 2)
		if len(escaped) > maxCutKey {
			key = appendKeyTail(appendCutHead(nil, escaped), testTime, 1, 2)
		}
		c := known
		var err error
		took := allocated(func() { err = x.read(&c, key, value) })
		if most := 8*maxDeflate*len(value) + 100*(len(url)+len(body)) + 1<<20; took > uint64(most) {
			t.Errorf("%d bytes take %d", len(value), took)
		}
		if err != nil {
			return
		}
		again, err := w.append(nil, &c, []byte(c.URLKey))
		if err != nil {
			t.Fatal(err)
		}
		got := known
		got.RequestBody = c.RequestBody
		if err := x.read(&got, key, again); err != nil || got != c {
			t.Fatalf("%+v became %+v, %v", c, got, err)
		}
	})
}

// readExtras fills the extras of c.
func readExtras(b *Bolt, c *Capture) error {
	file, _ := b.files.named(c.File)
	key := appendKey(nil, []byte("x"), c.Time, file.ID, c.Offset)
	var x extrasReader
	return b.read(func(s snapshot) error {
		return x.read(c, key, s.bucket(bucketExtras).Get(appendLocation(nil, file.ID, c.Offset)))
	})
}
