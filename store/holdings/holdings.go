// Package holdings opens the WARC files of a collection wherever they are: in archive/, finished or
// while they are written, or away, in object storage. Start with [Holdings.Open].
//
// Where object storage is, and who may read it, says the environment, as it does to all programs that
// use it (package objects). Nothing of that is looked at before a file is away.
//
// Invariant: what is opened is the file that the index knows. A copy in object storage counts only as
// the object that was verified there when the file was uploaded: another one in its place is an error.
package holdings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/objects"
)

// Holdings are the files of a collection. Its methods are safe for concurrent use.
//
// What is kept of object storage in memory is that of one [objects.Storage] for New, however many share
// it. So who answers many requests, or has many collections, calls New once, and passes on what it
// returned: a Storage for each of them would take as many times 80 MiB. There is none for the whole process:
// another environment, or an object that has gone, is another New.
type Holdings struct {
	dir  collection.Dir
	away *away
}

// away is object storage. It is never closed: somebody may read it as long as the process lives.
type away struct {
	mu      sync.Mutex
	storage *objects.Storage // nil before a file was away
}

// New returns the files of a collection.
func New(dir collection.Dir) *Holdings { return &Holdings{dir, new(away)} }

// Of returns the files of another collection, which share object storage with these.
func (h *Holdings) Of(dir collection.Dir) *Holdings { return &Holdings{dir, h.away} }

// Dir returns the collection.
func (h *Holdings) Dir() collection.Dir { return h.dir }

// File is a file that is open.
type File struct {
	io.ReaderAt
	Path   string        // or, of one that is away, its address
	Size   int64         // when it was opened, in bytes
	Info   fs.FileInfo   // when it was opened; nil of one that is away
	Remote *store.Remote // of one that is away; else nil

	local  *os.File        // nil of one that is away
	remote *objects.Reader // of one that is away; else nil
}

// WithContext returns the same file, of which nothing is asked of object storage once ctx is done.
// Either is to be closed, once.
func (f *File) WithContext(ctx context.Context) *File {
	if f.remote == nil {
		return f
	}
	bound := *f
	bound.remote = f.remote.WithContext(ctx)
	bound.ReaderAt = bound.remote
	return &bound
}

// Section returns its first n bytes.
func (f *File) Section(n int64) *io.SectionReader { return io.NewSectionReader(f, 0, n) }

// Close closes it.
func (f *File) Close() error {
	if f.local == nil {
		return nil
	}
	return f.local.Close()
}

// Open opens a file as the index knows it, whatever its name is at present. The error wraps
// fs.ErrNotExist if it is nowhere, and else is one of the system or of package objects.
func (h *Holdings) Open(f store.File) (*File, error) {
	local, err := h.openHere(f.Name)
	switch {
	case err == nil:
		return of(local)
	case !errors.Is(err, fs.ErrNotExist) || f.Remote == nil:
		return nil, err
	}
	return h.OpenAway(f.Remote)
}

// OpenNoted opens a finished file of that name as the directory alone tells of it, for who reads no
// index.
func (h *Holdings) OpenNoted(name string) (*File, error) {
	local, err := OpenFollowing(h.dir.WARC(name))
	if err == nil {
		return of(local)
	}
	remote := new(store.Remote)
	if errors.Is(err, fs.ErrNotExist) {
		err = h.dir.ReadNote(h.dir.AwayNote(name), remote)
	}
	if err != nil {
		return nil, err
	}
	return h.OpenAway(remote)
}

// openHere opens what lies in archive/ under the names that a file may have.
func (h *Holdings) openHere(name string) (opened *os.File, err error) {
	for _, path := range h.dir.WARCPaths(name) {
		if opened, err = OpenFollowing(path); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return opened, err
}

func of(local *os.File) (*File, error) {
	info, err := local.Stat()
	if err != nil {
		return nil, errors.Join(err, local.Close())
	}
	return &File{ReaderAt: local, Path: local.Name(), Size: info.Size(), Info: info, local: local}, nil
}

// OpenAway opens a copy in object storage, which is asked when it is read.
func (h *Holdings) OpenAway(r *store.Remote) (*File, error) {
	storage, err := h.Storage()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.URL(), err)
	}
	reader := storage.Reader(r)
	return &File{ReaderAt: reader, Path: r.URL(), Size: r.Size, Remote: r, remote: reader}, nil
}

// Storage is the object storage that the environment names.
func (h *Holdings) Storage() (*objects.Storage, error) {
	h.away.mu.Lock()
	defer h.away.mu.Unlock()
	if h.away.storage != nil {
		return h.away.storage, nil
	}
	storage, err := objects.Open(context.Background())
	if err == nil {
		h.away.storage = storage
	}
	return storage, err
}

// OpenFollowing opens what lies at path, or where a link there leads, if that is a file: to open a pipe
// would take until somebody writes into it. A link to a WARC file elsewhere is welcome in archive/;
// collection.OpenRegular, for all else of a collection, follows none.
func OpenFollowing(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}
