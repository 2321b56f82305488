package recovery

import (
	"io"
	"os"

	"warcorder/store/collection"
	"warcorder/store/warc"
)

// source is a WARC file that is read, up to the size that it had when it was opened.
type source struct {
	io.ReaderAt
	name  string       // in errors: the path
	size  int64        // in bytes
	close func() error // or nil
}

// openSource opens the file at path.
func openSource(path string) (*source, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &source{file, path, info.Size(), file.Close}, nil
}

// Close closes it.
func (s *source) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// section is all of it.
func (s *source) section() *io.SectionReader { return io.NewSectionReader(s, 0, s.size) }

// records reads a file of ours from the record at offset.
func (s *source) records(offset int64) (*warc.Reader, error) {
	return warc.NewReader(s.section(), s.name, offset)
}

// isOwn reports whether it is a file that we recorded, see collection.IsOwn.
func (s *source) isOwn() (bool, error) { return collection.IsOwnIn(s.section(), s.name) }
