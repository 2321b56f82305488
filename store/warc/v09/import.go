package v09

import (
	"errors"
	"fmt"
	"io"

	"warcorder/store/warc"
)

// Importer makes WARC 1.1 records of 0.9 records: Import does it all. It keeps a constant amount of
// memory, whatever size the blocks have.
type Importer struct {
	// where large blocks wait; "" for the system's directory
	Temp string
	// takes a record: its header through the empty line, its block
	Out func(header []byte, block io.Reader, size int64) error
	// takes what is wrong; nil to ignore it
	Report func(Finding)

	memory  window
	pending segments
	// Of the file being read:
	warcinfo string // record-id of the last warcinfo record
}

// Finding is something wrong with a file, or something in it that 1.1 has no words for. What became
// of it stands in its Reason.
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

// What a Finding can be about, beside damage: its Reason wraps one of them, or is a *warc.Damage.
var (
	ErrChecksum = errors.New("the checksum is wrong")
	ErrSegments = errors.New("segments do not fit together")
	ErrUnknown  = errors.New("not in the words of WARC 1.1")
)

// Import writes the records of the 0.9 files at paths, which may hold segments of the same records,
// in any order.
func (im *Importer) Import(paths ...string) error {
	for _, path := range paths {
		if err := im.open(path); err != nil {
			return errors.Join(err, im.drop())
		}
	}
	return im.Close()
}

func (im *Importer) open(path string) error {
	r, err := Open(path)
	if err != nil {
		return err
	}
	return errors.Join(im.Read(r), r.Close())
}

// Read writes the records of one file, but for segments that others are missing of: Close does.
// Damaged records are left out and reported. The error is one of reading, of Out or of a temporary
// file.
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

// next takes one record.
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
	c := &capture{
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

// resync goes on behind damage. Which warcinfo record the next records belong to is not known then:
// it may have been the damaged one.
func (im *Importer) resync(r *Reader, damage *warc.Damage) error {
	im.warcinfo = ""
	offset, err := r.Resync()
	end := fmt.Sprintf("left out up to byte %d", offset)
	if err == io.EOF {
		end, err = "left out to the end of the file", nil
	}
	im.report(
		Finding{File: damage.File, Offset: damage.Offset, Reason: fmt.Errorf("%w: %s", damage, end)})
	return err
}

func (im *Importer) report(f Finding) {
	if im.Report != nil {
		im.Report(f)
	}
}

// capture is a record that has been read.
type capture struct {
	Header
	file     string
	offset   int64
	warcinfo string // record-id of the warcinfo record before it
	block    *spool
	resum    bool // its digest was that of a segment
}

func (c *capture) finding(reason error) Finding {
	return Finding{File: c.file, Offset: c.offset, ID: c.ID, Reason: reason}
}

// write gives a whole record to Out, and removes it.
func (im *Importer) write(c *capture) (err error) {
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

// header returns the 1.1 header.
func (im *Importer) header(c *capture) (warc.Header, error) {
	ids := c.Fields.Values(relatedRecordID)
	if c.isConverted() {
		return c.translate(c.block.size, formOf(c.Type, len(ids)), nil), nil
	}
	a := addition{capture: c, memory: &im.memory}
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

// verify checks the record's digest, so that none is passed on that is wrong: then the right one
// takes its place, and the wrong one stays as a field that 1.1 does not define. A record of ours
// that had none, or one of an algorithm that we do not know, keeps that.
func (im *Importer) verify(c *capture) error {
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

// wrongDigest says why the digest said cannot be taken for that of block; nil if it is.
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
