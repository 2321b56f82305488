package recovery

import (
	"warcorder/store"
	"warcorder/store/fault"
)

// indexFrom reads a file from file.Committed on, up to the first damage, or over all damage. Every
// full group of captures goes into the index, and file.Committed behind it; the caller puts the
// last ones there.
func (r *recovery) indexFrom(file *store.File, in *source, over bool) (*scan, error) {
	begin := file.Committed
	return scanFile(in, *file, r.keyer, &r.dedup, over, func(s *scan, offset int64) error {
		if err := r.report(file.Name, offset-begin); err != nil {
			return err
		}
		if !s.isFull(r.group) || s.response == nil && s.request == nil {
			return nil // between two exchanges: a metadata record of the last one may follow
		}
		file.Committed = s.end
		return r.put(&s.findings, *file)
	})
}

// put puts the captures that were found into the index, with the state of the file, at once.
func (r *recovery) put(f *findings, file store.File) error {
	if err := r.index.Commit(f.captures, []store.File{file}); err != nil {
		return err
	}
	r.found.Captures += len(f.captures)
	f.forget()
	return nil
}

// report reports progress, so many bytes of the file that is being read, and says whether whoever is
// told has had enough.
func (r *recovery) report(file string, read int64) error {
	if r.progress != nil {
		r.progress(file, r.done+read, r.total)
	}
	if r.ended != nil {
		return r.ended()
	}
	return nil
}

// openSynced opens a file that is about to go into the index: its bytes may be in the system's memory
// only, and the index must not outlive them.
func openSynced(path string) (*source, error) {
	if err := syncFile(path); err != nil {
		return nil, err
	}
	return openSource(path)
}

// add makes the index know a file that is about to be read.
func (r *recovery) add(f *warcFile) (err error) {
	if f.ID == 0 {
		if f.File, err = r.index.AddFile(f.Name); err != nil {
			return err
		}
	}
	r.found.Files++
	return fault.At(r.each)
}
