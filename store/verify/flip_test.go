package verify_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"warcorder/recorder"
)

// TestFlipEveryBit flips every bit of a healthy file, and every byte as a whole. Each is found, but
// for what no reader looks at: in a gzip member's header the time, the level, the system and the
// flag that calls the content text; and bits that fill up a byte of the deflate stream.
func TestFlipEveryBit(t *testing.T) {
	dir := t.TempDir()
	record(t, recorder.Config{}, dir,
		[]exchange{{url: "http://example.com/", request: get, response: page("hello")}})
	path := archive(t, dir)[0]
	content := read(t, path)
	all := membersOf(t, content)
	var wg sync.WaitGroup
	jobs := make(chan int)
	for range 2 {
		wg.Go(func() {
			path := filepath.Join(t.TempDir(), filepath.Base(path))
			write(t, path, content)
			file, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Error(err)
				return
			}
			defer file.Close()
			for at := range jobs {
				flipByte(t, file, content, all, at)
			}
		})
	}
	for at := range content {
		jobs <- at
	}
	close(jobs)
	wg.Wait()
}

// flipByte flips the bits of one byte of a file, one by one and all at once, and mends the file.
func flipByte(t *testing.T, file *os.File, content []byte, all []member, at int) {
	broken := bytes.Clone(content)
	m := all[0]
	for _, one := range all {
		if one.offset <= at {
			m = one
		}
	}
	for _, mask := range []byte{1, 2, 4, 8, 16, 32, 64, 128, 255} {
		broken[at] = content[at] ^ mask
		writeAt(t, file, broken, at)
		found := files(t, file.Name())
		in := at - m.offset
		header := in == 3 && mask == 1 || in >= 4 && in <= 9
		switch {
		case found.Findings > 0 && header:
			t.Errorf("byte %d of a member, bits %#x: %v", in, mask, found.all)
		case found.Findings == 0 && !header &&
			(mask == 255 || !slices.Equal(inflate(broken), textsOf(all))):
			t.Errorf("byte %d of the file, %d of a member of %d, bits %#x: not found", at, in, m.length,
				mask)
		}
	}
	writeAt(t, file, content, at)
}

// writeAt writes the one byte of content that lies at.
func writeAt(t *testing.T, file *os.File, content []byte, at int) {
	t.Helper()
	if _, err := file.WriteAt(content[at:at+1], int64(at)); err != nil {
		t.Error(err)
	}
}

// inflate returns what the members of a file hold; nil if they are damaged.
func inflate(content []byte) (texts []string) {
	in := bytes.NewReader(content)
	for in.Len() > 0 {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil
		}
		z.Multistream(false)
		text, err := io.ReadAll(z)
		if err != nil {
			return nil
		}
		texts = append(texts, string(text))
	}
	return texts
}

func textsOf(all []member) (texts []string) {
	for _, m := range all {
		texts = append(texts, m.text)
	}
	return texts
}

// TestCutEveryByte cuts a healthy file at every byte. Each cut is found, but for those between two
// exchanges.
func TestCutEveryByte(t *testing.T) {
	dir := t.TempDir()
	record(t, recorder.Config{}, dir, []exchange{
		{url: "http://example.com/a", request: get, response: page("hello")},
		{url: "http://example.com/b", request: get, response: page("hello")},
	})
	path := archive(t, dir)[0]
	content := read(t, path)
	all := membersOf(t, content)
	whole := []int{0, all[response1].offset, all[response2].offset}
	for at := range content {
		path := filepath.Join(t.TempDir(), filepath.Base(path))
		write(t, path, content[:at])
		if found := files(t, path); (found.Findings == 0) != slices.Contains(whole, at) {
			t.Errorf("cut at %d: %v", at, found.all)
		}
	}
}
