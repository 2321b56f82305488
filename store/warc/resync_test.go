package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"testing"

	"warcorder/store/warc/deflate"
)

// span is a part of a file.
type span struct{ from, to int64 }

// walkOn reads file to its end, over all that is damaged, and returns what its whole records are
// called (the ends of their IDs), and what it has skipped.
func walkOn(t testing.TB, file []byte) (ids []string, skipped []span) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file), "test", 0)
	if err != nil {
		t.Fatal(err)
	}
	for {
		record, err := r.Next()
		if err == nil {
			if err = record.Close(); err == nil {
				id := record.Header.Get("WARC-Record-ID")
				ids = append(ids, string(bytes.TrimLeft([]byte(id[max(0, len(id)-13):max(0, len(id)-1)]), "0")))
			}
		}
		if err == nil {
			continue
		}
		if err == io.EOF {
			return ids, skipped
		}
		var damage *Damage
		if !errors.As(err, &damage) {
			t.Fatal(err)
		}
		from, to, err := r.Resync()
		if err == io.EOF {
			if _, again := r.Next(); !errors.Is(again, damage) || to != int64(len(file)) ||
				from != damage.Offset {
				t.Fatalf("at the end, %d to %d: Next gives %v", from, to, again)
			}
			return ids, append(skipped, span{from, to})
		}
		if err != nil || from != damage.Offset || to <= from || to >= int64(len(file)) ||
			r.Offset() != to {
			t.Fatalf("damage at %d: skipped %d to %d, %v", damage.Offset, from, to, err)
		}
		if len(skipped) > 0 && from < skipped[len(skipped)-1].to {
			t.Fatalf("skipped %d to %d after %v", from, to, skipped)
		}
		skipped = append(skipped, span{from, to})
	}
}

// numbered returns the member of a record whose ID ends in that number.
func numbered(number int, body []byte) []byte {
	return newRecord(number, body).member(number%2 == 0)
}

// withoutSkip returns the member without lengths in its `sl` field.
func withoutSkip(member []byte) []byte {
	member = bytes.Clone(member)
	putSkipLengths(member[skipLengths:], 0, 0)
	return member
}

func flipped(member []byte, at int) []byte {
	member = bytes.Clone(member)
	if at < 0 {
		at += len(member)
	}
	member[at] ^= 0x55
	return member
}

// claiming returns the member of a record 4 whose body begins another: one that seems to be whole
// and to end where that of the record does.
func claiming() []byte {
	const body = 1000
	text := len(newRecord(4, make([]byte, body)).text())
	head := fmt.Appendf(nil, "WARC/1.1\r\nWARC-Record-ID: <urn:uuid:000000000666>\r\n")
	head = AppendInt(head, "Content-Length",
		int64(text-len(head)-len("Content-Length: 1234\r\n\r\n")-len(RecordEnd)))
	head = append(head, "\r\n"...)
	var e deflate.Encoder
	e.Begin([]byte(memberHeader))
	e.StoreHeader(900, false)
	inner := join(e.End(), head)
	rest := body + len(RecordEnd) + memberTrailer // of the record's own member, from its body on
	putSkipLengths(inner[skipLengths:], int64(rest), int64(text))
	return newRecord(4, append(inner, make([]byte, body-len(inner))...)).member(true)
}

// TestResync has a record 1, what is damaged, and records 2 and 3.
func TestResync(t *testing.T) {
	member4, large := numbered(4, textBody(5000)), numbered(4, encodedBody(300_000))
	embedded := join(numbered(101, textBody(100)), numbered(102, encodedBody(20_000)),
		numbered(103, nil))
	archive := numbered(4, embedded)
	zeroed := bytes.Clone(large)
	clear(zeroed[4096:12288])
	cut := func(b []byte, from, until int) []byte { return join(b[:from], b[until:]) }
	embeddedAt := bytes.Index(archive, embedded[:24])
	for _, test := range []struct {
		name   string
		damage []byte
		want   []string // beside 1, 2 and 3
	}{
		{"torn after one byte", member4[:1], nil},
		{"torn in the gzip header", member4[:20], nil},
		{"torn in the WARC header", member4[:60], nil},
		{"torn in the body", member4[:len(member4)/2], nil},
		{"torn in a large stored body", large[:len(large)/2], nil},
		{"torn in the trailer", member4[:len(member4)-3], nil},
		{"first byte", flipped(member4, 0), nil},
		{"third byte", flipped(member4, 2), nil},
		{"flags", flipped(member4, 3), nil},
		{"length of the extra field", flipped(member4, 10), nil},
		{"skip length", flipped(flipped(member4, 16), 40), nil},
		{"skip length, far too large", flipped(flipped(member4, 19), 40), nil},
		{"deflate", flipped(member4, 30), nil},
		{"body", flipped(large, len(large)/2), nil},
		{"checksum", flipped(member4, -8), nil},
		{"size", flipped(member4, -2), nil},
		{"zeros in the body", zeroed, nil},
		{"all zeros", make([]byte, len(member4)), nil},
		{"many zeros", make([]byte, 3<<20), nil},
		{"one byte", []byte{0}, nil},
		{"garbage", encodedBody(100_000), nil},
		{"much garbage", encodedBody(3 << 20), nil},
		{"magic numbers", bytes.Repeat([]byte(gzipMagic), 1000), nil},
		{"up to a window", make([]byte, resyncWindow), nil},
		{"a byte less", make([]byte, resyncWindow-1), nil},
		{"two bytes less", make([]byte, resyncWindow-2), nil},
		{"a byte more", make([]byte, resyncWindow+1), nil},
		{"an empty member", member(""), nil},
		{"a member of something else", member("HTTP/1.1 200 OK\r\n\r\n"), nil},
		{"two records in a member", member(newRecord(4, nil).text() + newRecord(5, nil).text()), nil},
		{"two damaged members", join(flipped(member4, 50), flipped(large, 200_000)), nil},
		{"two with a whole one between",
			join(flipped(member4, 50), numbered(5, nil), flipped(large, 200_000)), []string{"5"}},
		{"torn, then a whole one, then torn", join(large[:1000], numbered(5, nil), member4[:100]),
			[]string{"5"}},
		{"another gzip writer's, torn", member(newRecord(4, textBody(5000)).text())[:500], nil},
		{"an archive in the body", flipped(archive, 200), nil},
		{"an archive in the body, its first byte", flipped(archive, 0), nil},
		{"an archive in the body, its checksum", flipped(archive, -8), nil},
		{"an archive in the body, its size", flipped(archive, -4), nil},
		{"an archive in the body, damaged itself", flipped(archive, embeddedAt+300), nil},
		// nothing tells them apart
		{"an archive in the body, no skip length", flipped(withoutSkip(archive), -8),
			[]string{"101", "102", "103"}},
		{"an archive in the body, cut out of it", cut(archive, embeddedAt+200, embeddedAt+210),
			[]string{"102", "103"}},
		{"as much as the next is long", cut(large, 100_000, 100_000+len(numbered(2, textBody(3000)))),
			nil},
		{"as much as the next two are long",
			cut(large, 100_000, 100_000+len(numbered(2, textBody(3000)))+len(numbered(3, nil))), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, after := numbered(1, textBody(100)), join(numbered(2, textBody(3000)), numbered(3, nil))
			if embeddedAt < 0 {
				t.Fatal("the archive is not in the body as it is")
			}
			ids, skipped := walkOn(t, join(before, test.damage, after))
			if want := append(append([]string{"1"}, test.want...), "2", "3"); !reflect.DeepEqual(ids, want) {
				t.Errorf("in the middle: %v, want %v", ids, want)
			}
			if last := skipped[len(skipped)-1].to; skipped[0].from != int64(len(before)) ||
				last != int64(len(before)+len(test.damage)) {
				t.Errorf("skipped %v, the damage is %d to %d", skipped, len(before),
					len(before)+len(test.damage))
			}
			ids, skipped = walkOn(t, join(test.damage, before))
			if want := append(append([]string(nil), test.want...), "1"); !reflect.DeepEqual(ids, want) ||
				skipped[0].from != 0 {
				t.Errorf("at the start: %v, want %v", ids, want)
			}
		})
	}
}

// TestResyncAtTheEnd: where nothing of the file's own follows, the end of the file does.
func TestResyncAtTheEnd(t *testing.T) {
	embedded := join(numbered(101, textBody(100)), numbered(102, encodedBody(70_000)),
		numbered(103, nil))
	archive := newRecord(4, embedded).member(true)
	text := newRecord(4, textBody(50_000)).member(false)
	for name, damage := range map[string][]byte{
		"torn":                         text[:len(text)/2],
		"torn in a header":             text[:5],
		"damaged":                      flipped(text, 1000),
		"zeros":                        make([]byte, 100_000),
		"garbage":                      encodedBody(100_000),
		"one byte":                     {0x1f},
		"an archive in the body":       flipped(archive, 100),
		"an archive in the body, torn": archive[:len(archive)-1000],
		"an archive in the body, torn at its end": archive[:len(archive)-5],
		"an archive in the body, being streamed":  withoutSkip(archive)[:len(archive)-1000],
	} {
		ids, skipped := walkOn(t, join(numbered(1, nil), damage))
		if !reflect.DeepEqual(ids, []string{"1"}) || len(skipped) != 1 {
			t.Errorf("%s: records %v, skipped %v", name, ids, skipped)
		}
	}
}

// TestResyncTrustsNoBody: where the `sl` field says where a damaged member ends, nothing in its
// body is looked at.
func TestResyncTrustsNoBody(t *testing.T) {
	damage := flipped(claiming(), 60)
	ids, skipped := walkOn(t, join(damage, numbered(1, nil)))
	if !reflect.DeepEqual(ids, []string{"1"}) ||
		!reflect.DeepEqual(skipped, []span{{0, int64(len(damage))}}) {
		t.Errorf("records %v, skipped %v", ids, skipped)
	}
}

// TestResyncWithoutDamage: there is nothing to skip.
func TestResyncWithoutDamage(t *testing.T) {
	file := numbered(1, nil)
	r, err := NewReader(bytes.NewReader(file), "test", 0)
	if err != nil {
		t.Fatal(err)
	}
	if from, to, err := r.Resync(); from != 0 || to != 0 || err != nil {
		t.Errorf("at the start: %d, %d, %v", from, to, err)
	}
	if record, err := r.Next(); err != nil || record.Close() != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err != io.EOF {
		t.Fatal(err)
	}
	if from, to, err := r.Resync(); from != int64(len(file)) || to != from || err != io.EOF {
		t.Errorf("at the end: %d, %d, %v", from, to, err)
	}
}

// TestResyncFileError: an error of the disk is no end of the file.
func TestResyncFileError(t *testing.T) {
	broken := errors.New("broken")
	file := &breakingFile{ReadSeeker: bytes.NewReader(join([]byte("garbage"), numbered(1, nil)))}
	r, err := NewReader(file, "test", 0)
	if err != nil {
		t.Fatal(err)
	}
	_, damage := r.Next()
	file.err = broken
	if _, _, err := r.Resync(); !errors.Is(err, broken) || errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
	if _, err := r.Next(); !errors.Is(err, damage) {
		t.Errorf("then Next gives %v", err)
	}
	file.err = nil
	if _, to, err := r.Resync(); to != int64(len("garbage")) || err != nil {
		t.Errorf("when the disk is back: %d, %v", to, err)
	}
}

type breakingFile struct {
	io.ReadSeeker
	err error
}

func (f *breakingFile) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.ReadSeeker.Read(p)
}

// TestResyncLosesNothing damages a file in one place after another: each record whose member was
// not touched is read, and none that is not the file's.
func TestResyncLosesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	var file []byte
	var ends []int
	for i := range 12 {
		var body []byte
		switch i % 4 {
		case 0:
			body = textBody(random.IntN(3000))
		case 1:
			body = encodedBody(random.IntN(100_000))
		case 2:
			body = encodedBody(random.IntN(500))
		}
		file = append(file, numbered(i+1, body)...)
		ends = append(ends, len(file))
	}
	for round := range 1200 {
		at, size := random.IntN(len(file)), 1+random.IntN(1<<random.IntN(16))
		size = min(size, len(file)-at)
		changed, what := bytes.Clone(file), ""
		switch round % 4 {
		case 0:
			changed, what = join(file[:at], file[at+size:]), "cut out"
		case 1:
			changed[at] ^= 1 << random.IntN(8)
			size, what = 1, "flipped"
		case 2:
			clear(changed[at : at+size])
			what = "zeroed"
		case 3:
			copy(changed[at:at+size], encodedBody(size))
			what = "overwritten"
		}
		ids, _ := walkOn(t, changed)
		if lost := lost(ids, ends, at, at+size); lost != "" {
			t.Fatalf("%d bytes at %d %s: record %s is lost, there are %v", size, at, what, lost, ids)
		}
	}
}

// lost returns the first record that does not lie between from and until, and is not there.
func lost(ids []string, ends []int, from, until int) string {
	there := make(map[string]bool)
	for _, id := range ids {
		there[id] = true
	}
	start := 0
	for i, end := range ends {
		if id := fmt.Sprint(i + 1); (end <= from || start >= until) && !there[id] {
			return id
		}
		start = end
	}
	return ""
}

// FuzzResync: whatever the bytes, reading comes to the end of the file, and skips forward only;
// walkOn sees to it.
func FuzzResync(f *testing.F) {
	file, ends := smallFile()
	f.Add(file)
	f.Add(join(file[:ends[1]], file[ends[1]+10:]))
	f.Add(join([]byte("garbage"), file[:ends[2]-3]))
	f.Add(join(numbered(1, nil), flipped(numbered(2, file), -8), numbered(3, nil)))
	f.Add(join(withoutSkip(numbered(2, file))[:600], numbered(3, nil)))
	f.Add(bytes.Repeat([]byte(gzipMagic), 100))
	f.Fuzz(func(t *testing.T, file []byte) { walkOn(t, file) })
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
