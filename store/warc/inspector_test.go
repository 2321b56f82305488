package warc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// inspecting returns a Compressor whose members are inflated again. Its Inspector fails the test.
func inspecting(t testing.TB) *Compressor {
	c := &Compressor{Inspector: &Inspector{Failed: func(err error) { t.Error(err) }}}
	c.Exchange(true)
	return c
}

// poisoned returns a Compressor that has done with package deflate.
func poisoned() *Compressor {
	c := &Compressor{Inspector: new(Inspector)}
	c.Inspector.poison(errors.New("by the test"))
	c.Exchange(true)
	return c
}

// longBodies are bodies, and some of which only the start is inflated again when they are streamed.
func longBodies() map[string][]byte {
	all := bodies()
	for _, n := range []int{maxInspected, maxInspected + 1} {
		all[fmt.Sprint("text ", n)] = textBody(n)
		all[fmt.Sprint("encoded ", n)] = encodedBody(n)
	}
	all["zeros"] = make([]byte, maxInspected+200_000) // whose matches take two bits each
	return all
}

func TestInspectedAndPlainMembers(t *testing.T) {
	for name, c := range map[string]*Compressor{"inspected": inspecting(t), "plain": poisoned()} {
		for bodyName, body := range longBodies() {
			for _, stored := range []int{-1, 2} {
				t.Run(fmt.Sprintf("%s/%s/stored %d", name, bodyName, stored), func(t *testing.T) {
					record := newRecord(1, body)
					checkMember(t, c.Append(nil, record.parts(), stored), record.text())
					checkMember(t, streamed(t, c, record, stored >= 0), record.text())
				})
			}
		}
	}
}

// streamed is the member that a Compressor writes to a file.
func streamed(t *testing.T, c *Compressor, record testRecord, stored bool) []byte {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "member"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	length, err := c.Stream(f, 0, [][]byte{record.warc, record.http}, bytes.NewReader(record.body),
		int64(len(record.body)), stored)
	if err != nil {
		t.Fatal(err)
	}
	member, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(member)) != length {
		t.Errorf("the member has %d bytes, Stream says %d", len(member), length)
	}
	return member
}

func TestExchange(t *testing.T) {
	c := &Compressor{Inspector: new(Inspector)}
	inspected := 0
	for i := range 5 * inspectEvery {
		first := i%1500 == 7
		c.Exchange(first)
		switch {
		case c.inspected:
			inspected++
		case first:
			t.Errorf("exchange %d, the first of its file, is not inspected", i)
		}
	}
	if inspected != 5+4 {
		t.Errorf("%d of %d exchanges are inspected, 4 files among them", inspected, 5*inspectEvery)
	}
	c.Inspector = nil
	if c.Exchange(true); c.inspected {
		t.Error("without an Inspector, too")
	}
}

func TestPoisonIsToldOnce(t *testing.T) {
	var told []error
	p := &Inspector{Failed: func(err error) { told = append(told, err) }}
	first := errors.New("first")
	p.poison(first)
	p.poison(errors.New("second"))
	if len(told) != 1 || told[0] != first || p.Err() != first {
		t.Errorf("told %v, and then %v", told, p.Err())
	}
}

// TestInflateNoticesEachByte has members of which one byte is another, or is missing.
func TestInflateNoticesEachByte(t *testing.T) {
	record := newRecord(1, textBody(2000))
	member := record.member(false)
	if err := inflateMember(member); err != nil {
		t.Fatal(err)
	}
	for i := len(memberHeader); i < len(member); i++ {
		if wrong := flipped(member, i); inflateMember(wrong) == nil {
			t.Errorf("byte %d is another, unnoticed", i)
		}
		if inflateMember(member[:i]) == nil {
			t.Errorf("cut at %d, unnoticed", i)
		}
	}
	if inflateMember(append(bytes.Clone(member), 0)) == nil {
		t.Error("a byte too many, unnoticed")
	}
}

func TestInflateStart(t *testing.T) {
	head, text := []byte("head"), textBody(300_000)
	c := new(Compressor)
	c.begin(nil)
	c.deflateParts([][]byte{head}, false)
	var start bytes.Buffer
	for _, p := range [][]byte{text[:1000], text[1000:]} {
		if err := c.writeDeflated(&start, p, false); err != nil {
			t.Fatal(err)
		}
	}
	stream := start.Bytes()
	if err := inflateStart(stream, head, text); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"a shorter text": inflateStart(stream, head, text[:len(text)-5000]),
		"a longer text":  inflateStart(stream, head, append(bytes.Clone(text), make([]byte, 5000)...)),
		"another head":   inflateStart(stream, []byte("heat"), text),
		"another text":   inflateStart(stream, head, flipped(text, 200_000)),
		"a cut stream":   inflateStart(stream[:len(stream)/2], head, text),
		"another stream": inflateStart(flipped(stream, len(stream)/2), head, text),
	} {
		if err == nil {
			t.Errorf("%s goes unnoticed", name)
		}
	}
}

// BenchmarkInspector compresses records of 10 KB as a recorder does: one in 1,000 is inflated
// again.
func BenchmarkInspector(b *testing.B) {
	record := newRecord(1, textBody(10_000))
	parts := record.parts()
	for name, inspector := range map[string]*Inspector{"without": nil, "with": new(Inspector)} {
		b.Run(name, func(b *testing.B) {
			c := &Compressor{Inspector: inspector}
			var dst []byte
			b.SetBytes(int64(len(record.text())))
			b.ReportAllocs()
			for b.Loop() {
				c.Exchange(false)
				dst = c.Append(dst[:0], parts, -1)
			}
		})
	}
}
