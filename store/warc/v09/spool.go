package v09

import (
	"bytes"
	"errors"
	"io"
	"os"
)

// spool keeps a block until its header is known: in memory, or in a temporary file if the block is
// large.
type spool struct {
	dir  string // of the file; "" for the system's temporary directory
	mem  []byte
	file *os.File
	size int64
}

// newSpool reads all of block.
func newSpool(dir string, block io.Reader) (*spool, error) {
	s := &spool{dir: dir}
	if _, err := io.Copy(s, block); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Write appends p.
func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && s.size+int64(len(p)) > memory {
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	s.size += int64(len(p))
	if s.file != nil {
		return s.file.Write(p)
	}
	s.mem = append(s.mem, p...)
	return len(p), nil
}

// spill moves what is in memory to a file.
func (s *spool) spill() (err error) {
	if s.file, err = os.CreateTemp(s.dir, "warc09-*"); err != nil {
		return err
	}
	_, err = s.file.Write(s.mem)
	s.mem = nil
	return err
}

// reader reads what has been written, from its beginning.
func (s *spool) reader() io.Reader {
	if s.file != nil {
		return io.NewSectionReader(s.file, 0, s.size)
	}
	return bytes.NewReader(s.mem)
}

// Close removes the file.
func (s *spool) Close() error {
	if s.file == nil {
		return nil
	}
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}
