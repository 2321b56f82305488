package recovery

import (
	"warcorder/store"
	"warcorder/store/collection"
)

// addFinished reads a file that has its final name.
func (r *recovery) addFinished(f warcFile) error {
	if err := r.add(&f); err != nil {
		return err
	}
	return r.readFinished(f.File, f.final)
}

// readFinished puts captures of a finished file into the index: of a file of ours those of the
// whole exchanges behind file.Committed, of another program's file all. The file stays as it is.
func (r *recovery) readFinished(file store.File, size int64) error {
	read := r.readForeign
	if own, err := collection.IsOwn(r.path(file.Name)); err != nil {
		return err
	} else if own {
		read = r.readOwn
	}
	s, err := read(&file, size)
	if err != nil {
		return err
	}
	file.Committed, file.Reduced = size, file.Reduced || s.reduced
	if err := r.put(s, file); err != nil {
		return err
	}
	for _, d := range s.damaged {
		message := "a finished WARC file is damaged: what is there is not in the index"
		if d.Kept {
			message = "a finished WARC file is damaged: what is there is in the index"
		}
		r.log.Warn().Str("file", d.File).Int64("offset", d.Offset).Int64("bytes", d.Bytes).
			AnErr("damage", d.Reason).Msg(message)
	}
	r.found.Damaged = append(r.found.Damaged, s.damaged...)
	if r.read == nil {
		r.read = make(map[string]foundIn)
	}
	r.read[file.Name] = foundIn{s.found, s.damaged}
	r.log.Info().Str("file", file.Name).Int("captures", s.found).
		Msg("read a finished file that was not in the index, or not all of it")
	return r.sealed(file)
}

// readOwn reads a finished file that we recorded.
func (r *recovery) readOwn(file *store.File, size int64) (*findings, error) {
	return r.readOwnAt(file, r.path(file.Name), size)
}

// readOwnAt is readOwn for a file that lies at path.
func (r *recovery) readOwnAt(file *store.File, path string, size int64) (*findings, error) {
	s, err := r.indexFrom(file, path, true)
	if err != nil {
		return nil, err
	}
	s.finish(size)
	return &s.findings, nil
}

// readForeign reads a finished file of another program, always from its beginning: a request and
// its response may lie on both sides of file.Committed.
func (r *recovery) readForeign(file *store.File, size int64) (*findings, error) {
	return r.readForeignAt(file, r.path(file.Name), size)
}

// readForeignAt is readForeign for a file that lies at path.
func (r *recovery) readForeignAt(file *store.File, path string, size int64) (*findings, error) {
	if err := syncFile(path); err != nil {
		return nil, err
	}
	s, err := scanForeign(path, file.Name, size, r.keyer, func(s *foreignScan, offset int64) error {
		if err := r.report(file.Name, max(0, offset-file.Committed)); err != nil {
			return err
		}
		if !s.isFull(r.group) || s.captured != "" {
			return nil // or the metadata record of the last one may follow
		}
		return r.put(&s.findings, *file)
	})
	if err != nil {
		return nil, err
	}
	return &s.findings, nil
}
