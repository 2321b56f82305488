package collection

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"warcorder/store/warc"
)

// Sizes returns the sizes of the WARC files in archive/, finished or open, by their names. A link
// that leads nowhere is none; nor is one to a file of the directory that is being written under
// another name, which would be read twice and lead nowhere when that is finished.
func (d Dir) Sizes() (map[string]int64, error) {
	entries, err := os.ReadDir(d.Archive())
	if err != nil {
		return nil, err
	}
	sizes := make(map[string]int64)
	written := make(map[string]fs.FileInfo) // by their final names
	links := make(map[string]fs.FileInfo)
	for _, entry := range entries {
		name := entry.Name()
		state, final := StateOf(name)
		if state != Finished && state != Open {
			continue
		}
		info, err := entry.Info()
		link := err == nil && !info.Mode().IsRegular()
		if link {
			if info, err = os.Stat(d.WARC(name)); err != nil || !info.Mode().IsRegular() {
				continue
			}
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		case link:
			links[name] = info
		case state == Open:
			written[final] = info
		}
		sizes[name] = info.Size()
	}
	for name, link := range links {
		for final, file := range written {
			if strings.TrimSuffix(name, warc.OpenSuffix) != final && os.SameFile(link, file) {
				delete(sizes, name)
			}
		}
	}
	return sizes, nil
}

// IsFree reports whether a WARC file may be made under that final name: nothing in archive/ has it,
// neither finished nor open, nor has left a copy under it.
func (d Dir) IsFree(name string) (bool, error) {
	for _, suffix := range []string{"", warc.OpenSuffix, TornSuffix} {
		if _, err := os.Lstat(d.WARC(name + suffix)); !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return true, nil
}
