package delta

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"warcorder/canon"
	"warcorder/store"
	"warcorder/store/removal/tombstone"
	"warcorder/store/warc"
)

// tokenNow is what the collection has now. Of a file that is missing it says what the token before did.
func (d *Delta) tokenNow(ask Ask) (t Token, err error) {
	files, err := d.index.Files()
	if err != nil {
		return t, err
	}
	for _, f := range files {
		if f.Committed == 0 {
			continue
		}
		now := file{name: f.Name, committed: f.Committed, reduced: f.Reduced}
		old := ask.Since.find(f.Name)
		if ask.Finished && !f.Sealed {
			if old != nil {
				t.files = append(t.files, *old)
			}
			continue
		}
		if now.reduced {
			if now.tail, err = d.tail(f); err != nil {
				return t, fmt.Errorf("read the end of %s: %w", f.Name, err)
			}
		}
		if old != nil && now.follows(old) {
			now.buried = old.buried
			if now.tail == [8]byte{} {
				now.tail = old.tail
			}
		}
		t.files = append(t.files, now)
	}
	if len(t.files) > maxFiles {
		return t, fmt.Errorf("the collection has more than %d files, which is too many for a token", maxFiles)
	}
	slices.SortFunc(t.files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return t, nil
}

// rewritten adds the lines of a file whose earlier lines are void, and says in f how many tombstones
// it has. Those that the token before knew are passed over.
func (d *Delta) rewritten(f, old *file) error {
	d.done.Rewritten++
	f.buried = 0
	last, unlisted := "", int64(0)
	err := d.eachTombstone(f, func(record *warc.Record) error {
		known := f.buried < old.buried
		told, is, err := tombstone.Read(record, func(told tombstone.Told, c tombstone.Captured) error {
			if known {
				return nil
			}
			return d.addCapture(f.name, told.Removed, c)
		})
		if is {
			f.buried++
		}
		if is && !known {
			last = told.Removed
			unlisted += max(0, told.Captures-told.Listed)
		}
		return err
	})
	d.done.Unlisted += unlisted
	return cmp.Or(err, d.addFile(f.name, last, unlisted))
}

// eachTombstone calls look with each record of a file that may be a tombstone.
func (d *Delta) eachTombstone(f *file, look func(*warc.Record) error) error {
	if !f.reduced {
		return nil
	}
	known, _ := d.index.File(f.name)
	opened, err := d.open(known)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer opened.Close()
	r, err := warc.NewForeignReader(opened.Section(f.committed), f.name, 0)
	for err == nil {
		var record *warc.Record
		if record, err = r.Next(); err == nil {
			if tombstone.MayBe(record.Header) {
				err = look(record)
			}
			err = cmp.Or(err, record.Skip())
		}
		if errors.As(err, new(*warc.Damage)) {
			_, _, err = r.Resync()
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// addCapture adds the line of a capture that was removed.
func (d *Delta) addCapture(name, removed string, c tombstone.Captured) error {
	at, dated := warc.ParseDate(c.Date)
	if !dated {
		return nil
	}
	if d.query.Since.Removed == nil {
		d.query.Since.Removed = new(store.Removed)
	}
	if err := d.query.Since.Removed.Add(c.URI, at); err != nil {
		return err
	}
	dialect := cmp.Or(d.query.Dialect, canon.Pywb)
	key, _ := dialect.Key(c.URI)
	gone := store.Capture{URLKey: key, URL: c.URI, Time: at, Digest: c.Digest}
	gone.File = name
	is, err := d.query.Selects()
	if err != nil || !is(&gone) || cmp.Or(d.query.Key, store.URLKey) != store.URLKey {
		return err
	}
	d.done.Removed++
	return d.sorter.Add(gone.AppendRemoved(nil, dialect, removed))
}

// seconds is a date as YYYYMMDDhhmmss; "" if it is none.
func seconds(date string) string {
	at, is := warc.ParseDate(date)
	if !is {
		return ""
	}
	return at.UTC().Format("20060102150405")
}

// appendFile appends what is said of a file.
func appendFile(dst []byte, name string, unlisted int64) []byte {
	says := struct {
		Name     string `json:"filename"`
		Unlisted int64  `json:"unlisted,omitempty,string"`
	}{name, unlisted}
	text, _ := json.Marshal(says) // texts and numbers have no errors
	return append(dst, text...)
}
