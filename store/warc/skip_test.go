package warc

import (
	"bytes"
	"io"
	"testing"
)

// TestSkip tells what Skip believes: a wrong skip length never leads it astray, a broken block it
// does not see.
func TestSkip(t *testing.T) {
	good := newRecord(1, encodedBody(100_000)).member(true)
	next := newRecord(2, nil).member(false)
	lengths := func(compressed, uncompressed int) []byte {
		b := bytes.Clone(good)
		putSkipLengths(b[skipLengths:], int64(compressed), int64(uncompressed))
		return b
	}
	_, uncompressed := skips(good[12:24])
	broken := bytes.Clone(good)
	broken[len(broken)-5000] ^= 1
	for _, test := range []struct {
		name   string
		member []byte
		want   error
	}{
		{"right", good, io.EOF},
		{"broken block", broken, io.EOF},
		{"no skip lengths", lengths(0, 0), io.EOF},
		{"too short", lengths(len(good)-1, int(uncompressed)), io.EOF},
		{"too long", lengths(len(good)+1, int(uncompressed)), io.EOF},
		{"over the next member", lengths(len(good)+len(next), int(uncompressed)), io.EOF},
		{"behind the file", lengths(1<<30, int(uncompressed)), io.EOF},
		{"tiny", lengths(1, int(uncompressed)), io.EOF},
		{"wrong size", lengths(len(good), int(uncompressed)+1), io.EOF},
		{"broken block and wrong length", func() []byte {
			b := bytes.Clone(broken)
			putSkipLengths(b[skipLengths:], int64(len(good)-1), uncompressed)
			return b
		}(), ErrChecksum},
	} {
		t.Run(test.name, func(t *testing.T) {
			offsets, end, err := walk(t, append(bytes.Clone(test.member), next...), leaves[1])
			if test.want != io.EOF {
				checkDamage(t, err, test.want, 0)
				return
			}
			if err != io.EOF || len(offsets) != 2 || end != int64(len(good)+len(next)) {
				t.Errorf("records at %d, end at %d, %v", offsets, end, err)
			}
		})
	}
}

// TestSkipReadsNoBlock proves that a skipped block is not read from the file.
func TestSkipReadsNoBlock(t *testing.T) {
	var file []byte
	for i := range 10 {
		file = append(file, newRecord(i, encodedBody(1_000_000)).member(true)...)
	}
	in := &countingFile{ReadSeeker: bytes.NewReader(file)}
	r, err := NewReader(in, "test", 0)
	if err != nil {
		t.Fatal(err)
	}
	records := 0
	for {
		record, err := r.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = record.Skip()
		}
		if err != nil {
			t.Fatal(err)
		}
		records++
	}
	if records != 10 || in.read > len(file)/5 {
		t.Errorf("%d records, %d bytes read of %d", records, in.read, len(file))
	}
}

type countingFile struct {
	io.ReadSeeker
	read int
}

func (f *countingFile) Read(p []byte) (int, error) {
	n, err := f.ReadSeeker.Read(p)
	f.read += n
	return n, err
}
