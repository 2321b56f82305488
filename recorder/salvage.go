package recorder

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warcorder/store"
	"warcorder/store/fault"
	"warcorder/store/warc"
)

const (
	// tornSuffix is appended to a file's name for the copy of what recovery has cut off it.
	tornSuffix = ".torn"

	// recoveringSuffix is appended to the name of the file that will take the place of a damaged one.
	recoveringSuffix = ".recovering"
)

// salvage keeps a copy of what is behind file.Committed in a file that was being written, and saves the whole exchanges in it, but for revisits whose original
// is lost: it makes a new file of them and of what is before them, which takes the place of the old one. It returns the size of that; 0 if there are none, and the old file is to be cut.
func (r *recovery) salvage(file store.File, size int64, before *scan) (saved int64, err error) {
	path := r.path(file.Name)
	s, err := r.scanWhole(path+warc.OpenSuffix, file)
	if err != nil {
		return 0, err
	}
	torn, err := keepTail(path+warc.OpenSuffix, file.Committed, path+tornSuffix)
	if err != nil {
		return 0, err
	}
	lost := size - file.Committed - s.lengthKept()
	r.found.Cut += lost
	r.found.Torn = append(r.found.Torn, torn)
	r.log.Warn().Str("file", file.Name).Int64("offset", file.Committed).Int64("cut", lost).Int64("kept", s.lengthKept()).Str("copy", torn).AnErr("damage", before.damage).
		Msg("a file that was not finished is damaged or torn: what is no whole exchange is cut, and all of that part copied")
	if len(s.kept) == 0 {
		return 0, nil
	}
	return r.replace(file, s.kept)
}

// lengthKept is the number of bytes of all that is good.
func (s *scan) lengthKept() (n int64) {
	for _, part := range s.kept {
		n += part.to - part.from
	}
	return n
}

// replace puts a new file in the place of one that was being written: what it has up to file.Committed, and the parts that are good behind that.
func (r *recovery) replace(file store.File, parts []stretch) (size int64, err error) {
	path := r.path(file.Name)
	size, err = r.rewrite(path, file, parts)
	if err != nil {
		return 0, fmt.Errorf("make %s: %w", file.Name+recoveringSuffix, err)
	}
	if err := fault.At(fault.RecoverCut); err != nil {
		return 0, err
	}
	return size, errors.Join(os.Rename(path+recoveringSuffix, path+warc.OpenSuffix), syncFile(r.archive))
}

// rewrite makes the new file, durably.
func (r *recovery) rewrite(path string, file store.File, parts []stretch) (size int64, err error) {
	in, err := os.Open(path + warc.OpenSuffix)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := os.OpenFile(path+recoveringSuffix, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if file.Committed > 0 {
		parts = append([]stretch{{0, file.Committed}}, parts...)
	} else {
		n, err := r.writeWarcinfo(out, in, file.Name, parts[0].from)
		if err != nil {
			return 0, err
		}
		size = int64(n)
	}
	for _, part := range parts {
		if err := fault.At(fault.RecoverRewrite); err != nil {
			return 0, err
		}
		if _, err := in.Seek(part.from, io.SeekStart); err != nil {
			return 0, err
		}
		n, err := io.Copy(out, io.LimitReader(in, part.to-part.from))
		if size += n; err != nil {
			return 0, err
		}
	}
	return size, out.Sync()
}

// writeWarcinfo writes a warcinfo record if the first one that is left, at offset in the old file, is not one: it has the ID that the others name.
func (r *recovery) writeWarcinfo(out io.Writer, in io.ReadSeeker, name string, offset int64) (int, error) {
	reader, err := warc.NewReader(in, name, offset)
	if err != nil {
		return 0, err
	}
	first, err := reader.Next()
	if err != nil {
		return 0, err
	}
	id, ok := parseRecordID(first.Header.Get("WARC-Warcinfo-ID"))
	date, err := time.Parse(time.RFC3339, first.Header.Get("WARC-Date"))
	if first.Type() == "warcinfo" || !ok || err != nil {
		return 0, nil
	}
	record, err := warcinfoRecord(r.style, id, date, name, r.host, filepath.Base(r.dir))
	if err != nil {
		return 0, err
	}
	return out.Write(r.style.compressor().Append(nil, [][]byte{record, recordEnd}, -1))
}

// parseRecordID reads an ID as recordID.String writes it.
func parseRecordID(text string) (id recordID, ok bool) {
	text, ok = strings.CutPrefix(text, "<urn:uuid:")
	text = strings.ReplaceAll(strings.TrimSuffix(text, ">"), "-", "")
	if !ok || hex.DecodedLen(len(text)) != len(id) {
		return id, false
	}
	_, err := hex.Decode(id[:], []byte(text))
	return id, err == nil
}

// keepTail copies what is behind offset in the file at from, durably, to a file at to, or to.2 and so on if there is a copy of something else. It returns the copy's path.
func keepTail(from string, offset int64, to string) (string, error) {
	if err := fault.At(fault.RecoverCopy); err != nil {
		return "", err
	}
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer in.Close()
	for n := 1; ; n++ {
		path := to
		if n > 1 {
			path = fmt.Sprintf("%s.%d", to, n)
		}
		if _, err := in.Seek(offset, io.SeekStart); err != nil {
			return "", err
		}
		begun, err := begins(path, in)
		if err != nil {
			return "", err
		}
		if !begun {
			continue
		}
		if _, err := in.Seek(offset, io.SeekStart); err != nil {
			return "", err
		}
		if err := copyTo(path, in); err != nil {
			return "", errors.Join(fmt.Errorf("copy what is to be cut off %s (free as much space as it takes, or move the file away): %w", from, err), os.Remove(path))
		}
		return path, nil
	}
}

// begins reports whether what is in the file at path, if there is one, is the beginning of what in gives: an interrupted copy of it, or a whole one.
func begins(path string, in io.Reader) (bool, error) {
	old, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer old.Close()
	info, err := old.Stat()
	if err != nil {
		return false, err
	}
	return sameBytes(old, io.LimitReader(in, info.Size()))
}

// sameBytes reports whether a and b give the same.
func sameBytes(a, b io.Reader) (bool, error) {
	x, y := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(a, x)
		m, err2 := io.ReadFull(b, y)
		switch {
		case !bytes.Equal(x[:n], y[:m]):
			return false, nil
		case isEnd(err) && isEnd(err2):
			return true, nil
		case err != nil || err2 != nil:
			return false, errors.Join(err, err2)
		}
	}
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// copyTo copies in to a file at path, durably.
func copyTo(path string, in io.Reader) error {
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return err
	}
	return syncFile(filepath.Dir(path))
}
