package recovery

import "warcorder/store"

// copies are the copies of finished files in object storage, by the files' base names.
type copies struct {
	known map[string]*store.Remote // by notes, by the old index of a rebuild, or by the bucket itself
	noted map[string]*store.Remote // by notes alone
}

// readCopies reads the notes of where files have copies. What is no such note is told, and passed over:
// it may be anybody's.
//
// A note tells what an index that was lost, or put back from a backup, does not know. It is written
// behind the index, so that where both speak of a file, and the file is here, the index is right; of
// the copies that they name, the younger one counts. A stale note says that a copy is not what the file
// is any more, since a removal has written it anew: a note beside it is of what was sent then.
func (r *recovery) readCopies() error {
	names, _, err := r.dir.Away()
	if err != nil {
		return err
	}
	r.copies = copies{make(map[string]*store.Remote), make(map[string]*store.Remote)}
	for _, name := range names {
		remote := new(store.Remote)
		err := r.dir.ReadNote(r.dir.AwayNote(name), remote)
		if err == nil {
			err = remote.Check(name)
		}
		if err != nil {
			r.log.Error().Str("file", name).Err(err).Msg("the note of where a WARC file has a copy is none " +
				"that warcorder writes: it is passed over; put it back from a backup, or remove it")
			continue
		}
		r.copies.noted[name], r.copies.known[name] = remote, remote
	}
	for name, remote := range r.before {
		if note := r.copies.known[name]; note == nil || !note.Uploaded.After(remote.Uploaded) {
			r.copies.known[name] = remote
		}
	}
	for name, remote := range r.listed {
		r.copies.known[name] = r.listedCopy(name, remote)
	}
	return nil
}

// copyOf returns where a file has a copy, by the index and by what else is known; nil if nowhere.
func (r *recovery) copyOf(f store.File) *store.Remote {
	known := r.copies.known[f.Name]
	if f.Remote == nil || known != nil && known.Uploaded.After(f.Remote.Uploaded) &&
		known.SHA256 == f.Remote.SHA256 {
		return known
	}
	return f.Remote
}

// noteOf notes beside the index where a file has its copy, and that files of the collection may be away.
func (r *recovery) noteOf(name string, remote *store.Remote) error {
	if remote.Released {
		if err := r.dir.RaiseLayout(r.mode); err != nil {
			return err
		}
	}
	if note := r.copies.noted[name]; note != nil && isSameCopy(note, remote) {
		return nil
	}
	if err := r.dir.WriteNote(r.dir.AwayNote(name), r.mode, remote); err != nil {
		return err
	}
	r.copies.noted[name] = remote
	return nil
}

// isSameCopy reports whether two notes are of the same object, and say the same of it.
func isSameCopy(a, b *store.Remote) bool {
	return a.Bucket == b.Bucket && a.Key == b.Key && a.Size == b.Size && a.SHA256 == b.SHA256 &&
		a.ETag == b.ETag && a.Version == b.Version
}

// noteAll notes beside an index that was made anew what it knows of copies.
func (r *recovery) noteAll(index *store.Bolt) error {
	files, err := index.Files()
	for i := 0; i < len(files) && err == nil; i++ {
		if f := files[i]; f.Remote != nil {
			err = r.noteOf(f.Name, f.Remote)
		}
	}
	return err
}
