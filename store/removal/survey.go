package removal

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"
	"time"

	"warcorder/recorder/record"
	"warcorder/store/removal/tombstone"
	"warcorder/store/warc"
)

// survey is what a WARC file consists of, as far as a removal must know.
type survey struct {
	layout   warc.Layout
	version  string // of the first record
	warcinfo string // ID of the first one; "" if there is none
	skips    bool   // the gzip members carry skip lengths
	size     int64
	records  []part
	more     map[int][]hashed // records that name more than two others, by their number
	damaged  int64            // bytes that are no whole records
	captures int64
	spans    uint64 // sum of their spans

	leaps bool // captures are passed over by what their members say of their length

	has       func(uri string, at time.Time) bool                // Order.Has, if it is for the file
	continued func(h warc.Header, uri string, at time.Time) bool // the same, for continuations
}

// part is one record of a file, with the empty lines behind it.
type part struct {
	from, to int64
	id       hashed
	uri      hashed
	names    [2]hashed // other records to which it belongs
	kind     kind
	has      bool // Order.Has says that it goes, unless it belongs to what stays
}

// kind is what a record is to a removal.
type kind byte

const (
	capture  kind = iota // in the index
	follower             // belongs to the records that it names, and is nothing in the index
	buried               // the tombstone of an earlier removal
	other                // a warcinfo record
)

// take reads the headers of a file, of which s.size bytes are in the index.
func (s *survey) take(ctx context.Context, file io.ReaderAt, name string) error {
	in := heed(ctx, io.NewSectionReader(file, 0, s.size))
	reader, err := warc.NewForeignReader(in, name, 0)
	if err != nil {
		return err
	}
	s.layout, s.version = reader.Layout(), warc.Version
	for {
		if err := ctx.Err(); err != nil { // also of records that are in memory
			return err
		}
		err := s.next(reader)
		if errors.As(err, new(*warc.Damage)) {
			var from, to int64
			from, to, err = reader.Resync()
			s.damaged += to - from
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
	}
	s.skips, err = hasSkipLengths(file)
	return err
}

// hasSkipLengths reports whether the first gzip member of a file has an extra field.
func hasSkipLengths(file io.ReaderAt) (bool, error) {
	var start [4]byte
	if _, err := file.ReadAt(start[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return start[3]&(1<<2) != 0, nil
}

// next takes one record down.
func (s *survey) next(reader *warc.Reader) error {
	record, err := reader.Next()
	if err != nil {
		return err
	}
	h := record.Header
	uri, kind := record.TargetURI(), strings.ToLower(record.Type())
	p := part{from: record.Offset, id: hashOf(h.Get("WARC-Record-ID")), uri: hashOf(uri), kind: kindOf(record)}
	names := append(h.Values("WARC-Concurrent-To"), h.Values("WARC-Segment-Origin-ID")...)
	if kind == "conversion" || kind == "metadata" && p.kind == follower {
		names = append(names, h.Values("WARC-Refers-To")...)
	}
	if !isChain(record) {
		s.name(&p, names)
	}
	if len(s.records) == 0 {
		s.version = strings.Clone(record.Version)
	}
	if kind == "warcinfo" && s.warcinfo == "" {
		s.warcinfo = strings.Clone(h.Get("WARC-Record-ID"))
	}
	if s.has != nil && uri != "" && p.kind == follower {
		at, known := warc.ParseDate(h.Get("WARC-Date"))
		switch {
		case !known:
			p.has = s.has(uri, time.Time{}) && s.has(uri, lastTime)
		case kind == "continuation":
			p.has = s.continued(h, uri, at)
		default:
			p.has = s.has(uri, at)
		}
	}
	pass := record.Close
	if s.leaps && p.kind == capture {
		pass = record.Skip
	}
	if err := pass(); err != nil {
		return err
	}
	p.to = reader.Offset()
	if p.kind == capture {
		s.captures++
		s.spans += span(p.from, p.to-p.from)
	}
	s.records = append(s.records, p)
	return nil
}

// span stands for where a capture lies. The sum of those of a file tells whether all lie where the index
// has them, in whatever order they are found: whoever makes a file does not know the seed.
func span(offset, length int64) uint64 { return maphash.Comparable(seed, [...]int64{offset, length}) }

// isChain reports whether it is the certificates of an origin, which belong to no single capture.
func isChain(r *warc.Record) bool { return strings.HasPrefix(r.TargetURI(), record.ChainURN) }

// name notes the records to which a record belongs.
func (s *survey) name(p *part, names []string) {
	for i, name := range names {
		if i < len(p.names) {
			p.names[i] = hashOf(name)
			continue
		}
		if s.more == nil {
			s.more = make(map[int][]hashed)
		}
		s.more[len(s.records)] = append(s.more[len(s.records)], hashOf(name))
	}
}

// lastTime is behind all captures: a record without a date goes if any date does.
var lastTime = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// kindOf returns what a record is to a removal. Recovery makes captures of the same ones.
func kindOf(record *warc.Record) kind {
	h := record.Header
	fields := h.Get("Content-Type") == tombstone.FieldsType
	switch kind := strings.ToLower(record.Type()); {
	case kind == "response", kind == "revisit",
		(kind == "resource" || kind == "metadata") && !fields:
		if _, dated := warc.ParseDate(h.Get("WARC-Date")); !dated || record.TargetURI() == "" {
			return follower
		}
		return capture
	case kind == "metadata" && h.Get("WARC-Target-URI") == "" && h.Get("WARC-Concurrent-To") == "" &&
		h.Get("WARC-Refers-To") == "":
		return buried // or one of a stranger's, which is left as it is
	case kind == "warcinfo":
		return other
	}
	return follower
}

// each calls yield with the records to which record i belongs.
func (s *survey) each(i int, yield func(hashed)) {
	for _, name := range s.records[i].names {
		if name != 0 {
			yield(name)
		}
	}
	for _, name := range s.more[i] {
		yield(name)
	}
}

// The records of a file are gone through for what belongs to what goes at least minRounds times, if
// that goes on so long, and then for as long as that are no more than maxLooks records. In files of ours
// each record stands behind the one that it names, and once is enough.
const (
	minRounds = 8
	maxLooks  = 50_000_000
)

// errChain is the error of a file in which records name one another in more steps than that.
var errChain = errors.New("its records name one another in too many steps: warcorder cannot tell what " +
	"belongs to what goes; name other files (--file)")

// going returns the numbers of the records that go, in their order: those that begin at gone, which
// is sorted, what belongs to them, and what Has says. It returns an error if a capture that goes
// does not begin where the index says.
func (s *survey) going(name string, gone []int64) ([]int, error) {
	g := going{survey: s, goes: make([]bool, len(s.records)), ids: map[hashed]bool{}, gone: ties{},
		named: ties{}, kept: ties{}, keptNames: map[hashed]bool{}}
	for _, offset := range gone {
		i, found := slices.BinarySearchFunc(s.records, offset,
			func(p part, offset int64) int { return int(min(1, max(-1, p.from-offset))) })
		if !found || s.records[i].kind != capture {
			return nil, fmt.Errorf("%s at %d: %w", name, offset, errNoRecord)
		}
		g.take(i)
	}
	g.keep()
	for round := 1; g.follow(); round++ {
		if round >= minRounds && round*len(s.records) > maxLooks {
			return nil, fmt.Errorf("%s: %w", name, errChain)
		}
	}
	return g.numbers(), nil
}

// ties are the IDs by which records belong to captures, each with the URI of such a capture, and with 0.
type ties map[[2]hashed]bool

func (t ties) add(id, uri hashed) { t[[2]hashed{id, uri}], t[[2]hashed{id, 0}] = true, true }

// has reports whether there is an ID of a capture of that URI; 0 is of any.
func (t ties) has(id, uri hashed) bool { return id != 0 && t[[2]hashed{id, uri}] }

// going is what is known of the records that go while they are searched for.
type going struct {
	*survey
	goes      []bool
	ids       map[hashed]bool // of records that go
	gone      ties            // IDs of captures that go
	named     ties            // by captures that go
	kept      ties            // IDs of captures that stay
	keptNames map[hashed]bool // named by captures that stay
}

// take notes that a record goes.
func (g *going) take(i int) {
	p := &g.records[i]
	g.goes[i] = true
	if p.id != 0 {
		g.ids[p.id] = true
	}
	if p.kind == capture {
		g.gone.add(p.id, p.uri)
		g.each(i, func(name hashed) { g.named.add(name, p.uri) })
	}
}

// keep notes which captures stay.
func (g *going) keep() {
	for i := range g.records {
		if p := &g.records[i]; p.kind == capture && !g.goes[i] {
			g.kept[[2]hashed{p.id, 0}] = true
			if g.gone.has(p.id, 0) { // its URI tells it from what goes
				g.kept.add(p.id, p.uri)
			}
			g.each(i, func(name hashed) { g.keptNames[name] = true })
		}
	}
}

// follow takes the records that belong to others that go, and reports whether there were any. An ID that
// is of several captures is that of the one with the record's own URI. A record that names another one,
// and is named from elsewhere, may belong to a capture in another file.
func (g *going) follow() (changed bool) {
	for i := range g.records {
		p := &g.records[i]
		if g.goes[i] || p.kind != follower {
			continue
		}
		belongs, names := g.named.has(p.id, p.uri), false
		stays := p.id != 0 && g.keptNames[p.id]
		g.each(i, func(name hashed) {
			names, belongs = true, belongs || g.ids[name]
			stays = stays || g.isKept(name, p.uri)
		})
		belongs = belongs || !names && g.named.has(p.id, 0)
		if !stays && (belongs || p.has) {
			g.take(i)
			changed = true
		}
	}
	return changed
}

// isKept reports whether a record of that URI names a capture that stays.
func (g *going) isKept(name, uri hashed) bool {
	return g.kept.has(name, 0) && (g.kept.has(name, uri) || !g.gone.has(name, uri))
}

// numbers returns the numbers of the records that go.
func (g *going) numbers() (numbers []int) {
	for i, goes := range g.goes {
		if goes {
			numbers = append(numbers, i)
		}
	}
	return numbers
}
