package recovery

import (
	"errors"
	"io/fs"

	"warcorder/store"
	"warcorder/store/fault"
	"warcorder/store/warc"
)

// finish puts the whole exchanges of a file that was being written into the index, cuts off the
// rest, and gives the file its final name. Whole exchanges behind damage are saved first. was is
// the file as it was found: if the name leads to another file when it is to be cut, or the file has
// grown, somebody else writes to it, and the recovery ends with an error.
func (r *recovery) finish(file store.File, was warc.Place) error {
	s, err := r.indexUnfinished(&file, was.Path)
	if err != nil {
		return err
	}
	file.Committed = s.end
	if err := r.put(&s.findings, file); err != nil {
		return err
	}
	if was.File.Size() > s.end {
		saved, err := r.salvage(file, was, s)
		if err != nil {
			return err
		}
		if saved { // the file is another one now, and what was saved is not in the index yet
			return r.finishAgain(file)
		}
	}
	return r.seal(file, s.found, was)
}

// indexUnfinished is indexFrom for a file that was being written, up to the first damage.
func (r *recovery) indexUnfinished(file *store.File, path string) (*scan, error) {
	in, err := openSynced(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return r.indexFrom(file, in, false)
}

// finishAgain is finish for a file that has just taken the place of another one.
func (r *recovery) finishAgain(file store.File) error {
	now, err := warc.Look(r.dir.OpenWARC(file.Name))
	if err != nil {
		return err
	}
	return r.finish(file, now)
}

// seal closes a file that was being written, and notes in the index that it is finished, unless the
// file has to keep its name.
func (r *recovery) seal(file store.File, captures int, was warc.Place) error {
	err := r.close(file, was)
	if errors.Is(err, fs.ErrExist) {
		r.left(file.Name,
			"a WARC file keeps its name with .open, since the final one is that of something else:"+
				" take one of them away")
		return nil
	}
	if err != nil {
		return err
	}
	r.log.Info().Str("file", file.Name).Int("captures", captures).
		Msg("recovered a file that was not finished")
	return r.sealed(file)
}

// close cuts a file that was being written to what is in the index, and gives it its final name. A
// file of which nothing is left is removed.
func (r *recovery) close(file store.File, was warc.Place) error {
	if err := fault.At(fault.RecoverCut); err != nil {
		return err
	}
	if err := was.Still(); err != nil {
		return err
	}
	w, err := warc.Resume(r.dir.Archive(), file.Name, file.Committed, was.File)
	if err != nil {
		return err
	}
	if file.Committed == 0 {
		return w.Discard()
	}
	if err := fault.At(fault.RecoverFinish); err != nil {
		return err
	}
	return w.Close()
}
