package copying

import (
	"errors"
	"io"
	"slices"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/warc"
)

// group is a capture's record, with those that belong to it, in the order in which they lie.
type group struct {
	members []store.Location
	layout  warc.Layout
	size    int64 // bytes of all
	cut     error // the file ends in the records behind the capture: they are away
	damaged error // what lies behind the capture and its request, and may belong to it
}

// groups finds the groups of captures, which come in the order of their places. Where one follows
// another the file is read on.
type groups struct {
	files  *readback.Files
	record *readback.Record // the last that was read; nil if there is none
	known  []store.Location // of the groups before: two responses may name one request
	before string           // a file of which the last request that was found lay before its response
}

// What is looked at for the records of a capture, as readback.Files.Request does.
const (
	mostBeside = 8       // records behind it
	sizeBeside = 1 << 20 // of one that does not belong to it, and is passed over
	mostKnown  = 64
)

// of returns the group of a capture.
func (g *groups) of(c *store.Capture) (group, error) {
	if err := g.goTo(c); err != nil {
		return group{}, err
	}
	own := slices.Clone(g.record.Header)
	isMessage := g.record.Type() == "response" || g.record.Type() == "revisit"
	at, err := g.record.End()
	if err == nil && at != c.Location {
		err = &warc.Damage{File: c.File, Offset: c.Offset, Reason: readback.ErrOther}
	}
	found := group{members: []store.Location{at}, layout: g.record.Layout()}
	if err == nil && isMessage {
		err = g.beside(&found, c, own)
	}
	if err != nil {
		return found, err
	}
	for _, member := range found.members {
		found.size += member.Length
	}
	g.known = append(g.known, found.members...)
	g.known = g.known[max(0, len(g.known)-mostKnown):]
	return found, nil
}

// Members returns where the records of a capture lie, in their order: its own, and those that belong to
// it. An error comes with those that were found before it.
func Members(files *readback.Files, c *store.Capture) ([]store.Location, error) {
	g := groups{files: files}
	found, err := g.of(c)
	return found.members, errors.Join(err, found.damaged, found.cut, g.close())
}

// goTo goes to the record of a capture.
func (g *groups) goTo(c *store.Capture) (err error) {
	all, err := g.files.Range(c.Location)
	if err != nil {
		return err
	}
	all.Close()
	if r := g.record; r == nil || r.At.File != c.File || r.At.Offset != c.Offset {
		if err := g.close(); err != nil {
			return err
		}
		g.record, err = g.files.Walk(c.File, c.Offset)
		if errors.Is(err, io.EOF) {
			err = readback.ErrUncommitted
		}
		if err != nil {
			g.record = nil
			return err
		}
	}
	if !g.record.IsOf(c) {
		return &warc.Damage{File: c.File, Offset: c.Offset, Reason: readback.ErrOther}
	}
	return nil
}

// beside adds the records that belong to a response with that header: those behind it or, in files
// of other tools, the request before it.
func (g *groups) beside(found *group, c *store.Capture, own warc.Header) error {
	asked := false
	if g.before == c.File {
		if err := g.addBefore(found, c, own); err != nil {
			return err
		}
		asked = g.before == c.File
	}
	asked, err := g.behind(found, c, own, asked)
	if asked || err != nil {
		return err
	}
	return g.addBefore(found, c, own)
}

// behind adds the records behind a response that belong to it. It reports whether no request is to be
// looked for elsewhere: asked says whether one has been found already.
func (g *groups) behind(found *group, c *store.Capture, own warc.Header, asked bool) (bool, error) {
	for range mostBeside {
		err := g.record.Next()
		if errors.Is(err, io.EOF) {
			g.record = nil
			break
		}
		if err != nil {
			g.record = nil
			away := g.away(c, err)
			if asked && away == nil && errors.As(err, new(*warc.Damage)) {
				found.damaged = err
				return true, nil
			}
			return true, found.ended(away, asked, err)
		}
		belongs := belongTogether(g.record.Header, own)
		if !belongs && (asked || g.record.Size > sizeBeside) {
			break
		}
		isRequest := g.record.Type() == "request"
		at, err := g.record.End()
		if err != nil {
			return true, errors.Join(found.ended(g.away(c, err), asked, err), g.close())
		}
		if belongs {
			asked = asked || isRequest
			g.add(found, at)
		}
	}
	return asked, nil
}

// away returns why records behind a capture cannot be read, if that is since the file was cut.
func (g *groups) away(c *store.Capture, err error) error {
	if !errors.As(err, new(*warc.Damage)) {
		return nil
	}
	known, err := g.files.Committed(c.File)
	if err != nil || known == 0 {
		return nil
	}
	end, err := g.files.Range(store.Location{File: c.File, Offset: known - 1, Length: 1})
	if isAway(err) {
		return err
	}
	if err == nil {
		end.Close()
	}
	return nil
}

// ended notes that the file ends behind a group, if away says so; err is what was found there. What is
// missing behind a request is another capture's, as a rule, which is counted.
func (found *group) ended(away error, asked bool, err error) error {
	if away == nil {
		return err
	}
	if !asked {
		found.cut = away
	}
	return nil
}

// addBefore adds the request before a response, if there is one.
func (g *groups) addBefore(found *group, c *store.Capture, own warc.Header) error {
	request, err := g.files.RequestBefore(c, own)
	if g.before = ""; errors.Is(err, readback.ErrNoRequest) {
		return nil
	}
	if err != nil {
		return err
	}
	at, err := request.End()
	if err := errors.Join(err, request.Close()); err != nil {
		return err
	}
	if g.before = c.File; !slices.Contains(g.known, at) {
		found.members = slices.Insert(found.members, 0, at)
	}
	return nil
}

// add adds a record to a group, unless it is in one before.
func (g *groups) add(found *group, at store.Location) {
	if !slices.Contains(g.known, at) {
		found.members = append(found.members, at)
	}
}

// belongTogether reports whether a record belongs to a response: it is its request, says something of
// it, or continues it. What is a capture itself is copied if it is selected.
func belongTogether(h, response warc.Header) bool {
	switch kind := h.Get("WARC-Type"); {
	case isType(kind, "request"):
		return readback.AreTogether(h, response)
	case isType(kind, "metadata"):
		return !record.IsIndexed(record.Metadata, h.Get("Content-Type")) &&
			readback.AreTogether(h, response)
	case isType(kind, "continuation"):
		id := response.Get("WARC-Record-ID")
		return id != "" && h.Get("WARC-Segment-Origin-ID") == id
	}
	return false
}

// close ends the reading.
func (g *groups) close() (err error) {
	if g.record != nil {
		err = g.record.Close()
	}
	g.record = nil
	return err
}
