package recovery

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/fault"
	"warcorder/store/warc"
)

// salvage keeps a copy of what is behind file.Committed in a file that was being written, and saves
// the whole exchanges there, but for revisits whose original is lost. It makes a new file of what
// is in the index and of the whole exchanges, which takes the place of the old file. It reports
// whether it has done so; else the old file is to be cut. A file that has hard links is never cut,
// since the other names would lose what is cut: it is replaced even if there is nothing to save.
func (r *recovery) salvage(file store.File, was warc.Place, before *scan) (saved bool, err error) {
	path, size := r.path(file.Name), was.File.Size()
	s, err := r.scanWhole(was.Path, file)
	if err != nil {
		return false, err
	}
	torn, err := keepTail(was, file.Committed, path+collection.TornSuffix)
	if err != nil {
		return false, err
	}
	lost := size - file.Committed - s.lengthKept()
	r.found.Cut += lost
	r.found.Torn = append(r.found.Torn, torn)
	r.log.Warn().Str("file", file.Name).Int64("offset", file.Committed).Int64("cut", lost).
		Int64("kept", s.lengthKept()).Str("copy", torn).AnErr("damage", before.damage).
		Msg("a file that was not finished is damaged or torn: what is no whole exchange is cut, and " +
			"all of that part copied")
	if len(s.kept) == 0 && (was.Names() == 1 || file.Committed == 0) {
		return false, nil
	}
	return true, r.replace(file, was, s.kept)
}

// lengthKept is how many bytes the whole exchanges take, with the records of no exchange.
func (s *scan) lengthKept() (n int64) {
	for _, part := range s.kept {
		n += part.to - part.from
	}
	return n
}

// replace puts a new file in the place of one that was being written: what it has up to
// file.Committed, and the parts that are good behind that. All else is in a copy by now.
func (r *recovery) replace(file store.File, was warc.Place, parts []stretch) error {
	made := r.path(file.Name) + collection.RecoveringSuffix
	if err := r.rewrite(made, file, was, parts); err != nil {
		return fmt.Errorf("make %s: %w", made, err)
	}
	if err := fault.At(fault.RecoverCut); err != nil {
		return err
	}
	if err := was.Still(); err != nil {
		return err
	}
	return errors.Join(os.Rename(made, was.Path), r.dir.SyncArchive())
}

// rewrite makes the new file at path, durably: what is in the index, and the parts.
func (r *recovery) rewrite(path string, file store.File, was warc.Place,
	parts []stretch) (err error) {
	in, err := openPlace(was)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if err := r.mode.Of(was.Path).Set(path); err != nil { // what it will replace
		return err
	}
	if file.Committed > 0 {
		parts = append([]stretch{{0, file.Committed}}, parts...)
	} else if err := r.writeWarcinfo(out, in, file.Name, parts[0].from); err != nil {
		return err
	}
	for _, part := range parts {
		if err := fault.At(fault.RecoverRewrite); err != nil {
			return err
		}
		if _, err := io.Copy(out, io.NewSectionReader(in, part.from, part.to-part.from)); err != nil {
			return err
		}
	}
	return out.Sync()
}

// writeWarcinfo writes a warcinfo record to the new file, unless the first record that is left, at
// offset in the old file, is one. It has the ID and the date that this first record names, so that
// what the other records refer to is there again.
func (r *recovery) writeWarcinfo(out io.Writer, in io.ReadSeeker, name string, offset int64) error {
	reader, err := warc.NewReader(in, name, offset)
	if err != nil {
		return err
	}
	first, err := reader.Next()
	if err != nil {
		return err
	}
	id, ok := record.ParseID(first.Header.Get("WARC-Warcinfo-ID"))
	date, err := time.Parse(time.RFC3339, first.Header.Get("WARC-Date"))
	if first.Type() == "warcinfo" || !ok || err != nil {
		return nil
	}
	rec, err := record.Warcinfo(r.style, id, date, name, r.host, r.dir.Name())
	if err != nil {
		return err
	}
	_, err = out.Write(r.style.Compressor().Append(nil, [][]byte{rec, []byte(warc.RecordEnd)}, -1))
	return err
}
