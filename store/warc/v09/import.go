package v09

import (
	"errors"
	"fmt"
	"io"

	"warcorder/store/warc"
)

// Importer makes WARC 1.1 records of 0.9 records: Read takes the files, one after another, and
// Close ends. Memory does not grow with the size of the blocks.
type Importer struct {
	// Temp is the directory where large blocks wait; "" for the system's.
	Temp string
	// Out takes a record: its header through the empty line, its block, and the size of the block.
	Out func(header []byte, block io.Reader, size int64) error
	// Report takes what is wrong; nil to ignore it.
	Report func(Finding)

	memory   window
	pending  segments
	warcinfo string // record-id of the last warcinfo record in the file that is being read
}

// Finding is something wrong with a file, or something in it for which 1.1 has no words. The Reason
// says what became of it.
type Finding struct {
	File   string
	Offset int64  // of the record, or of the gzip member that it begins in
	ID     string // record-id; "" for damage
	Reason error
}

// String names the place, the record and the reason.
func (f Finding) String() string {
	if f.ID == "" {
		return f.Reason.Error() // a damage says where it is
	}
	return fmt.Sprintf("%s: at byte %d: %s: %v", f.File, f.Offset, f.ID, f.Reason)
}

// The kinds of Findings. A Reason wraps one of them or a *warc.Damage.
var (
	ErrChecksum = errors.New("the checksum is wrong")
	ErrSegments = errors.New("segments do not fit together")
	ErrUnknown  = errors.New("not in the words of WARC 1.1")
)

// Read writes the records of one file. Segments wait for the others of their record, which may be
// in other files; Close writes what is left of them. Damaged records are left out and reported. The
// error is a read error, or one of Out or of a temporary file.
func (im *Importer) Read(r *Reader) error {
	im.warcinfo = ""
	for {
		err := im.next(r)
		var damage *warc.Damage
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &damage):
			err = im.resync(r, damage)
		}
		if err != nil {
			return err
		}
	}
}

// next reads one record, and writes it unless it is a segment.
func (im *Importer) next(r *Reader) error {
	rec, err := r.Next()
	if err != nil {
		return err
	}
	block, err := newSpool(im.Temp, rec.Block)
	if err != nil {
		return err
	}
	if err := rec.Close(); err != nil {
		return errors.Join(err, block.Close())
	}
	c := &oldRecord{
		Header:   rec.Header,
		file:     rec.File,
		offset:   rec.Offset,
		warcinfo: im.warcinfo,
		block:    block,
	}
	im.memory.add(id11(rec.ID), rec.Date)
	if rec.Type == "warcinfo" {
		im.warcinfo = rec.ID
	}
	if c.isSegment() {
		return im.collect(c)
	}
	return im.write(c)
}

// resync goes on behind damage. The warcinfo record of the records there is not known: it may have
// been damaged.
func (im *Importer) resync(r *Reader, damage *warc.Damage) error {
	im.warcinfo = ""
	offset, err := r.Resync()
	end := fmt.Sprintf("left out up to byte %d", offset)
	if err == io.EOF {
		end, err = "left out to the end of the file", nil
	}
	reason := fmt.Errorf("%w: %s", damage, end)
	im.report(Finding{File: damage.File, Offset: damage.Offset, Reason: reason})
	return err
}

func (im *Importer) report(f Finding) {
	if im.Report != nil {
		im.Report(f)
	}
}

// oldRecord is a 0.9 record that has been read.
type oldRecord struct {
	Header
	file     string
	offset   int64
	warcinfo string // record-id of the warcinfo record before it
	block    *spool
	resum    bool // its digest was that of its first segment, and has to be made anew
}

func (c *oldRecord) finding(reason error) Finding {
	return Finding{File: c.file, Offset: c.offset, ID: c.ID, Reason: reason}
}

// write gives a whole record to Out, and closes its block.
func (im *Importer) write(c *oldRecord) (err error) {
	defer func() { err = errors.Join(err, c.block.Close()) }()
	if err := im.verify(c); err != nil {
		return err
	}
	h, err := im.header(c)
	if err != nil {
		return err
	}
	head := []byte(warc.Version + "\r\n")
	for _, f := range h {
		head = warc.AppendField(head, f.Name, f.Value)
	}
	return im.Out(append(head, "\r\n"...), c.block.reader(), c.block.size)
}

// header returns the 1.1 header of a record.
func (im *Importer) header(c *oldRecord) (warc.Header, error) {
	ids := c.Fields.Values(relatedRecordID)
	if c.isConverted() {
		return c.translate(c.block.size, formOf(c.Type, len(ids)), nil), nil
	}
	a := addition{oldRecord: c, memory: &im.memory}
	if err := a.find(); err != nil {
		return nil, err
	}
	for _, reason := range a.findings {
		im.report(c.finding(reason))
	}
	h := c.translate(c.block.size, a.relations, a.more)
	im.memory.addPayload(id11(c.ID), h.Get("WARC-Payload-Digest"))
	return h, nil
}

// verify checks the record's digest, so that no wrong one is passed on: the right digest takes its
// place, and the wrong one is kept in a field that 1.1 does not define. A record that a Writer has
// made keeps having no digest, or one of an unknown algorithm.
func (im *Importer) verify(c *oldRecord) error {
	name := checksum
	if c.isConverted() && c.Fields.Values("WARC-Block-Digest") != nil {
		name = "WARC-Block-Digest"
	}
	said := c.Fields.Get(name)
	if _, ok := parseClaim(said); !ok && c.isConverted() && !c.resum {
		return nil
	}
	wrong, err := wrongDigest(said, c.block)
	if err != nil || said != "" && wrong == nil {
		return err
	}
	right, err := sha1Of(c.block.reader())
	if err != nil {
		return err
	}
	c.Header = c.without(name).with(checksum, right)
	if said != "" {
		c.Header = c.with(verbatim+checksum, said)
		im.report(c.finding(fmt.Errorf("%w: %w; written with %s", ErrChecksum, wrong, right)))
	}
	return nil
}

// wrongDigest returns why said is not the digest of block; nil if it is.
func wrongDigest(said string, block *spool) (wrong, err error) {
	claimed, ok := parseClaim(said)
	if !ok {
		return fmt.Errorf("%s cannot be checked", quote(said)), nil
	}
	holds, err := claimed.holds(block.reader())
	if err != nil || holds {
		return nil, err
	}
	return fmt.Errorf("it says %s", claimed), nil
}
