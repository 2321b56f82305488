package recovery

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"warcorder/store/collection"
	"warcorder/store/warc"
)

// mostOfName is how many files of one name may be told apart by numbers.
const mostOfName = 1000

// names are those that the files of an import get.
type names struct {
	*recovery
	i     collection.Import
	known map[string]bool              // base names of the files that the index knows
	sums  map[string][sha256.Size]byte // of files that were compared, by path: each is read once
}

// nameAll gives all files of an import the names that they are to have in archive/.
func (r *recovery) nameAll(i collection.Import, files []Brought) (added []addition, err error) {
	if err := os.Mkdir(i.Archive(), 0o700); err != nil {
		return nil, err
	}
	known, err := r.knownNames()
	if err != nil {
		return nil, err
	}
	n := &names{r, i, known, make(map[string][sha256.Size]byte)}
	taken := make(map[string]bool, len(files))
	for _, f := range files {
		name, err := n.give(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Said, err)
		}
		if taken[name] {
			continue // the same once more
		}
		taken[name] = true
		to := r.path(name)
		added = append(added, addition{Added: Added{Path: f.Said, Name: name}, from: to, to: to})
	}
	return added, nil
}

// knownNames are the base names of the files that the index knows.
func (r *recovery) knownNames() (map[string]bool, error) {
	files, err := r.index.Files()
	known := make(map[string]bool, len(files))
	for _, file := range files {
		known[file.Name] = true
	}
	return known, err
}

// give gives a file the name in the import's archive/ that it is to have in that of the collection, and
// returns it. Where the file is there under that name, it is only removed.
func (n *names) give(f Brought) (string, error) {
	if err := errors.Join(n.mode.Set(f.Path), syncFile(f.Path)); err != nil {
		return "", err
	}
	for number := 1; number <= mostOfName; number++ {
		name := nameFor(f.Name, f.From, number)
		if same, err := n.isThere(f.Path, name); err != nil {
			return "", err
		} else if same {
			return name, os.Remove(f.Path)
		}
		if free, err := n.isFree(name); err != nil {
			return "", err
		} else if free {
			return name, n.move(f.Path, name)
		}
	}
	return "", fmt.Errorf("the collection has %d files of that name: rename it", mostOfName)
}

// isThere reports whether the import or the collection has a file of that name and the same content.
func (n *names) isThere(path, name string) (bool, error) {
	for _, other := range []string{n.i.WARC(name), n.path(name)} {
		if same, err := n.same(path, other); err != nil || same {
			return same, err
		}
	}
	return false, nil
}

// same reports whether there is a file at other, of the same content as that at path.
func (n *names) same(path, other string) (bool, error) {
	_, _, same, err := sameSize(path, other)
	if err != nil || !same {
		return false, err
	}
	here, err := n.sum(path)
	if err != nil {
		return false, err
	}
	there, err := n.sum(other)
	return here == there, err
}

// sum is the SHA-256 of a file.
func (n *names) sum(path string) (sum [sha256.Size]byte, err error) {
	if sum, known := n.sums[path]; known {
		return sum, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.CopyBuffer(hash, file, make([]byte, 256<<10)); err != nil {
		return sum, err
	}
	hash.Sum(sum[:0])
	n.sums[path] = sum
	return sum, nil
}

// isFree reports whether neither the import nor the collection has a file of that name.
func (n *names) isFree(name string) (bool, error) {
	if _, err := os.Lstat(n.i.WARC(name)); err == nil || n.known[name] {
		return false, nil
	}
	return n.dir.IsFree(name)
}

// move moves a file to its name.
func (n *names) move(path, name string) error {
	if sum, known := n.sums[path]; known {
		n.sums[n.i.WARC(name)] = sum
	}
	return warc.Move(path, n.i.WARC(name))
}

// nameFor is the n-th name to try: NAME.warc.gz, NAME-from-FROM.warc.gz, NAME-from-FROM-2.warc.gz …
func nameFor(name, from string, n int) string {
	suffix := ""
	for _, one := range warc.Suffixes() {
		if strings.HasSuffix(name, one) {
			suffix = one
		}
	}
	stem := strings.TrimSuffix(name, suffix)
	if n > 1 && from != "" {
		stem += "-from-" + from
		n--
	}
	if n > 1 {
		stem = fmt.Sprintf("%s-%d", stem, n)
	}
	return stem + suffix
}

// sameSize looks at two names. It is false unless there is a regular file at other, of the same size as
// that at path.
func sameSize(path, other string) (here, there warc.Place, same bool, err error) {
	there, err = warc.Look(other)
	if errors.Is(err, fs.ErrNotExist) {
		return here, there, false, nil
	}
	if err == nil {
		here, err = warc.Look(path)
	}
	same = err == nil && there.File != nil && there.File.Mode().IsRegular() &&
		there.File.Size() == here.File.Size()
	return here, there, same, err
}

// sameContent reports whether there is a regular file at other, of the same content as that at path.
func sameContent(path, other string) (bool, error) {
	here, there, same, err := sameSize(path, other)
	if err != nil || !same {
		return false, err
	}
	return sameStart(here, there)
}
