package copying

import (
	"errors"
	"io"

	"warcorder/store"
	"warcorder/store/warc"
)

// output is the file that is being written. Parts of a file that lie one behind another are copied at
// once.
type output struct {
	*copier
	w    io.WriteCloser // nil if there is none
	name string
	at   int64 // what has been written, and what waits

	waits   store.Location  // of a file that is read, to be copied next
	last    store.Location  // the last record of that; no place if it is a file
	has     map[string]bool // the files whose warcinfo record has been copied
	parts   int             // files that hold parts, so far
	info    store.Location  // the warcinfo record of the file that was asked for last
	infoIs  bool            // there is one
	infoRaw bool            // it lies in a gzip member
}

// begin begins a file.
func (o *output) begin(name string, size int64) (err error) {
	if err := o.close(); err != nil {
		return err
	}
	o.w, err = o.into.Open(name, size)
	o.name, o.at = name, 0
	return err
}

// room makes room for records of a file: in a new file, if they would make the present one too long,
// and may be apart from those before them. The warcinfo record of their file stands before them.
func (o *output) room(file string, size int64, mayCut bool) error {
	if err := o.findInfo(file); err != nil {
		return err
	}
	need := size
	if o.infoIs && !o.has[file] {
		need += o.info.Length
	}
	most := o.options.Size
	if o.w != nil && mayCut && most > 0 && o.at > 0 && o.at+need > most {
		if err := o.close(); err != nil {
			return err
		}
	}
	if o.w == nil {
		hint := int64(0)
		if most > 0 {
			hint = max(most, need)
		}
		if err := o.begin(o.options.Name(o.parts), hint); err != nil {
			return err
		}
		o.parts++
	}
	if o.has[file] || !o.infoIs {
		return nil
	}
	o.has[file] = true
	if o.infoRaw {
		_, err := o.append(o.info)
		return err
	}
	_, err := o.copier.compress(o.info)
	return err
}

// findInfo looks for the warcinfo record at the beginning of a file.
func (o *output) findInfo(file string) (err error) {
	if o.info.File == file {
		return nil
	}
	o.info, o.infoIs = store.Location{File: file}, false
	first, err := o.files.Walk(file, 0)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	if first.Type() == "warcinfo" {
		o.infoRaw = first.Layout() == warc.GzipMembers
		o.info, err = first.End()
		o.infoIs = err == nil
	}
	return errors.Join(err, first.Close())
}

// append copies a record as it lies, and returns its new place.
func (o *output) append(from store.Location) (store.Location, error) {
	if o.waits.Length > 0 && o.waits.File == from.File &&
		o.waits.Offset+o.waits.Length == from.Offset {
		o.waits.Length += from.Length
	} else {
		if err := o.flush(); err != nil {
			return from, err
		}
		o.waits = from
	}
	o.last = from
	at := store.Location{File: o.name, Offset: o.at, Length: from.Length}
	o.at += from.Length
	return at, nil
}

// flush copies what waits.
func (o *output) flush() error {
	from := o.waits
	if o.waits = (store.Location{}); from.Length == 0 {
		return nil
	}
	part, err := o.files.Range(from)
	if err != nil {
		return err
	}
	err = o.copyTo(o.w, part, from)
	if err == nil && o.last.Length > 0 && part.Layout == warc.GzipMembers {
		err = checkMember(part, o.last) // another file may have come into the place of the one that was read
	}
	return errors.Join(err, part.Close())
}

// made lets write write a record that is made anew, and returns its place.
func (o *output) made(write func(io.Writer) error) (at store.Location, err error) {
	if err := o.flush(); err != nil {
		return at, err
	}
	counted := &counter{w: o.w}
	err = write(counted)
	at = store.Location{File: o.name, Offset: o.at, Length: counted.n}
	o.at += counted.n
	return at, err
}

// close ends the file that is being written.
func (o *output) close() error {
	if o.w == nil {
		return nil
	}
	if err := o.flush(); err != nil {
		return err
	}
	w := o.w
	o.w = nil
	o.report.Files++
	o.report.Bytes += o.at
	return w.Close()
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
