package wayback

import (
	"errors"
	"io"
	"net/http"
	"strconv"

	"warcorder/store"
	"warcorder/store/collection"
)

// All lines of an index come with their length, which a first walk through the index counts: a page
// that loads them shows how far it is, and a proxy between keeps no connection for their end. What
// is committed meanwhile is in neither walk: both end in each file where the first found its end.

// mostWalks is how often the first walk begins anew where a removal comes in between.
const mostWalks = 3

// lines answers with all lines.
func (a *answering) lines(in Reader) {
	a.of.settle(a.r.Context(), store.Everything)
	for walk := 1; ; walk++ {
		reading := a.of.Dir.Reading()
		query, err := allUntilNow(in.Index)
		if err != nil {
			a.unreadable(err)
			return
		}
		size := counter{a: a}
		_, err = in.Index.Export(&size, query, nil)
		switch {
		case a.r.Context().Err() != nil:
			return
		case walk < mostWalks && (errors.Is(err, store.ErrReplaced) || err == nil && !reading.IsSame()):
			continue
		case err != nil:
			a.unreadable(explained(err))
		case !reading.IsSame():
			a.unreadable(errFileChanges)
		default:
			a.write(in.Index, query, size.n)
		}
		return
	}
}

// explained says what to do about an error of a walk that may pass.
func explained(err error) error {
	if errors.Is(err, collection.ErrLocked) {
		return errors.New("another process is taking the collection: ask again in a moment")
	}
	return err
}

// allUntilNow selects what is in the index at this moment: whatever is committed to a file later on
// lies behind.
func allUntilNow(index *store.Bolt) (store.Query, error) {
	files, err := index.Files()
	now := store.Since{Files: make(map[string]store.Stretch, len(files))}
	for _, f := range files {
		now.Files[f.Name] = store.Stretch{To: f.Committed}
	}
	return store.Query{Since: &now}, err
}

// write writes the lines, which have that many bytes, or breaks off.
func (a *answering) write(index *store.Bolt, query store.Query, size int64) {
	a.w.Header().Set("Content-Type", "text/x-cdxj")
	a.w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	a.w.WriteHeader(http.StatusOK)
	if a.r.Method == http.MethodHead {
		return
	}
	out := counter{a: a, to: a.w}
	_, err := index.Export(&out, query, nil)
	if err != nil || out.n != size {
		panic(http.ErrAbortHandler)
	}
}

// counter counts bytes, and ends with its client.
type counter struct {
	a  *answering
	to io.Writer // nil counts alone
	n  int64
}

func (c *counter) Write(b []byte) (int, error) {
	if err := c.a.r.Context().Err(); err != nil {
		return 0, err
	}
	c.n += int64(len(b))
	if c.to == nil {
		return len(b), nil
	}
	return c.to.Write(b)
}
