package readback

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"time"

	"warcorder/store"
	"warcorder/store/holdings"
	"warcorder/store/warc"
)

// file is a WARC file that is open for reading.
type file struct {
	*holdings.File
	users   int  // who read it; the mutex of Files guards it
	dropped bool // nobody else is to read it
	used    bool // since it was last looked whether anybody does

	layout warc.Layout
	frames sync.Pool // of *member, if the layout is Frames: they know the file's dictionary
}

// ReadAt is that of the file. An object that is gone is missing.
func (f *file) ReadAt(p []byte, offset int64) (int, error) {
	n, err := f.File.ReadAt(p, offset)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %w", ErrMissing, err)
	}
	return n, err
}

// evicted closes the file, or lets its last user do that. The caller holds the mutex.
func (f *file) evicted() {
	f.dropped = true
	if f.users == 0 {
		f.File.Close()
	}
}

// use opens the file in which a place lies, up to end: the place's own end, or how far the file is
// committed if the place does not tell. The caller gives the file back by release.
func (f *Files) use(at store.Location) (one *file, end int64, err error) {
	known, _ := f.progress.File(at.File)
	end, err = endOf(at, known.Committed)
	if err != nil {
		if known, _, err = f.progress.FileNow(at.File); err == nil {
			end, err = endOf(at, known.Committed)
		}
		if err != nil {
			return nil, 0, place(at, err)
		}
	}
	one, size, err := f.current(at.File, known)
	if errors.Is(err, ErrMissing) && known.Remote == nil {
		if known, err = f.askOfGone(at.File); err == nil {
			one, size, err = f.current(at.File, known)
		}
	}
	if err != nil {
		return nil, 0, place(at, err)
	}
	if at.Length == 0 && size > at.Offset {
		end = min(end, size) // who reads on notices where the file is cut
	}
	if size < end {
		f.release(one)
		return nil, 0, place(at, fmt.Errorf("%w from byte %d on", ErrMissing, size))
	}
	return one, end, nil
}

// askOfGone asks what became of a file that is not here any more, once for all who read it: whoever lets one
// go notes before that it is away.
func (f *Files) askOfGone(name string) (known store.File, err error) {
	f.asking.Lock()
	defer f.asking.Unlock()
	if f.gone[name] {
		known, _ = f.progress.File(name)
		return known, nil
	}
	if known, _, err = f.progress.FileNow(name); err == nil {
		f.gone[name] = true
	}
	return known, err
}

// endOf returns up to where a place of a file that is committed so far may be read.
func endOf(at store.Location, committed int64) (end int64, err error) {
	left := committed - at.Offset
	if at.Offset < 0 || at.Length < 0 || left <= 0 || at.Length > left {
		return 0, ErrUncommitted
	}
	if at.Length == 0 {
		return committed, nil
	}
	return at.Offset + at.Length, nil
}

// place puts a place before an error.
func place(at store.Location, err error) error {
	return fmt.Errorf("%s at %d: %w", at.File, at.Offset, err)
}

// current returns the file that has a name now, open, and its size. A file that lay open is looked
// at again, since people take files away, and recovery puts others in their places.
func (f *Files) current(name string, known store.File) (one *file, size int64, err error) {
	if one = f.kept(name); one != nil {
		if size, is := one.isStill(known.Remote); is {
			return one, size, nil
		}
		f.drop(name, one)
	}
	if one, err = f.open(known); err != nil {
		return nil, 0, err
	}
	f.keep(name, one, known.Sealed || runtime.GOOS != "windows")
	return one, one.Size, nil
}

// isStill reports whether the file is what has its name, and its size.
func (f *file) isStill(remote *store.Remote) (size int64, is bool) {
	if f.Info == nil {
		return f.Size, remote != nil && remote.IsSame(f.Remote)
	}
	info, err := os.Stat(f.Path)
	if err != nil || !os.SameFile(info, f.Info) {
		return 0, false
	}
	return info.Size(), true
}

// open opens a file as the index knows it.
func (f *Files) open(known store.File) (*file, error) {
	opened, err := f.holdings.Open(known)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrMissing
	case err != nil:
		return nil, err
	}
	one, err := fileOf(opened, known.Name, known.Committed)
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return one, nil
}

// fileOf looks at how the records of a file are wrapped.
func fileOf(opened *holdings.File, name string, committed int64) (*file, error) {
	one := &file{File: opened}
	reader, err := warc.NewForeignReader(io.NewSectionReader(one, 0, committed), name, 0)
	if err != nil {
		return nil, err
	}
	one.layout = reader.Layout()
	return one, nil
}

// kept returns a file that is open; nil if it is not.
func (f *Files) kept(name string) *file {
	f.mu.Lock()
	defer f.mu.Unlock()
	one, found := f.opened.Get(name)
	if !found {
		return nil
	}
	one.users++
	one.used = true
	return one
}

// keep keeps an open file for others, who come later. On Windows a file that is open cannot be
// renamed, and the recorder renames those that it finishes.
func (f *Files) keep(name string, one *file, may bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	may = may && !f.closed
	one.users, one.dropped, one.used = 1, !may, true
	if may {
		f.opened.Remove(name) // another goroutine's may have come first
		f.opened.Add(name, one)
		f.sweepLater()
	}
}

// idleTime is how long a file stays open that nobody reads, up to twice: what was removed from the
// collection, or taken away, is on the disk as long as somebody has it open.
const idleTime = time.Minute

// sweepLater lets sweep be called while files are open. The caller holds the mutex.
func (f *Files) sweepLater() {
	if f.sweeper == nil {
		f.sweeper = time.AfterFunc(idleTime, f.sweep)
	}
}

// sweep closes the files that nobody has read since it was called last.
func (f *Files) sweep() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sweeper = nil
	for _, name := range f.opened.Keys() {
		one, _ := f.opened.Peek(name)
		if one.users == 0 && !one.used {
			f.opened.Remove(name)
		}
		one.used = false
	}
	if f.opened.Len() > 0 {
		f.sweepLater()
	}
}

// drop gives a file back that has its name no more. While it was open, its space on the disk would
// not be free.
func (f *Files) drop(name string, one *file) {
	f.mu.Lock()
	if now, _ := f.opened.Peek(name); now == one {
		f.opened.Remove(name)
	}
	f.mu.Unlock()
	f.release(one)
}

// release gives a file back.
func (f *Files) release(one *file) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one.users--; one.users == 0 && one.dropped {
		one.File.Close()
	}
}
