package pushing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"warcorder/store/extsort"
	"warcorder/store/parquet"
	"warcorder/store/scratch"
)

// fileParts writes the parts of one WARC file: one, but for lines of enormous length.
type fileParts struct {
	*table
	ctx      context.Context
	file     string
	replaces bool // there may be some of an earlier push of this token file
	made     []*os.File
}

// write writes the lines of the file, which come next, and takes away what there is beside.
func (w *fileParts) write(lines *extsort.Lines) (err error) {
	defer func() { err = errors.Join(err, w.close()) }()
	rows := parquet.New(parquet.Settings{Version: w.Version, Create: w.create, Owner: w.at.table})
	defer rows.Abandon()
	n := int64(0)
	for ; lines.More(); n++ {
		text, err := lines.Text()
		if err != nil {
			return err
		}
		file, line := fileOf(text)
		if file != w.file {
			break
		}
		if _, err := rows.Write(append(line, '\n')); err != nil {
			return err
		}
		if err := errors.Join(w.ctx.Err(), lines.Next()); err != nil {
			return err
		}
	}
	if err := rows.Close(); err != nil {
		return err
	}
	for i, file := range w.made {
		if err := w.put(i, file); err != nil {
			return fmt.Errorf("write the part of %s: %w", w.file, err)
		}
	}
	w.sent.Lines += n
	w.sent.Parts += len(w.made)
	if !w.replaces {
		return nil
	}
	return w.drop(len(w.made))
}

// partFile is a temporary file, which is closed when its part is at its place.
type partFile struct{ *os.File }

func (partFile) Close() error { return nil }

// mostParts is how many parts one WARC file may have. Each but the last has 2 MiB of lines, or more: so
// many have 20 GB of them.
const mostParts = 10_000

// create begins a part.
func (w *fileParts) create(string) (io.WriteCloser, error) {
	if len(w.made) == mostParts {
		return nil, fmt.Errorf("the lines of %s need more than %d parts", w.file, mostParts)
	}
	file, err := scratch.Create(w.TempDir, "warcorder-part-*")
	if err != nil {
		return nil, err
	}
	w.made = append(w.made, file)
	return partFile{file}, nil
}

// close lets go of the temporary files.
func (w *fileParts) close() (err error) {
	for _, file := range w.made {
		err = errors.Join(err, file.Close())
	}
	return err
}

// put puts a part into its place. One that is there is written over if it is of this push.
func (w *fileParts) put(n int, file *os.File) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	in, name := part{file, size, w.Mode, w.at.table}, w.name(n)
	err = w.Target.shelf.put(w.ctx, name, in, w.replaces)
	if !errors.Is(err, errTaken) {
		return err
	}
	owner, err := w.owner(name)
	if err != nil {
		return fmt.Errorf("%s is there, and is none of ours (%w): move it away, or name another place",
			name, err)
	}
	if owner != w.at.table {
		return fmt.Errorf("%s is there already, of another recorder, or of this one before its token file "+
			"was lost: give each recorder a warc-prefix or a place of its own; in the second case remove "+
			"the table there first", name)
	}
	w.replaces = true
	return w.Target.shelf.put(w.ctx, name, in, true)
}

// owner is whose a part is that is there.
func (w *fileParts) owner(name string) (string, error) {
	in, done, err := w.Target.shelf.look(w.ctx, name)
	if err != nil {
		return "", err
	}
	owner, err := parquet.Owner(in, in.size)
	return owner, errors.Join(err, done())
}

// drop takes the parts away from the n-th on: the last first, so that what breaks off is found again. A
// shelf that has a part of every name is an error: nothing is taken away there.
func (w *fileParts) drop(n int) error {
	end := n
	for ; ; end++ {
		if end > mostParts {
			return fmt.Errorf("%s says that it has more than %d parts of %s: no push has written them",
				w.Target.shelf, mostParts, w.file)
		}
		_, done, err := w.Target.shelf.look(w.ctx, w.name(end))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err == nil {
			err = done()
		}
		if err != nil {
			return err
		}
	}
	for end--; end >= n; end-- {
		err := w.Target.shelf.drop(w.ctx, w.name(end))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("take the part of %s away: %w", w.file, err)
		}
		if err == nil {
			w.sent.Dropped++
		}
	}
	return nil
}

// mostName is how many bytes of the name of a WARC file stand in that of its part.
const mostName = 200

// name is the name of the n-th part, of ASCII that no reader of tables takes for anything else.
func (w *fileParts) name(n int) string {
	file := w.file
	if len(file) > mostName || strings.Trim(file, plainNames) != "" {
		sum := sha256.Sum256([]byte(file))
		file = hex.EncodeToString(sum[:])
	}
	return fmt.Sprintf("crawl=%s/subset=warc/part-%s-%05d.parquet", parquet.Partition(w.Name), file, n)
}

const plainNames = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
