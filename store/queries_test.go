package store

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"warcorder/canon"
	"warcorder/proxy/raced"
)

// unzipped returns what a file of testdata inflates to.
func unzipped(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sums returns the SHA-256 of the lines, by each key and in each dialect.
func sums(t *testing.T, b *Bolt) string {
	t.Helper()
	var all strings.Builder
	for _, key := range []Key{URLKey, PathKey, WWWOFFLEKey, FormKey} {
		for _, d := range dialects {
			sum := sha256.New()
			if _, err := b.Export(sum, Query{Key: key, Dialect: d}, nil); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&all, "%x  %s %s\n", sum.Sum(nil), key, d)
		}
	}
	return all.String()
}

// TestIndexOfFormat1 has an index that a program made which kept each query where it came, and the
// sums of the lines that it made of it. The lines stay as they are while the index is read, when it
// is opened for writing, and when its captures are committed again, as they are stored now.
func TestIndexOfFormat1(t *testing.T) {
	want, err := os.ReadFile("testdata/index-1.sums")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "index.bolt")
	if err := os.WriteFile(path, unzipped(t, "index-1.bolt.gz"), 0o600); err != nil {
		t.Fatal(err)
	}
	resting, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := sums(t, resting); got != string(want) {
		t.Errorf("at rest: %s, want %s", got, want)
	}
	b, err := openToWrite(path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if got := sums(t, b); got != string(want) {
		t.Errorf("opened: %s, want %s", got, want)
	}
	before, captures := usedBy(t, b), withExtras(t, b)
	commit(t, b, captures)
	if got := sums(t, b); got != string(want) {
		t.Errorf("committed again: %s, want %s", got, want)
	}
	if n, err := b.Count(); err != nil || int(n) != len(captures) {
		t.Errorf("%d captures are %d, %v", len(captures), n, err)
	}
	if after := usedBy(t, b); after > before*2/3 {
		t.Errorf("%d bytes have become %d", before, after)
	}
}

// withExtras returns all captures, with all that is stored of them.
func withExtras(t *testing.T, b *Bolt) []Capture {
	t.Helper()
	captures := allOf(t, b, Query{})
	var x extrasReader
	err := b.view(URLKey, func(c cursor) error {
		for k, _ := c.walker.First(); k != nil; k, _ = c.next() {
			offset := indexKey(k).offset()
			at := slices.IndexFunc(captures, func(c Capture) bool { return c.Offset == offset })
			if err := x.read(&captures[at], k, c.extras.Get(indexKey(k).location())); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return captures
}

// usedBy returns how many bytes the pages of an index take to which something leads.
func usedBy(t testing.TB, b *Bolt) (used int64) {
	t.Helper()
	err := b.writing.db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(_ []byte, bucket *bbolt.Bucket) error {
			stats := bucket.Stats()
			used += int64(stats.BranchAlloc + stats.LeafAlloc)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return used
}

// longExchanges returns exchanges whose SURTs have much in common, some of them all that stands in
// a key: GETs with long URLs and uploads, beside what someExchanges has.
func longExchanges(n int, file string, seed uint64) []exchange {
	random := rand.New(rand.NewPCG(seed, 6))
	pick := func(from ...int) int { return from[random.IntN(len(from))] }
	all := someExchanges(n/4, file, seed)
	for len(all) < n {
		r := canon.Request{URL: "http://example.com/?a=" +
			strings.Repeat("a", pick(0, 0, 400, 480, 487, 488, 489, 490, 491, 492, 493, 494, 600))}
		same := strings.Repeat("same ", pick(0, 1, 10, 100, 200, 300, 1000))
		body := same + longText(pick(1, 10, 2000, 5000), random.Uint64N(20))
		switch random.IntN(5) {
		case 0:
			r.URL += "&z=" + strings.Repeat("z", pick(1, 500, 1000, maxURLKey)) + fmt.Sprint(random.IntN(9))
		case 1:
			r.Method, r.ContentType, r.Body = "POST", "text/plain", []byte(body)
		case 2:
			r.Method, r.ContentType = "PUT", "application/x-www-form-urlencoded"
			r.Body = []byte("b=" + body)
		case 3:
			r.Method, r.ContentType = "POST", "application/json"
			r.Body = fmt.Appendf(nil, `{"b":%q,"c":[1.50,"%%"]}`, body)
		case 4:
			r = uploadOf(uploadKinds[random.IntN(len(uploadKinds))], pick(700, 2000, 9000),
				random.Uint64N(30))
			r.Method = []string{"POST", "put", "PATCH", "Post"}[random.IntN(4)]
		}
		at := testTime.Add(time.Duration(random.IntN(3000)) * time.Millisecond)
		all = append(all, captured(r, at, file, int64(len(all))))
	}
	return all
}

// TestLinesOfLongQueries: the lines are those that canon makes of the requests, whatever stands of
// them in keys, values and extras; in one slice and in many.
func TestLinesOfLongQueries(t *testing.T) {
	for _, n := range []int{400, raced.Of(2 * sliceKeys)} {
		b := newIndex(t)
		file := addFile(t, b, "a.warc.gz")
		b.sortMemory = 200_000
		exchanges := longExchanges(n, file.Name, uint64(n))
		random := rand.New(rand.NewPCG(1, 1))
		random.Shuffle(n, func(i, j int) { exchanges[i], exchanges[j] = exchanges[j], exchanges[i] })
		for some := range slices.Chunk(exchanges, 300) {
			commit(t, b, capturesOf(some))
		}
		for _, d := range dialects {
			got, _ := exportOf(t, b, Query{Dialect: d})
			sameLines(t, got, dialectLines(exchanges, d))
		}
		all := dialectLines(exchanges, canon.Pywb)
		for i := range exchanges[:raced.Of(min(n, 160_000/n))] {
			keys := canon.Pywb.Keys(&exchanges[i].Request)
			key := string(appendURLKey(nil, keys.URLKey))
			got, _ := exportOf(t, b, Query{URL: keys.URL})
			sameLines(t, got, those(all, func(k, _ string) bool { return k == key }))
			if i%4 > 0 || !keys.OK {
				continue
			}
			low, high, err := Prefix.bounds(key, keys.URL)
			if err != nil {
				t.Fatal(err)
			}
			got, _ = exportOf(t, b, Query{URL: keys.URL, Match: Prefix, From: "20261121054513"})
			sameLines(t, got, those(all, func(k, line string) bool {
				return k+" " >= string(low) && k+" " < string(high) && line[len(k)+1:] >= "20261121054513"
			}))
		}
	}
}

// TestCommitAgainWithLongQueries: a capture replaces the one that was stored at its place, whether
// the keys of either are cut or not, and what led to that is gone.
func TestCommitAgainWithLongQueries(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	key := "com,example)/?" + strings.Repeat("q", 3000)
	c := captureOf("http://example.com/", testTime, file.Name, 1)
	c.URLKey, c.Method = key, "POST"
	for i, size := range []int{3000, 10, 3000, 3001, maxPlainQuery, maxPlainQuery + 1, 0} {
		c.RequestBody, c.PathKey = longText(size, uint64(i)), fmt.Sprint("/", i)
		c.SpecBody, c.WarcioJSBody = c.RequestBody+"&", c.RequestBody
		commit(t, b, []Capture{c})
		for _, q := range []Query{{}, {URL: "http://example.com/?" + strings.Repeat("q", 3000)},
			{Key: PathKey}} {
			got := allOf(t, b, q)
			if len(got) != 1 || got[0].URLKey != key || got[0].RequestBody != c.RequestBody {
				t.Errorf("query of %d bytes, by %s: %d captures, %.300v", size, q.Key, len(got), got)
			}
		}
		if got := withExtras(t, b)[0]; got.SpecBody != c.SpecBody || got.PathKey != c.PathKey {
			t.Errorf("query of %d bytes: extras %.300v", size, got)
		}
		if n, err := b.Count(); n != 1 || err != nil {
			t.Errorf("query of %d bytes: %d captures, %v", size, n, err)
		}
	}
}

// TestCommitIntoRunThatIsRead: a capture whose cut key comes into a run that is being read has no
// line in that reading, as its line might belong before one that has been given.
func TestCommitIntoRunThatIsRead(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	var captures []Capture
	for i := range 2 * sliceKeys {
		url := fmt.Sprintf("http://example.com/?%s%06d", strings.Repeat("q", 600), i)
		captures = append(captures, captureOf(url, testTime, file.Name, int64(i)))
	}
	commit(t, b, captures)
	upload := captureOf(captures[0].URL[:300], testTime, file.Name, 1<<20)
	upload.Method, upload.RequestBody = "POST", strings.Repeat("q", 5000)
	upload.URLKey = captures[0].URLKey[:600]
	n := 0
	err := b.Captures(Query{}, func(c *Capture) bool {
		if n++; n == 1 {
			commit(t, b, []Capture{upload})
		}
		return c.Offset < upload.Offset
	})
	if err != nil || n != len(captures) {
		t.Errorf("%d captures of %d, %v", n, len(captures), err)
	}
	if got := allOf(t, b, Query{}); len(got) != n+1 || got[0].Offset != upload.Offset {
		t.Errorf("afterwards: %d captures, the first %+v", len(got), got[0].Location)
	}
}

// TestDamagedQueries: what is kept of a long query is found to be damaged, or read as it was.
func TestDamagedQueries(t *testing.T) {
	r := uploadOf("json", 2000, 1)
	c := captured(r, testTime, "a.warc.gz", 5).capture
	var w extrasWriter
	urlKey := appendURLKey(nil, c.URLKey)
	value, err := w.append(nil, &c, urlKey)
	if err != nil {
		t.Fatal(err)
	}
	key := indexKey(appendKeyTail(appendCutHead(nil, urlKey), c.Time, 1, c.Offset))
	var x extrasReader
	read := func(value []byte) (Capture, error) {
		var d decoder
		got, err := d.decode(key, appendValue(nil, urlKey, &c))
		if err != nil {
			t.Fatal(err)
		}
		got.File = c.File
		err = x.read(&got, key, value)
		return got, err
	}
	if got, err := read(value); err != nil || got != c {
		t.Fatalf("got %.500v\nwant %.500v, %v", got, c, err)
	}
	for n := range value {
		if _, err := read(value[:n:n]); err == nil && n > 0 {
			t.Errorf("%d of %d bytes are no error", n, len(value))
		}
		changed := bytes.Clone(value)
		changed[n] ^= 1
		if got, err := read(changed); err == nil && got.URLKey != c.URLKey {
			t.Errorf("byte %d: another SURT is no error", n)
		}
	}
}

// TestRunOfCutKeys: captures whose keys are cut alike, as a page may make as many as it likes, are
// read in time and memory by their length.
func TestRunOfCutKeys(t *testing.T) {
	n := raced.Of(6000)
	b := newIndex(t)
	b.sortMemory = 1 << 20
	file := addFile(t, b, "a.warc.gz")
	captures := make([]Capture, n)
	for i := range captures {
		body := strings.Repeat("same+", 300) + longText(2000, uint64(i*7919%n))
		r := canon.Request{URL: "http://example.com/", Method: "POST", Body: []byte(body),
			ContentType: "application/x-www-form-urlencoded", BodyLen: int64(len(body))}
		captures[i] = captured(r, testTime, file.Name, int64(i)).capture
	}
	commit(t, b, captures)
	began, lines := time.Now(), sha256.New()
	took := allocated(func() {
		if _, err := b.Export(lines, Query{}, nil); err != nil {
			t.Error(err)
		}
	})
	const perCapture = 150_000 // bytes: of a line of 9 KB that is made thrice
	if took > uint64(n)*perCapture {
		t.Errorf("%d bytes allocated for each capture", took/uint64(n))
	}
	if per := time.Since(began) / time.Duration(n); per > 10*time.Millisecond {
		t.Errorf("%v for each capture", per)
	}
	want := make([]string, n)
	for i := range captures {
		want[i] = string(captures[i].AppendCDXJ(nil)) + "\n"
	}
	slices.Sort(want)
	if sum := sha256.Sum256([]byte(strings.Join(want, ""))); !bytes.Equal(lines.Sum(nil), sum[:]) {
		t.Error("the lines are others")
	}
}

// TestExactAmongLongURLs: of URLs that begin alike no more are looked at than are asked for, beside
// those whose keys are cut.
func TestExactAmongLongURLs(t *testing.T) {
	b := newIndex(t)
	file := addFile(t, b, "a.warc.gz")
	var captures []Capture
	for i := range 2000 {
		url := fmt.Sprintf("http://example.com/?%s%06d", strings.Repeat("q", 2*maxCutKey), i)
		captures = append(captures, captureOf(url, testTime, file.Name, int64(i)))
	}
	upload := captureOf(captures[500].URL, testTime, file.Name, 1<<20)
	upload.Method, upload.RequestBody = "POST", longText(2000, 1)
	for _, with := range [][]Capture{captures, {upload}} {
		commit(t, b, with)
		span, err := Query{URL: captures[500].URL}.span()
		if err != nil {
			t.Fatal(err)
		}
		found, keys := 0, 0
		err = b.slices(span, func(s *slice) (bool, error) {
			found, keys = found+len(s.captures), keys+s.keys
			return true, nil
		})
		want := 1 // and then the upload, whose URL key is the same
		if len(with) == 1 {
			want = 2
		}
		if err != nil || found != want || keys > 2*want {
			t.Errorf("%d found, want %d; %d keys were looked at, %v", found, want, keys, err)
		}
	}
}
