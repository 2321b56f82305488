package holdings

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/fault"
	"warcorder/store/objects"
)

// BringBack brings a file back into archive/ that is in object storage alone, and notes in the index that
// it is here. It has its name only when all of it is on disk, byte for byte what was uploaded.
func (h *Holdings) BringBack(ctx context.Context, index *store.Bolt, f store.File, mode collection.Mode) error {
	storage, err := h.Storage()
	if err != nil {
		return err
	}
	in, err := storage.Stream(ctx, f.Remote, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	err = collection.Copy(h.dir.WARC(f.Name), mode, &checked{in: in, of: f.Remote, sum: sha256.New()})
	if errors.Is(err, fs.ErrExist) { // somebody else has brought it back, or a copy goes on
		var info fs.FileInfo
		if info, err = os.Stat(h.dir.WARC(f.Name)); err == nil && info.Size() != f.Remote.Size {
			err = fmt.Errorf("%s has %d bytes, and %s %d", f.Name, info.Size(), f.Remote.URL(), f.Remote.Size)
		}
	}
	if err == nil {
		err = fault.At(fault.BroughtBack)
	}
	if err != nil {
		return err
	}
	here := *f.Remote
	here.Released = false
	return index.SetRemote(f.Name, &here)
}

// checked reads an object, and ends with an error unless that is what was uploaded.
type checked struct {
	in  io.Reader
	of  *store.Remote
	sum hash.Hash
	n   int64
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.sum.Write(p[:n])
	if c.n += int64(n); c.n > c.of.Size {
		return 0, c.other()
	}
	if err == io.EOF && (c.n != c.of.Size || store.Sum(c.sum.Sum(nil)) != c.of.SHA256) {
		err = c.other()
	}
	return n, err
}

func (c *checked) other() error {
	return fmt.Errorf("%s: %w: warcorder verify --remote says more", c.of.URL(), objects.ErrChanged)
}
