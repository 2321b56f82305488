package replaying

import (
	"errors"

	"warcorder/store"
	"warcorder/store/holdings"
	"warcorder/store/readback"
	"warcorder/store/replay"
)

// rest is a collection that nobody has open. Its index is open only while it is read.
type rest struct {
	*replay.Archive
	index *store.Bolt
	files *readback.Files
}

func openRest(held *holdings.Holdings, o Options, missed func(replay.Miss)) (*rest, error) {
	index, err := store.OpenReadOnly(held.Dir().Index())
	if err != nil {
		return nil, err
	}
	files := readback.Through(held, index)
	archive, err := o.Archive(index, files, missed, nil)
	if err != nil {
		return nil, errors.Join(err, files.Close(), index.Close())
	}
	return &rest{Archive: archive, index: index, files: files}, nil
}

// close closes it, each file when nobody reads it any more, and returns what became of requests.
func (r *rest) close() replay.Report {
	r.files.Close()
	r.index.Close()
	return r.Report()
}
