package store

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"testing"
	"time"
)

// stored returns what becomes of c when it is stored as a capture in file 3 and read again.
func stored(t *testing.T, c Capture) Capture {
	t.Helper()
	urlKey := appendURLKey(nil, c.URLKey)
	key := appendKey(nil, urlKey, c.Time.UTC(), 3, c.Offset)
	value := appendValue(nil, urlKey, &c)
	var d decoder
	got, err := d.decode(key, value)
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	if indexKey(key).file() != 3 {
		t.Errorf("file is %d", indexKey(key).file())
	}
	got.File = c.File
	return got
}

func TestValue(t *testing.T) {
	long := "com,example)/?q=" + strings.Repeat("x", maxURLKey)
	for _, test := range append(golden[:7:7],
		Capture{URLKey: "com,example)/A", URL: "http://www.example.com/a", Time: testTime},
		Capture{URLKey: "com,example)/", URL: "", Time: testTime},
		Capture{URLKey: "-", URL: "-", Time: testTime},
		Capture{URLKey: "x)/a", URL: "the SURT is the end of this: x)/a", Time: testTime},
		Capture{URLKey: "x)/a/b", URL: "/a/b", Time: testTime},
		Capture{URLKey: long[:maxURLKey], URL: "http://example.com/?q=" + strings.Repeat("x", 100),
			Time: testTime},
		Capture{URLKey: long[:maxURLKey+1], URL: "http://example.com/?q=" + strings.Repeat("x", 100),
			Time: testTime},
		Capture{URLKey: long, URL: "http://example.com/?q=" + strings.Repeat("x", maxURLKey),
			Time: testTime, RequestBody: "q"},
		Capture{URLKey: "x", Digest: "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBY\n", Time: testTime},
		Capture{URLKey: "x", Digest: "sha1:3i42h3s6nnfq2msvx7xzkyayscx5qbyj", Time: testTime},
		Capture{URLKey: "x", Digest: "SHA1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", Time: testTime},
		// 1 is no base32
		Capture{URLKey: "x", Digest: "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBY1", Time: testTime},
		Capture{URLKey: "x", Digest: "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ====", Time: testTime},
		Capture{URLKey: "x", Time: time.Date(1, 1, 1, 0, 0, 0, 999_999_000, time.UTC),
			Entity: math.MaxUint32, Truncated: true, Whole: true},
		Capture{URLKey: "x", Time: testTime, Truncated: true},
		Capture{URLKey: "x", Time: testTime, Whole: true},
		Capture{URLKey: "x", Time: testTime.Truncate(time.Second), Entity: 1},
		Capture{URLKey: "x", Time: time.Date(9999, 12, 31, 23, 59, 59, 1_000, time.UTC)},
	) {
		got := stored(t, test)
		test.Time = test.Time.UTC()
		if got != test {
			t.Errorf("got  %+v\nwant %+v", got, test)
		}
	}
}

func TestValueOfOddCapture(t *testing.T) {
	got := stored(t,
		Capture{URLKey: "a b\xff", Time: time.Date(12026, 1, 2, 3, 4, 5, 999, time.UTC), Status: -5})
	want := Capture{
		URLKey: "a%20b%FF",
		Time:   time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestGETIsShort: a GET without secondary keys takes no byte for what other captures may have.
func TestGETIsShort(t *testing.T) {
	const fixed = 2 + 2 + 2 + 2 + 1 + 21 + 1 + 1 + 2 // but for the texts
	c := Capture{
		URLKey:   "com,example)/index.html",
		URL:      "http://example.com/index.html",
		Time:     testTime,
		MIME:     "text/html",
		Status:   200,
		Digest:   "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
		Location: Location{"w.warc.gz", 5, 6000},
	}
	value := appendValue(nil, []byte(c.URLKey), &c)
	if want := fixed + len("text/html") + len("http://example.com"); len(value) != want ||
		value[1] != flagDigestSHA1 {
		t.Errorf("%d bytes, want %d, flags %x", len(value), want, value[1])
	}
}

// TestValueStays: a capture of which nothing is known as a part or a whole is stored as it was
// before there was anything to know. The value of any other differs where a program that does not
// know that reads over it: in flags that it does not look at, and beyond the microseconds.
func TestValueStays(t *testing.T) {
	const before = "0101d902c801c80309746578742f68746d6c14da39a3ee5e6b4b0d3255bfef95601890afd80709" +
		"0000011368747470733a2f2f6578616d706c652e636f6d"
	c := golden[0]
	value := appendValue(nil, appendURLKey(nil, c.URLKey), &c)
	if got := hex.EncodeToString(value); got != before {
		t.Errorf("%s", got)
	}
	c.Truncated, c.Whole, c.Entity = true, true, math.MaxUint32
	with := appendValue(nil, appendURLKey(nil, c.URLKey), &c)
	const micro = 2 + 2 + 2 // where the microseconds are, two bytes
	n, size := binary.Uvarint(with[micro:])
	if n%1000 != 456 || size > 6 || !bytes.Equal(with[2:micro], value[2:micro]) ||
		!bytes.Equal(with[micro+size:], value[micro+2:]) || with[0] != value[0] ||
		with[1] != value[1]|flagTruncated|flagWhole {
		t.Errorf("%x beside %x", with, value)
	}
}

func TestSHA1IsStoredInBinary(t *testing.T) {
	with, without := golden[0], golden[0]
	without.Digest = ""
	if n := len(appendValue(nil, nil, &with)) - len(appendValue(nil, nil, &without)); n != 20 {
		t.Errorf("a digest takes %d bytes", n)
	}
}

// FuzzDecode: whatever stands in the index, it is decoded or refused; what is decoded is stored
// again as it was.
func FuzzDecode(f *testing.F) {
	for _, c := range golden {
		urlKey := appendURLKey(nil, c.URLKey)
		f.Add(appendKey(nil, urlKey, c.Time.UTC(), 1, c.Offset), appendValue(nil, urlKey, &c))
	}
	long := []byte(strings.Repeat("x", maxURLKey+1))
	f.Add(appendKey(nil, long, testTime, 1, 2), appendValue(nil, long, &golden[0]))
	upload := Capture{Method: "POST", RequestBody: string(long)}
	f.Add(appendKeyTail(appendCutHead(nil, long), testTime, 1, 2), appendValue(nil, long, &upload))
	f.Fuzz(func(t *testing.T, key, value []byte) {
		longURLKey(value)
		if indexKey(key).check() != nil {
			return
		}
		indexKey(key).run()
		var d decoder
		c, err := d.decode(key, value)
		if err != nil {
			return
		}
		urlKey := []byte(c.URLKey)
		if len(urlKey) == 0 || c.Time.Year() < 0 || c.Time.Year() > 9999 {
			return // not what we write
		}
		again, err := d.decode(appendKey(nil, urlKey, c.Time, 1, c.Offset), appendValue(nil, urlKey, &c))
		if err != nil || again != c {
			t.Fatalf("%+v became %+v, %v", c, again, err)
		}
	})
}
