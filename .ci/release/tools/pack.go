package main

import (
	"archive/tar"
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// programMode is the mode of what can be run, and of directories; fileMode that of all else.
const (
	programMode = 0o755
	fileMode    = 0o644
)

// packer is an archive that is written.
type packer interface {
	// put adds a file; a directory has no content, and a name that ends in a slash.
	put(name string, content []byte, mode fs.FileMode) error
	io.Closer
}

// pack writes a folder as an archive in which all names begin with that of the folder.
func pack(folder, out string, at time.Time) (err error) {
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	archive, err := newPacker(file, out, at)
	if err != nil {
		return err
	}
	err = filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error { // sorted
		if err != nil {
			return err
		}
		return packOne(archive, filepath.Dir(folder), name, entry)
	})
	return errors.Join(err, archive.Close())
}

func packOne(archive packer, above, name string, entry fs.DirEntry) error {
	inside, err := filepath.Rel(above, name)
	if err != nil {
		return err
	}
	inside = filepath.ToSlash(inside)
	if entry.IsDir() {
		return archive.put(inside+"/", nil, programMode)
	}
	if !entry.Type().IsRegular() {
		return fmt.Errorf("%s is no regular file", name)
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return archive.put(inside, content, modeOf(inside))
}

// modeOf is the mode of a file in an archive: by its name, since a clone has that of its umask.
func modeOf(name string) fs.FileMode {
	base := path.Base(name)
	if base == "warcorder" || base == "warcorder.exe" || strings.HasSuffix(base, ".sh") {
		return programMode
	}
	return fileMode
}

func newPacker(w io.Writer, name string, at time.Time) (packer, error) {
	switch {
	case strings.HasSuffix(name, ".tar.gz"):
		zipped, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		return &tarball{zipped, tar.NewWriter(zipped), at}, err
	case strings.HasSuffix(name, ".zip"):
		archive := zip.NewWriter(w)
		archive.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
			return flate.NewWriter(out, flate.BestCompression)
		})
		return &zipped{archive, at}, nil
	}
	return nil, fmt.Errorf("%s: neither .tar.gz nor .zip", name)
}

type tarball struct {
	zipped *gzip.Writer
	*tar.Writer
	at time.Time
}

func (t *tarball) put(name string, content []byte, mode fs.FileMode) error {
	head := &tar.Header{Name: name, Mode: int64(mode), Size: int64(len(content)), ModTime: t.at,
		Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
	if strings.HasSuffix(name, "/") {
		head.Typeflag = tar.TypeDir
	}
	if err := t.WriteHeader(head); err != nil {
		return err
	}
	_, err := t.Write(content)
	return err
}

func (t *tarball) Close() error { return errors.Join(t.Writer.Close(), t.zipped.Close()) }

type zipped struct {
	*zip.Writer
	at time.Time
}

func (z *zipped) put(name string, content []byte, mode fs.FileMode) error {
	head := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: z.at}
	head.SetMode(mode)
	if strings.HasSuffix(name, "/") {
		head.Method = zip.Store
		head.SetMode(mode | fs.ModeDir)
	}
	out, err := z.CreateHeader(head)
	if err == nil {
		_, err = out.Write(content)
	}
	return err
}

// list says what an archive has.
func list(w io.Writer, name string) error {
	if strings.HasSuffix(name, ".zip") {
		archive, err := zip.OpenReader(name)
		if err != nil {
			return err
		}
		defer archive.Close()
		for _, f := range archive.File {
			fmt.Fprintf(w, "%04o %d %s %s\n", f.Mode().Perm(), f.UncompressedSize64,
				f.Modified.UTC().Format(time.RFC3339), f.Name)
		}
		return nil
	}
	return listTar(w, name)
}

func listTar(w io.Writer, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	for in := tar.NewReader(unzipped); ; {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if head.Uid != 0 || head.Gid != 0 || head.Uname != "" || head.Gname != "" {
			return fmt.Errorf("%s has an owner", head.Name)
		}
		fmt.Fprintf(w, "%04o %d %s %s\n", head.Mode, head.Size, head.ModTime.UTC().Format(time.RFC3339),
			head.Name)
	}
}

// sums writes the checksums of the files in a folder.
func sums(w io.Writer, folder string) error {
	entries, err := os.ReadDir(folder) // sorted
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%x  %s\n", sha256.Sum256(content), entry.Name())
	}
	return nil
}

// unpack unpacks a zip archive of ours into a folder.
func unpack(name, folder string) error {
	archive, err := zip.OpenReader(name)
	if err != nil {
		return err
	}
	defer archive.Close()
	return os.CopyFS(folder, archive)
}
