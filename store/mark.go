package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"warcorder/store/boltcheck"
	"warcorder/store/collection"
)

// A mark says that an index was closed when all was well, and has not been touched since: the next
// Open need not read every page. It lies beside the index, as collection.ClosedSuffix says, and
// holds this line and a hash of
//
//	the meta pages and the list of free pages   any transaction changes them
//	the file's length, and its times of change  a write of any program changes them
//	the file's number in the file system        a copy of the file has another
//
// So a mark is right for the file that was closed, as it was closed, and for no other: neither for
// one that was put back from a backup, nor for one that comes from elsewhere. The mark is removed
// before the first transaction; an index whose process was killed has none.
const markHead = "warcorder index closed 1\n"

// markOf returns the mark that is right for the index in file as it is now.
func markOf(file *os.File) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	if err := identify(sum, file); err != nil {
		return nil, err
	}
	meta, err := boltcheck.ReadMeta(file, info.Size())
	if err != nil {
		return nil, judged(err)
	}
	binary.Write(sum, binary.BigEndian,
		[]int64{info.Size(), info.ModTime().UnixNano(), meta.PageSize})
	if err := meta.WriteState(sum, file); err != nil {
		return nil, judged(err)
	}
	return hex.AppendEncode([]byte(markHead), sum.Sum(nil)), nil
}

// isMarked reports whether the index in file, at path, has a mark that is right.
func isMarked(file *os.File, path string) bool {
	info, err := os.Lstat(path + collection.ClosedSuffix)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	mark, err := os.Open(path + collection.ClosedSuffix)
	if err != nil {
		return false
	}
	defer mark.Close()
	got, err := io.ReadAll(io.LimitReader(mark, 1<<10))
	if err != nil {
		return false
	}
	want, err := markOf(file)
	return err == nil && bytes.Equal(got, want)
}

// writeMark marks the index in file, at path. Nobody may write to it meanwhile.
func writeMark(file *os.File, path string) error {
	mark, err := markOf(file)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(path+collection.ClosedSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(mark)
	os.Chmod(out.Name(), info.Mode().Perm()) // who may not read the mark reads all pages instead
	return errors.Join(err, out.Close())
}

// removeMark removes the mark of the index at path, durably.
func removeMark(path string) error {
	err := os.Remove(path + collection.ClosedSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return collection.Dir(filepath.Dir(path)).Sync()
}

// Move renames an index that nobody has open. What is at the new path is replaced. Nothing that it
// needs can be missing on a full disk: an index that cannot be marked is read as a whole when it is
// opened.
func Move(from, to string) error {
	marked, err := hasMark(from)
	if err != nil {
		return err
	}
	err = errors.Join(removeMark(to), os.Rename(from, to), removeMark(from))
	if err != nil || !marked {
		return err
	}
	file, err := os.Open(to)
	if err != nil {
		return err
	}
	defer file.Close()
	_ = writeMark(file, to) // the time of change is another now
	return nil
}

// hasMark is isMarked for an index that is not open.
func hasMark(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	return isMarked(file, path), nil
}
