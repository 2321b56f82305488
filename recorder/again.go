package recorder

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"warcorder/recorder/record"
	"warcorder/recorder/spill"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// errCutBefore says that an exchange came back that is in the archive, but not all of it.
var errCutBefore = errors.New("the archive has this exchange already, though not all of it:" +
	" this was in spill/ again, or still, when that had been recorded")

// eachRecord reads a file from an offset to where there are no more records. One that is not there
// has none.
func eachRecord(path string, from int64, read func(*warc.Record) (more bool)) error {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	reader, err := warc.Open(path, from)
	if err != nil {
		return err
	}
	defer reader.Close()
	for {
		rec, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF) || errors.As(err, new(*warc.Damage)):
			return nil
		case err != nil:
			return err
		case !read(rec):
			return nil
		}
	}
}

// inFile is what is in a WARC file of an exchange: the metadata record is the last one of it.
type inFile struct{ message, metadata bool }

// isRecorded reports whether the records of an exchange are in the file that they were about to go
// to.
func (a *archive) isRecorded(line *spill.Sidecar) (found inFile, err error) {
	if line.Into != filepath.Base(line.Into) || !collection.IsWARC(line.Into) {
		return found, nil
	}
	for _, from := range []int64{max(line.At, 0), 0} { // a file that was mended may have moved
		found, err = a.holds(a.dir.WARC(line.Into), from, &line.IDs)
		if found.message || err != nil {
			return found, err
		}
	}
	return found, nil
}

// holds looks for the records in a finished file, from an offset on.
func (a *archive) holds(path string, from int64, ids *spill.IDs) (found inFile, err error) {
	err = eachRecord(path, from, func(rec *warc.Record) (more bool) {
		switch rec.Header.Get("WARC-Record-ID") {
		case ids.Response, ids.Request:
			found.message = true
		case ids.Metadata:
			found.metadata = true
		}
		return true
	})
	return found, err
}

// cameBack reports whether the index knows an exchange that is in spill/, though nobody was about
// to write it: someone has put spill/ back from a backup. If the archive has less of it than lies
// here, the error is errCutBefore.
func (a *archive) cameBack(line *spill.Sidecar) (bool, error) {
	places, err := a.placesOf(line)
	if err != nil {
		return false, err
	}
	for _, place := range places {
		for _, suffix := range []string{"", warc.OpenSuffix} {
			found, truncated, err := a.at(place, suffix, line.IDs.Response)
			switch {
			case err != nil:
				return false, err
			case found && truncated && line.Done && line.Truncated == "":
				return true, errCutBefore
			case found:
				return true, nil
			}
		}
	}
	return false, nil
}

// placesOf returns where the index has what was captured of the same URL at the same moment.
func (a *archive) placesOf(line *spill.Sidecar) (places []store.Location, err error) {
	uri, date := record.TargetURI(line.URL), line.Started
	if line.Extra != nil {
		uri, date = line.Extra.URI, line.Extra.Date
	}
	date = a.style.Date(date)
	second := date.Format("20060102150405")
	query := store.Query{URL: uri, From: second, To: second}
	if m := cmp.Or(line.Method, "GET"); m != "GET" { // whose keys go on behind the URL
		query.Match = store.Prefix
	}
	err = a.index.Captures(query, func(c *store.Capture) bool {
		if c.URL == uri && c.Time.Equal(date) {
			places = append(places, c.Location)
		}
		return true
	})
	return places, err
}

// at looks whether the record at a place has that ID.
func (a *archive) at(place store.Location,
	suffix, id string) (found, truncated bool, err error) {
	path := a.dir.WARC(place.File + suffix)
	err = eachRecord(path, place.Offset, func(rec *warc.Record) bool {
		found = rec.Header.Get("WARC-Record-ID") == id
		truncated = rec.Header.Get("WARC-Truncated") != ""
		return false
	})
	return found, truncated, err
}
