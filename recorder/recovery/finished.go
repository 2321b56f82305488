package recovery

import (
	"warcorder/store"
	"warcorder/store/summing"
)

// addFinished reads a file that has its final name.
func (r *recovery) addFinished(f warcFile) error {
	if err := r.add(&f); err != nil {
		return err
	}
	return r.readFinished(f.File, f.final)
}

// readFinished puts captures of a finished file into the index. The file stays as it is.
func (r *recovery) readFinished(file store.File, size int64) error {
	in, err := openSynced(r.path(file.Name))
	if err != nil {
		return err
	}
	defer in.Close()
	in.size = size
	var sums *summing.File
	if r.copies.known[file.Name] != nil {
		sums = summing.New(in.ReaderAt, size, 0)
		in.ReaderAt = sums
	}
	if err := r.indexFinished(file, in); err != nil {
		return err
	}
	return r.settleCopy(file.Name, sums)
}

// indexFinished puts captures of a finished file into the index, wherever it is: of a file of ours
// those of the whole exchanges behind file.Committed, of another program's file all.
func (r *recovery) indexFinished(file store.File, in *source) error {
	s, err := r.readSource(&file, in)
	if err != nil {
		return err
	}
	file.Committed, file.Reduced = in.size, file.Reduced || s.reduced
	if err := r.put(s, file); err != nil {
		return err
	}
	r.tellDamaged(s)
	if r.read == nil {
		r.read = make(map[string]foundIn)
	}
	r.read[file.Name] = foundIn{s.found, s.damaged}
	r.log.Info().Str("file", file.Name).Int("captures", s.found).
		Msg("read a finished file that was not in the index, or not all of it")
	return r.sealed(file)
}

// tellDamaged tells of the damaged places in a finished file.
func (r *recovery) tellDamaged(s *findings) {
	for _, d := range s.damaged {
		message := "a finished WARC file is damaged: what is there is not in the index"
		if d.Kept {
			message = "a finished WARC file is damaged: what is there is in the index"
		}
		r.log.Warn().Str("file", d.File).Int64("offset", d.Offset).Int64("bytes", d.Bytes).
			AnErr("damage", d.Reason).Msg(message)
	}
	r.found.Damaged = append(r.found.Damaged, s.damaged...)
}

// readSource reads a finished file: one that we recorded, or one of another program.
func (r *recovery) readSource(file *store.File, in *source) (*findings, error) {
	own, err := in.isOwn()
	switch {
	case err != nil:
		return nil, err
	case own:
		return r.readOwn(file, in)
	}
	return r.readForeign(file, in)
}

// readOwn reads a finished file that we recorded.
func (r *recovery) readOwn(file *store.File, in *source) (*findings, error) {
	s, err := r.indexFrom(file, in, true)
	if err != nil {
		return nil, err
	}
	s.finish(in.size)
	return &s.findings, nil
}

// readForeign reads a finished file of another program, always from its beginning: a request and
// its response may lie on both sides of file.Committed.
func (r *recovery) readForeign(file *store.File, in *source) (*findings, error) {
	each := func(s *foreignScan, offset int64) error {
		if err := r.report(file.Name, max(0, offset-file.Committed)); err != nil {
			return err
		}
		if !s.isFull(r.group) || s.captured != "" {
			return nil // or the metadata record of the last one may follow
		}
		return r.put(&s.findings, *file)
	}
	s, err := scanForeign(in, file.Name, r.keyer, each)
	if err != nil {
		return nil, err
	}
	return &s.findings, nil
}
