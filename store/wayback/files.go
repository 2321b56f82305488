package wayback

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/holdings"
)

// A WARC file is served by the name that the lines of the index have, which is the final one: what
// is still written is served up to where the index knows it. Its descriptor is opened once for an
// answer, and whatever then takes the name is another file.
//
// A removal writes a file anew, and the index with it, one shortly after the other. If one has come
// while a file was opened, it is opened once more.

// holder returns the collection that has a file of a name, if it is one alone.
func (s *Site) holder(ctx context.Context, segment string) (found *Collection) {
	name, ok := fileName(segment)
	if !ok {
		return nil
	}
	for i := range s.all {
		in, err := s.all[i].Open()
		if err != nil {
			continue
		}
		s.all[i].settle(ctx, store.OfFiles(name))
		if _, known := in.Index.File(name); !known {
			continue
		}
		if found != nil {
			return nil
		}
		found = &s.all[i]
	}
	return found
}

// fileName returns the name that a segment of a path says. A name that the index has is a base
// name: nothing else is looked for.
func fileName(segment string) (name string, ok bool) {
	name, err := url.PathUnescape(segment)
	return name, err == nil && name != "" && !strings.ContainsAny(name, "/\\\x00")
}

// file answers with a file, or a part of it.
func (a *answering) file(in Reader, segment string) {
	name, ok := fileName(segment)
	if !ok {
		refuse(a.w, http.StatusNotFound, "This is no name of a WARC file: it is that of a line's "+
			"filename, without a path.")
		return
	}
	if !a.isKnown(in.Index, name) {
		a.of.settle(a.r.Context(), store.OfFiles(name))
	}
	file, size, err := a.openWARC(in, name)
	if file != nil {
		defer file.Close()
	}
	if errors.As(err, new(*partMissing)) && a.r.Header.Get("Range") != "" {
		err = nil
	}
	if err != nil {
		a.refuseFile(err)
		return
	}
	if err := a.isGiven(file); err != nil {
		refuse(a.w, http.StatusBadGateway, fmt.Sprintf("%s is away, and cannot be read: %v", name, err))
		return
	}
	h := a.w.Header()
	h.Set("Content-Type", mediaType(name))
	h.Set("ETag", tagOf(file, size))
	http.ServeContent(a.w, a.r, "", time.Time{}, file.WithContext(a.r.Context()).Section(size))
}

// isGiven returns an error if object storage does not give the first byte that is asked for of a file that
// is away: an answer that has begun cannot say why it breaks off.
func (a *answering) isGiven(file *holdings.File) error {
	if file.Remote == nil || a.r.Method == http.MethodHead {
		return nil
	}
	wanted, _ := strings.CutPrefix(a.r.Header.Get("Range"), "bytes=")
	begin, _, _ := strings.Cut(wanted, "-")
	from, err := strconv.ParseInt(begin, 10, 64)
	if err != nil || from < 0 || from >= file.Size {
		from = 0
	}
	_, err = file.WithContext(a.r.Context()).ReadAt(make([]byte, 1), from)
	return err
}

// tagOf tells what a file is from what it was or will be. One that goes away gets another tag.
func tagOf(file *holdings.File, size int64) string {
	if file.Info == nil {
		return fmt.Sprintf(`"%x-%x"`, size, file.Remote.SHA256[:8])
	}
	return fmt.Sprintf(`"%x-%x"`, size, file.Info.ModTime().UnixNano())
}

// isKnown reports whether the index knows all of a file that the request is for: a range that begins
// and ends within it, as a player asks for the record of a line. However often that is asked of the
// file that is being written, nothing is waited for.
func (a *answering) isKnown(index *store.Bolt, name string) bool {
	known, _ := index.File(name)
	end, is := endOfRange(a.r.Header)
	return is && end < known.Committed
}

// endOfRange returns the last byte of the one range that fields ask for, whatever the file is by now.
func endOfRange(fields http.Header) (end int64, is bool) {
	wanted, isBytes := strings.CutPrefix(fields.Get("Range"), "bytes=")
	from, to, is := strings.Cut(wanted, "-")
	if !isBytes || !is || from == "" || fields.Get("If-Range") != "" {
		return 0, false
	}
	end, err := strconv.ParseInt(to, 10, 64)
	return end, err == nil && end >= 0
}

// mediaType is that of a WARC file, by its name.
func mediaType(name string) string {
	switch {
	case strings.HasSuffix(name, ".gz"):
		return "application/gzip"
	case strings.HasSuffix(name, ".zst"):
		return "application/zstd"
	}
	return "application/warc"
}

var (
	errUnknownFile = errors.New("the index knows no WARC file of that name")
	errFileMissing = errors.New("the WARC file was here, and is not any more: it was taken out " +
		"of the collection")
	errFileChanges = errors.New("another file is taking the place of this one: ask again in a " +
		"moment")
)

// partMissing says that the end of a file is missing.
type partMissing struct{ from int64 }

func (p *partMissing) Error() string {
	return fmt.Sprintf("the WARC file is not whole any more: it ends at byte %d, and ranges before "+
		"that can be had", p.from)
}

// refuseFile says why there is no file.
func (a *answering) refuseFile(err error) {
	status := http.StatusInternalServerError
	switch {
	case errors.Is(err, errUnknownFile):
		status = http.StatusNotFound
	case errors.Is(err, errFileMissing), errors.As(err, new(*partMissing)):
		status = http.StatusGone
	case errors.Is(err, errFileChanges), errors.Is(err, collection.ErrLocked):
		status = http.StatusServiceUnavailable
		a.w.Header().Set("Retry-After", "1")
	}
	refuse(a.w, status, err.Error())
}

// The looks at a file whose place another is taking, which is a matter of some renamings.
const (
	mostLooks  = 40
	lookPeriod = 25 * time.Millisecond
)

// openWARC opens a WARC file, and returns how much of it may be read. With partMissing it is open,
// too.
func (a *answering) openWARC(in Reader, name string) (*holdings.File, int64, error) {
	for look := 1; ; look++ {
		reading := a.of.Dir.Reading()
		file, size, err := a.openNow(in, name)
		if reading.IsSame() {
			return file, size, err
		}
		if file != nil {
			file.Close()
		}
		if look == mostLooks {
			return nil, 0, errFileChanges
		}
		select {
		case <-a.r.Context().Done():
			return nil, 0, a.r.Context().Err()
		case <-time.After(lookPeriod):
		}
	}
}

// openNow opens a file as index and disk have it at this moment.
func (a *answering) openNow(in Reader, name string) (*holdings.File, int64, error) {
	known, isKnown, err := in.Index.FileNow(name)
	if err != nil {
		return nil, 0, err
	}
	if !isKnown || known.Committed == 0 {
		return nil, 0, errUnknownFile
	}
	file, err := in.Files.Holdings().Open(known)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, errFileMissing
	}
	if err != nil {
		return nil, 0, err
	}
	if file.Size < known.Committed {
		return file, file.Size, &partMissing{file.Size}
	}
	return file, known.Committed, nil
}
