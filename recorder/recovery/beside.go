package recovery

import (
	"fmt"

	"warcorder/store"
	"warcorder/store/summing"
)

// isReplaced reports whether a file that is here, and of which a copy is known, is no more what was
// uploaded, which it tells: then the file stays as it is, and is not read on.
func (r *recovery) isReplaced(f warcFile) bool {
	if f.Remote == nil || f.open >= 0 || f.final <= f.Committed {
		return false
	}
	r.left(f.Name, fmt.Sprintf("a WARC file is larger than it was when it was uploaded to %s: somebody "+
		"has written to it, or has put another one in its place. Nothing more of it is read: take it away, "+
		"and its copy is read; or let warcorder rebuild take all of it in", f.Remote.URL()))
	return true
}

// settleCopy brings index and notes into agreement on the copy of a file that is here, and of which the
// index has all. sums are those of the file, if it was read just now.
func (r *recovery) settleCopy(name string, sums *summing.File) error {
	f, known := r.index.File(name)
	copied := r.copies.known[name]
	switch {
	case !known || !f.Sealed:
		return nil
	case f.Remote != nil && r.making:
		return nil
	case f.Remote != nil:
		return r.noteOf(name, f.Remote)
	case copied == nil:
		return nil
	}
	remote, err := r.compareCopy(f, copied, sums)
	if err != nil || remote == nil {
		return err
	}
	return r.index.SetRemote(name, remote)
}

// compareCopy compares a file that is here with a copy that is known of. It returns nil, and tells, if
// the copy is another one.
func (r *recovery) compareCopy(f store.File, copied *store.Remote,
	sums *summing.File) (*store.Remote, error) {
	listed := r.listed[f.Name] != nil
	if !listed && copied.Size != f.Committed {
		r.otherCopy(f.Name, copied)
		return nil, nil
	}
	if sums == nil {
		in, err := openSource(r.path(f.Name))
		if err != nil {
			return nil, err
		}
		defer in.Close()
		sums = summing.New(in, in.size, 0)
	}
	sum, err := sums.Sums()
	switch {
	case err != nil:
		return nil, err
	case listed:
		return r.compareListed(f, copied, sum.Whole)
	case sum.Whole != copied.SHA256:
		r.otherCopy(f.Name, copied)
		return nil, nil
	}
	return copied, nil
}

// otherCopy tells that a note is of other content than the file.
func (r *recovery) otherCopy(name string, copied *store.Remote) {
	r.log.Warn().Str("file", name).Str("object", copied.URL()).
		Msg("the note of where a WARC file has a copy is of another content than the file: it is passed over")
}
