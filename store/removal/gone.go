package removal

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"warcorder/canon"
	"warcorder/store"
	"warcorder/store/readback"
)

// place is where a record lies.
type place struct {
	file   uint32 // ID in the index
	offset int64
}

// gone are the captures that go.
type gone struct {
	places     map[uint32][]int64  // by file, sorted
	digests    map[hashed]bool     // of them; true if one of a response is the same
	algorithms map[string]bool     // of these digests; "" for those that are not understood
	sources    map[hashed][]source // the responses, by URL and time
	keys       map[hashed]bool     // of all, URL and time
	named      map[hashed]bool     // the same, and with whole seconds; true if of a response
	urls       map[hashed]bool     // of all
	surts      map[hashed]bool     // of all
	hosts      map[hashed]bool     // of all, at whatever port

	times map[hashed][]time.Time // of all, by URL; nil where URL and time are not what was chosen by
}

// source is a response that goes.
type source struct {
	place
	length int64
	digest hashed
}

// kept are the responses that stay though they were chosen.
type kept struct {
	digests map[hashed]bool // files that are missing may need them
	sources map[hashed]bool // by URL and time: revisits without a body confirm them
	places  map[place]bool  // first segments of several, which no revisit can have
	unlike  map[string]bool // algorithms of files that are missing, which may need all of other ones
}

// has reports whether the response of a capture stays for a file that is missing.
func (k *kept) has(c *store.Capture) bool {
	own := readback.DigestAlgorithm(c.Digest)
	for away := range k.unlike {
		if away == "" || away != own {
			return true
		}
	}
	return k.digests[digestKey(c.Digest)]
}

// confirms reports whether the response of a capture stays since a revisit confirms it.
func (k *kept) confirms(c *store.Capture) bool {
	names := namesOf(c)
	return k.sources[names[0]] || k.sources[names[1]]
}

// namesOf is what stands for a capture where a revisit names it: with its time or, as many tools have
// it, with whole seconds.
func namesOf(c *store.Capture) [2]hashed {
	return [...]hashed{sourceKey(c.URL, c.Time), sourceKey(c.URL, c.Time.Truncate(time.Second))}
}

// size tells whether more is kept.
func (k *kept) size() int {
	return len(k.digests) + len(k.sources) + len(k.places) + len(k.unlike)
}

// has reports whether the capture of a place goes.
func (g *gone) has(at place) bool {
	_, found := slices.BinarySearch(g.places[at.file], at.offset)
	return found
}

// isLike reports whether a digest is that of a response that goes, or may be: those of two algorithms
// cannot be compared.
func (g *gone) isLike(digest string) bool {
	_, same := g.digests[digestKey(digest)]
	return same || !g.knows(digest)
}

// knows reports whether a digest can be compared with those of all that goes.
func (g *gone) knows(digest string) bool {
	algorithm := readback.DigestAlgorithm(digest)
	return algorithm != "" && len(g.algorithms) <= 1 && g.algorithms[algorithm]
}

// add adds a capture.
func (g *gone) add(c *store.Capture, at place) {
	surt, _ := canon.SURT(c.URL)
	key, digest := sourceKey(c.URL, c.Time), digestKey(c.Digest)
	g.places[at.file] = append(g.places[at.file], at.offset)
	g.keys[key], g.urls[hashOf(c.URL)], g.surts[hashOf(surt)], g.hosts[hostKey(surt)] = true, true, true, true
	for _, key := range namesOf(c) {
		g.named[key] = g.named[key] || !c.IsRevisit()
	}
	g.digests[digest] = g.digests[digest] || !c.IsRevisit()
	g.algorithms[readback.DigestAlgorithm(c.Digest)] = true
	if g.times != nil {
		g.times[hashOf(c.URL)] = append(g.times[hashOf(c.URL)], c.Time)
	}
	if !c.IsRevisit() {
		g.sources[key] = append(g.sources[key], source{at, c.Length, digest})
	}
}

// nothingGone is a gone to which captures are to be added.
func (p *Plan) nothingGone() gone {
	g := gone{map[uint32][]int64{}, map[hashed]bool{}, map[string]bool{}, map[hashed][]source{},
		map[hashed]bool{}, map[hashed]bool{}, map[hashed]bool{}, map[hashed]bool{}, map[hashed]bool{}, nil}
	if p.order.Has == nil {
		g.times = map[hashed][]time.Time{}
	}
	return g
}

// collect reads the captures that are to go. Those stay that lie in files that are not finished,
// away or left out, and those that are kept.
func (p *Plan) collect(ctx context.Context) error {
	p.Summary, p.files = Summary{}, map[uint32]store.File{}
	g, f := p.nothingGone(), first{}
	err := p.order.Captures(func(c *store.Capture) bool {
		if ctx.Err() != nil {
			return false
		}
		file, known := p.fileOf(c.File)
		switch {
		case p.leftOut[file.ID]:
		case known && file.Missing:
			p.Away++
		case !known || !file.Sealed:
			f.add(c.URL)
			p.Waiting++
		case !c.IsRevisit() && (p.kept.has(c) || p.kept.places[place{file.ID, c.Offset}]):
			p.Needed++
		case !c.IsRevisit() && p.kept.confirms(c):
			p.Confirmed++
		default:
			g.add(c, place{file.ID, c.Offset})
			f.add(c.URL)
			p.files[file.ID] = file
		}
		return true
	})
	for id, offsets := range g.places {
		slices.Sort(offsets)
		g.places[id] = slices.Compact(offsets)
		p.Captures += int64(len(g.places[id]))
	}
	p.First, p.URLs = f.urls(), len(f.all)
	if p.order.Alike != nil {
		p.Alike = p.order.Alike()
	}
	p.gone = g
	return cmp.Or(err, ctx.Err())
}

// findMissing finds the files that have gone since the collection was opened. By age these are left
// out, which is told.
func (p *Plan) findMissing() error {
	p.missing = map[uint32]bool{}
	files, err := p.index.Files()
	for _, file := range files {
		if !file.Sealed || file.Missing || file.Remote != nil || p.order.Aged {
			continue
		}
		if _, err := os.Stat(p.dir.WARC(file.Name)); errors.Is(err, fs.ErrNotExist) {
			p.missing[file.ID] = true
		}
	}
	return err
}

// fileOf returns a file by its name.
func (p *Plan) fileOf(name string) (file store.File, known bool) {
	file, known = p.index.File(name)
	file.Missing = file.Missing || p.missing[file.ID]
	return file, known
}

func digestKey(digest string) hashed { return hashOf(readback.DigestKey(digest)) }
