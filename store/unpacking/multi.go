package unpacking

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

const multiProfile = "multi-wacz-package"

// Multi takes apart the WACZ files that a multi-WACZ JSON lists. They lie beside it, or below.
func (u *Unpacking) Multi(path string) error {
	text, err := readSmall(path)
	if err != nil {
		return err
	}
	var said dataPackage
	if err := json.Unmarshal(text, &said); err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, err)
	}
	if len(said.Resources) == 0 {
		return fmt.Errorf("%s lists no WACZ files", path)
	}
	for i := range said.Resources {
		if err := u.part(path, &said.Resources[i]); err != nil {
			return err
		}
	}
	return nil
}

// readSmall reads a file that is no longer than maxPackage.
func readSmall(path string) ([]byte, error) {
	file, err := os.Open(path)
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

// part takes apart one of the files that a list names.
func (u *Unpacking) part(list string, r *resource) error {
	local, err := localPath(r)
	if err != nil {
		return fmt.Errorf("%s: %w", list, err)
	}
	path := filepath.Join(filepath.Dir(list), local)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) { // it may be written as in a URL
		if plain, err := url.PathUnescape(local); err == nil && filepath.IsLocal(plain) {
			path = filepath.Join(filepath.Dir(list), plain)
		}
	}
	if err := checkPart(path, r); err != nil {
		return fmt.Errorf("%s lists %q: %w", list, local, err)
	}
	return u.WACZ(path)
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
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is no regular file")
	}
	if digestOf(r.Hash) == nil && len(r.Bytes) == 0 {
		return nil
	}
	_, err = io.Copy(io.Discard, newChecked(file, r))
	return err
}
