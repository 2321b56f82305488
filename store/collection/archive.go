package collection

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"warcorder/store/warc"
)

// Sizes returns the sizes of the WARC files in archive/ that are Finished or Open, by their names.
// A link counts as the file that it leads to. Two kinds of links are left out: those that lead to
// no file, and those that lead to an open file under another name. The second kind would be read
// twice, and leads nowhere when the file gets its final name.
func (d Dir) Sizes() (map[string]int64, error) {
	entries, err := os.ReadDir(d.Archive())
	if err != nil {
		return nil, err
	}
	sizes := make(map[string]int64)
	open := make(map[string]fs.FileInfo) // by final names
	links := make(map[string]fs.FileInfo)
	for _, entry := range entries {
		name := entry.Name()
		state, final := StateOf(name)
		if state != Finished && state != Open {
			continue
		}
		file, link, err := d.look(entry)
		switch {
		case err != nil:
			return nil, err
		case file == nil:
			continue
		case link:
			links[name] = file
		case state == Open:
			open[final] = file
		}
		sizes[name] = file.Size()
	}
	for name, link := range links {
		for final, file := range open {
			if strings.TrimSuffix(name, warc.OpenSuffix) != final && os.SameFile(link, file) {
				delete(sizes, name)
			}
		}
	}
	return sizes, nil
}

// look returns the regular file that an entry of archive/ is, or links to. It returns nil if there
// is none any more.
func (d Dir) look(entry fs.DirEntry) (file fs.FileInfo, link bool, err error) {
	file, err = entry.Info()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil || file.Mode().IsRegular():
		return file, false, err
	}
	file, err = os.Stat(d.WARC(entry.Name()))
	if err != nil || !file.Mode().IsRegular() {
		return nil, true, nil
	}
	return file, true, nil
}

// IsFree reports whether a new WARC file may get that final name: archive/ has no such file,
// neither finished nor open, and no copy of what was cut off one, and no such file is away.
func (d Dir) IsFree(name string) (bool, error) {
	for _, path := range []string{d.WARC(name), d.OpenWARC(name), d.WARC(name + TornSuffix),
		d.AwayNote(name), d.StaleNote(name)} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return true, nil
}
