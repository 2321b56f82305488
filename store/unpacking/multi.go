package unpacking

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warcorder/store/collection"
)

// maxParts is how many WACZ files a list may have.
const maxParts = 10_000

const multiProfile = "multi-wacz-package"

// Multi takes apart the WACZ files that a multi-WACZ JSON lists. They lie beside it, or below.
func (u *Unpacking) Multi(path string) error {
	list, err := readList(path)
	if err != nil {
		return err
	}
	seen := make(map[string]bool, len(list))
	for i := range list {
		part, err := partOf(path, &list[i])
		if err != nil {
			return err
		}
		if seen[part] {
			return fmt.Errorf("%s lists %q twice", path, part)
		}
		seen[part] = true
		if err := u.WACZ(part); err != nil {
			return err
		}
	}
	return nil
}

// readList reads a list of WACZ files.
func readList(path string) ([]resource, error) {
	text, err := readSmall(path)
	if err != nil {
		return nil, err
	}
	var said dataPackage
	err = json.Unmarshal(text, &said)
	switch n := len(said.Resources); {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	case n == 0:
		return nil, fmt.Errorf("%s lists no WACZ files", path)
	case n > maxParts:
		return nil, fmt.Errorf("%s lists %d WACZ files: import some at a time", path, n)
	case said.isWACZ():
		return nil, fmt.Errorf("%s is of a WACZ file that was unpacked: import the WACZ file, or let warcorder "+
			"index add the WARC files", path)
	}
	return said.Resources, nil
}

// isWACZ reports whether a package is that of a WACZ file itself.
func (d *dataPackage) isWACZ() bool {
	return slices.ContainsFunc(d.Resources, func(r resource) bool {
		return collection.IsWARC(path.Base(r.Path))
	})
}

// readSmall reads a file that is no longer than maxPackage.
func readSmall(path string) ([]byte, error) {
	file, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxPackage+1))
	if err == nil && len(text) > maxPackage {
		err = fmt.Errorf("%s is too large for a list of WACZ files", path)
	}
	return text, err
}

// partOf returns the path of one of the files that a list names, which is as the list says.
func partOf(list string, r *resource) (string, error) {
	local, err := localPath(r)
	if err != nil {
		return "", fmt.Errorf("%s: %w", list, err)
	}
	path := filepath.Join(filepath.Dir(list), local)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) { // it may be written as in a URL
		if plain, err := url.PathUnescape(local); err == nil && filepath.IsLocal(plain) {
			path = filepath.Join(filepath.Dir(list), plain)
		}
	}
	if err := checkPart(path, r); err != nil {
		return "", fmt.Errorf("%s lists %q: %w", list, local, err)
	}
	return path, nil
}

// localPath is where a part lies, relative to its list.
func localPath(r *resource) (string, error) {
	path := r.Path
	if path == "" {
		path = r.Name
	}
	if u, err := url.Parse(path); err == nil && len(u.Scheme) > 1 {
		return "", fmt.Errorf("it lists %q, and nothing is fetched from elsewhere: fetch its parts, put "+
			"them beside it, and let it list their names", path)
	}
	local := filepath.FromSlash(strings.TrimPrefix(path, "./"))
	if !filepath.IsLocal(local) {
		return "", fmt.Errorf("it lists %q, which is not below its own folder", path)
	}
	return local, nil
}

// checkPart holds a part to what the list says of it. It reads all of it.
func checkPart(path string, r *resource) error {
	file, err := openRegular(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if digestOf(r.Hash) == nil && len(r.Bytes) == 0 {
		return nil
	}
	_, err = io.Copy(io.Discard, newChecked(file, r))
	return err
}
