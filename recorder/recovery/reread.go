package recovery

import (
	"cmp"
	"context"
	"fmt"

	"github.com/rs/zerolog"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/fault"
)

// Anew is a file of which records were removed, while it lies beside the one whose place it is to take.
type Anew struct {
	Name     string // base name of the file
	Path     string // where it lies
	Size     int64
	Captures int64 // that it must have
}

// Reread reads files that a removal has written anew, as Rebuild would, and puts their captures into
// the index that is to take the place of the collection's. A file that has other captures than it
// must have is an error: then nothing may take the place of anything. When ctx ends no other record is
// read.
func Reread(ctx context.Context, cfg Config, dir collection.Dir, index *store.Bolt,
	written []Anew) error {
	keyer, err := store.NewKeyer(cfg.Keys)
	if err != nil {
		return err
	}
	r := &recovery{dir: dir, index: index, keyer: keyer, log: zerolog.Nop(), group: largeGroup,
		ended: ctx.Err}
	if r.dedup, err = cfg.Dedup.WithDefaults(); err != nil {
		return err
	}
	for _, w := range written {
		if err := cmp.Or(fault.At(fault.RemoveRead), ctx.Err()); err != nil {
			return err
		}
		if err := r.reread(w); err != nil {
			return fmt.Errorf("read what was written of %s: %w", w.Name, err)
		}
	}
	return nil
}

// reread reads one file.
func (r *recovery) reread(w Anew) error {
	file, known := r.index.File(w.Name)
	if !known {
		return fmt.Errorf("the index does not know it")
	}
	in, err := openSynced(w.Path)
	if err != nil {
		return err
	}
	defer in.Close()
	in.size = w.Size
	s, err := r.readSource(&file, in)
	if err != nil {
		return err
	}
	file.Committed, file.Sealed, file.Reduced = w.Size, true, file.Reduced || s.reduced
	if err := r.put(s, file); err != nil {
		return err
	}
	if int64(s.found) != w.Captures {
		return fmt.Errorf("%d captures can be read in it, and by the index %d must stay: warcorder verify "+
			"says what is damaged, and warcorder rebuild makes the index agree; remove then", s.found,
			w.Captures)
	}
	return nil
}
