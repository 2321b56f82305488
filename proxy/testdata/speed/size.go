package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// sizes compares the gzip members of an archive with the same records, each as a member of level 6.
type sizes struct {
	Match   string  `json:"match"` // what their WARC-Target-URI holds
	Records int     `json:"records"`
	Plain   int64   `json:"bytes"`
	Ours    int64   `json:"bytes_here"`
	Level6  int64   `json:"bytes_at_level_6"`
	Ratio   float64 `json:"ratio"`
}

// counting knows how much was read of a file; it gives single bytes so that gzip takes none of the
// next member.
type counting struct {
	*bufio.Reader
	n int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counting) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// sizesOf reads the WARC files of a directory until limit bytes of records were compressed again.
func sizesOf(dir, match string, limit int64) (s sizes, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.warc.gz*"))
	if err != nil {
		return s, err
	}
	s.Match = match
	for _, name := range names {
		if err := s.add(name, limit); err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
	}
	if s.Records == 0 {
		return s, fmt.Errorf("there are no records with %q in the files of %q", match, dir)
	}
	s.Ratio = float64(s.Ours) / float64(s.Level6)
	return s, nil
}

func (s *sizes) add(name string, limit int64) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in := &counting{Reader: bufio.NewReaderSize(f, 1<<20)}
	var member gzip.Reader
	var text bytes.Buffer
	var again length
	six, _ := gzip.NewWriterLevel(&again, gzip.DefaultCompression) // which is 6
	for s.Plain < limit {
		from := in.n
		if err := member.Reset(in); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		member.Multistream(false)
		text.Reset()
		if _, err := text.ReadFrom(&member); err != nil {
			return err
		}
		if !matches(text.Bytes(), s.Match) {
			continue
		}
		again = 0
		six.Reset(&again)
		six.Write(text.Bytes())
		six.Close()
		s.Records, s.Plain = s.Records+1, s.Plain+int64(text.Len())
		s.Ours, s.Level6 = s.Ours+in.n-from, s.Level6+int64(again)
	}
	return nil
}

// matches says whether a record's WARC-Target-URI holds a text; "" takes every record.
func matches(record []byte, text string) bool {
	if text == "" {
		return true
	}
	head, _, _ := bytes.Cut(record, []byte("\r\n\r\n"))
	_, uri, _ := bytes.Cut(head, []byte("\r\nWARC-Target-URI: "))
	uri, _, _ = bytes.Cut(uri, []byte("\r\n"))
	return bytes.Contains(uri, []byte(text))
}

// length counts what is written to it.
type length int64

func (l *length) Write(p []byte) (int, error) {
	*l += length(len(p))
	return len(p), nil
}
