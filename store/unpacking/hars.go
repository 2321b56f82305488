package unpacking

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
)

// HARFile is a HAR that has been found.
type HARFile struct {
	Name string // what it is called in messages
	Stem string // its name without an ending
	// Open opens the HAR at its beginning.
	Open func() (io.ReadCloser, error)
	// Attached opens a file that the HAR names as a body. The error wraps fs.ErrNotExist if it is not
	// there.
	Attached func(name string) (io.ReadCloser, error)
}

// HARs calls take for each HAR in a file: the file itself, which may be compressed with gzip, or those
// in a zip file. take may read as many bytes as there is room for.
func (u *Unpacking) HARs(path string, form Form, take func(HARFile) error) error {
	if form == HARZip {
		return u.harsOfZip(path, take)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	u.total += 2 * info.Size() // it is read twice
	return take(HARFile{
		Name:     filepath.Base(path),
		Stem:     Stem(path),
		Open:     func() (io.ReadCloser, error) { return u.openHAR(path) },
		Attached: func(name string) (io.ReadCloser, error) { return openBeside(filepath.Dir(path), name) },
	})
}

// openHAR opens a HAR that is a file.
func (u *Unpacking) openHAR(path string) (io.ReadCloser, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(io.TeeReader(file, &counting{io.Discard, u, filepath.Base(path)}), 256<<10)
	opened := struct {
		io.Reader
		io.Closer
	}{in, file}
	if start, _ := in.Peek(2); bytes.HasPrefix(start, []byte("\x1f\x8b")) {
		if opened.Reader, err = gzip.NewReader(in); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
		}
	}
	return opened, nil
}

// attachedName is how Playwright names a file that is attached: by the SHA-1 of what is in it.
var attachedName = regexp.MustCompile(`^[0-9a-f]{40}(\.[0-9A-Za-z]{1,20})?$`)

// openBeside opens a file that lies beside a HAR, and is a body of it. A HAR may be anybody's, and the
// folder has what else a person keeps there: the file must have the SHA-1 that its name says.
func openBeside(dir, name string) (io.ReadCloser, error) {
	if !attachedName.MatchString(name) {
		return nil, fmt.Errorf("%q is no name of a body: %w", name, fs.ErrNotExist)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if info, err := root.Stat(name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file: %w", name, fs.ErrNotExist)
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	hash := sha1.New()
	_, err = io.Copy(hash, file)
	if err == nil && hex.EncodeToString(hash.Sum(nil)) != name[:2*sha1.Size] {
		err = fmt.Errorf("%s has other content: %w", name, fs.ErrNotExist)
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// maxHARs is how many HARs a zip file may have: each becomes a WARC file.
const maxHARs = 1000

// harsOfZip is HARs for a zip file.
func (u *Unpacking) harsOfZip(from string, take func(HARFile) error) error {
	z, err := openZip(from)
	if err != nil {
		return err
	}
	defer z.Close()
	if err := z.check(z.members); err != nil {
		return err
	}
	hars := z.in("", ".har")
	if len(hars) > maxHARs {
		return fmt.Errorf("%s has %d HARs: unpack it, and import some at a time", from, len(hars))
	}
	for _, f := range hars {
		stem := Stem(from)
		if len(hars) > 1 {
			stem += "-" + Stem(f.Name)
		}
		if err := take(z.har(f, stem)); err != nil {
			return err
		}
	}
	return nil
}

// har is a HAR with the bodies that lie beside it.
func (z *opened) har(f *zip.File, stem string) HARFile {
	return HARFile{
		Name: filepath.Base(z.path) + ": " + f.Name,
		Stem: stem,
		Open: func() (io.ReadCloser, error) { return f.Open() },
		Attached: func(name string) (io.ReadCloser, error) {
			in := z.named(path.Join(path.Dir(f.Name), name))
			if in == nil {
				return nil, fmt.Errorf("%q: %w", name, fs.ErrNotExist)
			}
			return in.Open()
		},
	}
}
