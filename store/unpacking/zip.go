package unpacking

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strings"
)

// Bounds of a zip file. Of what has more, memory would hold too much: a directory of so many bytes has
// at most 350,000 members, of some 250 bytes each.
const (
	maxDirectory = 16 << 20
	maxMembers   = maxDirectory / 46
)

// opened is a zip file of somebody else's.
type opened struct {
	path    string
	file    *os.File
	members []*zip.File
	names   map[string]*zip.File // made when it is first asked for
	bad     []string             // names of members that lead elsewhere, or that are no names
}

// openZip opens a zip file. Members are known by their names, of which none leads elsewhere.
func openZip(path string) (*opened, error) {
	file, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	z, err := readZip(file, path)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return z, nil
}

func readZip(file *os.File, path string) (*opened, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := checkCount(file, info.Size(), path); err != nil {
		return nil, err
	}
	bounded := &bounded{in: file, left: maxDirectory}
	reader, err := zip.NewReader(bounded, info.Size())
	switch {
	case bounded.left < 0:
		return nil, tooMany(path)
	case err != nil:
		return nil, fmt.Errorf("%s: it begins like a zip file and cannot be read as one (%w): is all of "+
			"it there?", path, err)
	}
	bounded.left = math.MaxInt64
	z := &opened{path: path, file: file}
	for _, member := range reader.File {
		name := member.Name
		switch {
		case strings.HasSuffix(name, "/") && member.UncompressedSize64 == 0:
		case !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00"):
			z.bad = append(z.bad, name)
		default:
			z.members = append(z.members, member)
		}
	}
	return z, nil
}

// Close closes the file.
func (z *opened) Close() error { return z.file.Close() }

func tooMany(path string) error {
	return fmt.Errorf("%s has more members than a zip file of WARC files has: unpack it, and let "+
		"warcorder index add the WARC files", path)
}

// checkCount refuses a file that claims more members than maxMembers: archive/zip makes room for as
// many as are claimed. Where the claim stands in several places, the greatest counts.
func checkCount(file io.ReaderAt, size int64, path string) error {
	const most = 65<<10 + 22 + 20 // where archive/zip looks for the end of a directory, and for the locator
	tail := make([]byte, min(most, size))
	if _, err := file.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for at := 0; ; at++ {
		next := bytes.Index(tail[at:], []byte("PK\x06\x07"))
		if next < 0 || at+next+16 > len(tail) {
			return nil
		}
		at += next
		var end [40]byte
		offset := binary.LittleEndian.Uint64(tail[at+8:])
		if offset > uint64(size) {
			continue
		}
		if _, err := file.ReadAt(end[:], int64(offset)); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if string(end[:4]) == "PK\x06\x06" && binary.LittleEndian.Uint64(end[32:]) > maxMembers {
			return tooMany(path)
		}
	}
}

// bounded reads until left bytes have been read.
type bounded struct {
	in   io.ReaderAt
	left int64
}

var errDirectory = errors.New("its directory is too large")

func (b *bounded) ReadAt(p []byte, at int64) (int, error) {
	if b.left < math.MaxInt64 {
		if b.left -= int64(len(p)); b.left < 0 {
			return 0, errDirectory
		}
	}
	return b.in.ReadAt(p, at)
}

// named returns the member of that name, nil if there is none.
func (z *opened) named(name string) *zip.File {
	if z.names == nil {
		z.names = make(map[string]*zip.File, len(z.members))
		for _, f := range z.members {
			z.names[f.Name] = f
		}
	}
	return z.names[name]
}

// in returns the members in a folder whose names end in one of the suffixes, sorted by name.
func (z *opened) in(folder string, suffixes ...string) (members []*zip.File) {
	for _, f := range z.members {
		if strings.HasPrefix(f.Name, folder) && slices.ContainsFunc(suffixes,
			func(suffix string) bool { return strings.HasSuffix(f.Name, suffix) }) {
			members = append(members, f)
		}
	}
	slices.SortStableFunc(members, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	return members
}

// place is where the bytes of a member are.
type place struct {
	name       string
	begin, end int64
}

// check refuses members that cannot be read, or not in one way alone.
func (z *opened) check(members []*zip.File) error {
	var places []place
	seen := make(map[string]bool, len(members))
	for _, f := range members {
		if seen[f.Name] {
			return z.refuse(f, "is in it twice: which one is meant cannot be told")
		}
		seen[f.Name] = true
		one, err := z.placeOf(f)
		if err != nil {
			return err
		}
		places = append(places, one)
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	for i := 1; i < len(places); i++ {
		if a, b := places[i-1], places[i]; b.begin < a.end {
			return fmt.Errorf("%s: %q and %q have bytes in common: such a file is made to do harm", z.path,
				a.name, b.name)
		}
	}
	return nil
}

// placeOf is where a member is. It refuses one that cannot be read.
func (z *opened) placeOf(f *zip.File) (place, error) {
	begin, err := f.DataOffset()
	if err != nil {
		return place{}, z.refuse(f, fmt.Sprintf("cannot be read: %v", err))
	}
	why := ""
	switch {
	case f.Flags&1 != 0:
		why = "is encrypted: unpack it with its password, and let warcorder index add it"
	case f.Method != zip.Store && f.Method != zip.Deflate:
		why = fmt.Sprintf("is compressed in a way that is not known (method %d)", f.Method)
	case f.CompressedSize64 > math.MaxInt64-uint64(begin) || f.UncompressedSize64 > math.MaxInt64/4:
		why = "has a length that cannot be"
	default:
		return place{f.Name, begin, begin + int64(f.CompressedSize64)}, nil
	}
	return place{}, z.refuse(f, why)
}

func (z *opened) refuse(f *zip.File, why string) error {
	return fmt.Errorf("%s: %q %s", z.path, f.Name, why)
}

// read reads all of a member that is no longer than most.
func (z *opened) read(f *zip.File, most int64) ([]byte, error) {
	if f.UncompressedSize64 > uint64(most) {
		return nil, z.refuse(f, "is too large")
	}
	in, err := f.Open()
	if err != nil {
		return nil, z.refuse(f, fmt.Sprintf("cannot be read: %v", err))
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return nil, z.refuse(f, fmt.Sprintf("cannot be read: %v", err))
	}
	return text, nil
}

// base is the last part of a member's name.
func base(f *zip.File) string { return path.Base(f.Name) }
