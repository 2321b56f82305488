package removal

import (
	"context"
	"errors"
	"slices"
	"time"

	"warcorder/canon"
	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/warc"
)

const revisitMIME = "warc/revisit" // the media type of a revisit in the index

// emptyDigests are those of a payload without bytes, which 304s of other tools have.
var emptyDigests = []string{
	"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
	"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	"md5:d41d8cd98f00b204e9800998ecf8427e",
}

// place is where a record lies.
type place struct {
	file   uint32 // ID in the index
	offset int64
}

// gone are the captures that go.
type gone struct {
	places  map[uint32][]int64  // by file, sorted
	digests map[hashed]bool     // of the responses among them
	sources map[hashed][]source // these, by URL and time
	keys    map[hashed]bool     // of all, URL and time
	urls    map[hashed]bool     // of all
	surts   map[hashed]bool     // of all, the keys of the URLs
}

// source is a response that goes.
type source struct {
	place
	length int64
}

// need is a revisit that stays, and needs a response that goes.
type need struct {
	at     place
	length int64 // of the revisit
	time   time.Time
	from   source
	bare   bool // it is a 304, which has no body
}

// has reports whether the capture of a place goes.
func (g *gone) has(at place) bool {
	_, found := slices.BinarySearch(g.places[at.file], at.offset)
	return found
}

// collect reads the captures that are to go. Those in files that are not finished stay.
func (p *Plan) collect() error {
	g := gone{map[uint32][]int64{}, map[hashed]bool{}, map[hashed][]source{}, map[hashed]bool{},
		map[hashed]bool{}, map[hashed]bool{}}
	err := p.order.Captures(func(c *store.Capture) bool {
		file, known := p.index.File(c.File)
		if !known || !file.Sealed || file.Away {
			p.Waiting++
			return true
		}
		at := place{file.ID, c.Offset}
		g.places[file.ID] = append(g.places[file.ID], c.Offset)
		p.files[file.ID] = file
		key := sourceKey(c.URL, c.Time)
		g.keys[key], g.urls[hashOf(c.URL)] = true, true
		surt, _ := canon.SURT(c.URL)
		g.surts[hashOf(surt)] = true
		if c.MIME != revisitMIME {
			g.digests[digestKey(c.Digest)] = true
			g.sources[key] = append(g.sources[key], source{at, c.Length})
		}
		return true
	})
	for id, offsets := range g.places {
		slices.Sort(offsets)
		g.places[id] = slices.Compact(offsets)
		p.Captures += int64(len(g.places[id]))
	}
	p.gone = g
	return err
}

func digestKey(digest string) hashed { return hashOf(readback.DigestKey(digest)) }

// findNeeds finds the revisits that stay and need what goes. It goes through all captures, and counts
// those of each file.
func (p *Plan) findNeeds(ctx context.Context) error {
	p.before = map[uint32]int64{}
	empty := map[hashed]bool{0: true}
	for _, digest := range emptyDigests {
		empty[digestKey(digest)] = true
	}
	var failed error
	err := p.index.Captures(store.Query{}, func(c *store.Capture) bool {
		file, known := p.index.File(c.File)
		if !known {
			return true
		}
		p.before[file.ID]++
		if c.MIME != revisitMIME || len(p.gone.sources) == 0 || p.gone.has(place{file.ID, c.Offset}) {
			return true
		}
		digest := digestKey(c.Digest)
		if !p.gone.digests[digest] && !(empty[digest] && (digest == 0 || c.Status == 304)) {
			return true
		}
		failed = errors.Join(ctx.Err(), p.look(c, file))
		return failed == nil
	})
	return errors.Join(failed, err)
}

// look looks whether a revisit needs what goes.
func (p *Plan) look(c *store.Capture, file store.File) error {
	record, err := p.readers.Record(c.Location)
	if err != nil {
		return err
	}
	h, length := record.Header, c.Length
	if err := record.Close(); err != nil {
		return err
	}
	from, is, err := p.sourceOf(c, h)
	if err != nil || !is {
		return err
	}
	if !file.Sealed {
		return ErrAgain // it came since the files were finished
	}
	p.files[file.ID] = file
	p.needs = append(p.needs, need{
		at: place{file.ID, c.Offset}, length: length, time: c.Time, from: from, bare: isBare(c, h)})
	return nil
}

// isBare reports whether a revisit has no body, as readback has it.
func isBare(c *store.Capture, h warc.Header) bool {
	profile := h.Get("WARC-Profile")
	return c.Status == 304 || len(profile) > 20 && profile[len(profile)-20:] == "/server-not-modified"
}

// sourceOf returns the response that goes and that a revisit needs; false if it needs none. By URL
// and time that is the one; whatever else a revisit says, readback finds what it means.
func (p *Plan) sourceOf(c *store.Capture, h warc.Header) (s source, is bool, err error) {
	uri := (&warc.Record{Header: warc.Header{{Name: "WARC-Target-URI",
		Value: h.Get("WARC-Refers-To-Target-URI")}}}).TargetURI()
	date, err := time.Parse(time.RFC3339Nano, h.Get("WARC-Refers-To-Date"))
	if uri != "" && err == nil {
		all := p.gone.sources[sourceKey(uri, date.UTC().Truncate(time.Microsecond))]
		if len(all) == 1 || isBare(c, h) && len(all) > 0 {
			return all[0], true, nil
		}
	}
	if isBare(c, h) {
		return s, false, nil
	}
	original, err := p.readers.Original(c)
	if errors.Is(err, readback.ErrNoOriginal) || errors.Is(err, readback.ErrAway) {
		return s, false, nil // nothing is lost that is there
	}
	if err != nil || original == nil {
		return s, false, err
	}
	file, _ := p.index.File(original.File)
	at := place{file.ID, original.Offset}
	return source{at, original.Length}, p.gone.has(at), nil
}
