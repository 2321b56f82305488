package removal

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"warcorder/canon"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/readback"
	"warcorder/store/warc"
)

// emptyDigests are those of a payload without bytes, which 304s of other tools have.
var emptyDigests = []string{
	"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
	"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	"md5:d41d8cd98f00b204e9800998ecf8427e",
}

// need is a revisit that stays, and needs a response that goes, or names a capture that goes.
type need struct {
	at     place
	length int64 // of the revisit
	time   time.Time
	from   source         // the response that goes
	bare   bool           // it is a 304, which has no body
	named  bool           // it names what goes, and needs nothing of that
	other  store.Location // then, where its body lies; zero if nobody knows

	headless bool   // it has no HTTP head, and shows that of the response
	astray   hashed // it has none, needs nothing, and names by this key what it does not show: other
}

// astray is a revisit without a head that names another thing than the response whose head it shows. If
// that is a revisit that becomes a response, the head of that one would show.
type astray struct {
	need
	file store.File
}

// findNeeds finds the revisits that stay and need what goes, or name it. It goes through all captures,
// and counts those of each file. A revisit of ours has the digest of what it names; of another tool's
// files the header of each revisit is read.
func (p *Plan) findNeeds(ctx context.Context) error {
	p.before, p.spans, p.needs = map[uint32]int64{}, map[uint32]uint64{}, nil
	p.astray, p.turned = nil, map[hashed]bool{}
	empty := map[hashed]bool{}
	for _, digest := range emptyDigests {
		empty[digestKey(digest)] = true
	}
	var failed error
	err := p.index.Captures(store.Query{}, func(c *store.Capture) bool {
		if failed = ctx.Err(); failed != nil {
			return false
		}
		file, known := p.fileOf(c.File)
		if !known {
			return true
		}
		p.before[file.ID]++
		p.spans[file.ID] += span(c.Offset, c.Length)
		if !c.IsRevisit() || len(p.gone.keys) == 0 || p.gone.has(place{file.ID, c.Offset}) {
			return true
		}
		like := p.gone.isLike(c.Digest) || c.Status == 304 && empty[digestKey(c.Digest)]
		if !like && p.isOwn(file) {
			return true
		}
		failed = p.look(c, file, like)
		return failed == nil
	})
	p.addAstray()
	return errors.Join(failed, err)
}

// addAstray adds the revisits without a head that name one which becomes a response: they are to name
// what they show. Foreign files alone have revisits that name another one.
func (p *Plan) addAstray() {
	for i := range p.astray {
		if a := &p.astray[i]; p.turned[a.need.astray] {
			p.addNeed(a.need, a.file)
		}
	}
	p.astray, p.turned = nil, nil
}

// addNeed adds a revisit in a file, unless that stays as it is.
func (p *Plan) addNeed(n need, file store.File) {
	switch {
	case p.leftOut[file.ID]:
	case !file.Sealed:
		p.unfinished = true
	default:
		p.files[file.ID] = file
		p.needs = append(p.needs, n)
	}
}

// look looks whether a revisit needs what goes. What one in a file that is missing may need stays, and by
// age what one needs that cannot be read, or lies in a file that is left out. One that is not like what
// goes, as its digest says, can only name it: if it cannot be read, it stays as it is. The first segment
// of several stays that a revisit needs.
func (p *Plan) look(c *store.Capture, file store.File, like bool) error {
	h, length, err := p.headerOf(c, file)
	if errors.Is(err, readback.ErrMissing) || err != nil && p.order.Aged {
		if key := digestKey(c.Digest); c.Status != 304 && p.gone.digests[key] {
			p.kept.digests[key] = true
		} else if c.Status != 304 && !p.gone.knows(c.Digest) {
			p.kept.unlike[readback.DigestAlgorithm(c.Digest)] = true
		}
		return nil
	}
	if err != nil && !like {
		return nil
	}
	if err != nil {
		return err
	}
	n, is, err := p.needOf(c, h)
	if err != nil && !like {
		return nil
	}
	out := p.leftOut[file.ID]
	if p.order.Aged && (err != nil || is && out && !n.bare && !n.named) {
		p.kept.digests[digestKey(c.Digest)], p.kept.sources[n.key(h)] = true, true
		return nil
	}
	n.at, n.length, n.time = place{file.ID, c.Offset}, length, c.Time
	n.headless = isHeadless(h)
	if err == nil && n.astray != 0 {
		p.astray = append(p.astray, astray{n, file})
	}
	if err != nil || !is {
		return err
	}
	if n.bare && p.order.Aged && p.gone.named[n.key(h)] {
		p.kept.sources[n.key(h)] = true
		return nil
	}
	if segmented, err := p.isSegmented(n.from); segmented || err != nil {
		p.kept.places[n.from.place] = true
		return err
	}
	if !n.named && !out {
		for _, key := range namesOf(c) {
			p.turned[key] = true
		}
	}
	p.addNeed(n, file)
	return nil
}

// isSegmented reports whether a response that goes is a first segment: its body is not moved, and it
// stays. Files of ours have none. What cannot be read is found out by what moves it.
func (p *Plan) isSegmented(from source) (bool, error) {
	file := p.files[from.file]
	if from.length == 0 || p.isOwn(file) {
		return false, nil
	}
	record, err := p.readers.Record(p.location(from.place, from.length))
	if err != nil {
		return false, nil
	}
	return record.Header.Get("WARC-Segment-Number") != "", record.Close()
}

// isOwn reports whether a file is one of ours.
func (p *Plan) isOwn(file store.File) bool {
	own, known := p.own[file.ID]
	if !known {
		var err error
		own, err = collection.IsOwn(p.dir.WARC(file.Name))
		own = !file.Sealed || own && err == nil
		p.own[file.ID] = own
	}
	return own
}

// headerOf reads the header of a revisit.
func (p *Plan) headerOf(c *store.Capture, file store.File) (h warc.Header, length int64, err error) {
	if file.Missing {
		return nil, 0, readback.ErrMissing
	}
	record, err := p.readers.Record(c.Location)
	if err != nil {
		return nil, 0, err
	}
	return record.Header, c.Length, record.Close()
}

// isHeadless reports whether a revisit has no HTTP head: that of the response shows.
func isHeadless(h warc.Header) bool { return strings.TrimSpace(h.Get("Content-Length")) == "0" }

// isBare reports whether a revisit has no body, as readback has it.
func isBare(c *store.Capture, h warc.Header) bool {
	profile := h.Get("WARC-Profile")
	return c.Status == 304 || len(profile) > 20 && profile[len(profile)-20:] == "/server-not-modified"
}

// named returns what a revisit names: a URL and a time; "" if it names none.
func named(h warc.Header) (uri string, at time.Time) {
	uri = (&warc.Record{Header: warc.Header{{Name: "WARC-Target-URI",
		Value: h.Get("WARC-Refers-To-Target-URI")}}}).TargetURI()
	at, known := warc.ParseDate(h.Get("WARC-Refers-To-Date"))
	if !known {
		return "", at
	}
	return uri, at.UTC().Truncate(time.Microsecond)
}

// isNamed reports whether it is a capture that a revisit names so.
func isNamed(c *store.Capture, key hashed) bool {
	names := namesOf(c)
	return slices.Contains(names[:], key)
}

// key is what stands for the capture that a revisit names.
func (n *need) key(h warc.Header) hashed { return sourceKey(named(h)) }

// isAlone reports whether a URL has but one response of that time, as far as is known: of several that say
// that they have the same payload one may stay, and be the one that is shown.
func (p *Plan) isAlone(key hashed, uri string, at time.Time) (alone bool, err error) {
	if alone, known := p.alone[key]; known {
		return alone, nil
	}
	surt, _ := canon.SURT(uri)
	n, looked := 0, 0
	err = p.index.Nearest(store.URLKey, surt, at, mostNear, func(c *store.Capture) bool {
		looked++
		if !c.IsRevisit() && c.URL == uri && isNamed(c, key) {
			n++
		}
		away := c.Time.Sub(at)
		return n < 2 && away <= time.Second && away >= -time.Second
	})
	alone = n == 1 && looked < mostNear
	p.alone[key] = alone
	return alone, err
}

// mostNear is how many captures isAlone looks at: if there are as many, it does not know.
const mostNear = 1000

// needOf returns what a revisit that stays needs of what goes; false if it has nothing to do with that.
// The response of the URL and time that it names is the one if the payload is the same; whatever else
// a revisit says, readback finds what it means.
func (p *Plan) needOf(c *store.Capture, h warc.Header) (n need, is bool, err error) {
	uri, at := named(h)
	key := sourceKey(uri, at)
	_, names := p.gone.named[key]
	names = names && uri != ""
	if isBare(c, h) {
		return need{bare: true}, names, nil
	}
	digest := digestKey(h.Get("WARC-Payload-Digest"))
	all := p.gone.sources[key]
	same := func(s source) bool { return digest != 0 && s.digest == digest }
	if i := slices.IndexFunc(all, same); names && i >= 0 {
		if alone, err := p.isAlone(key, uri, at); alone || err != nil {
			return need{from: all[i]}, err == nil, err
		}
	}
	if !p.gone.digests[digest] && !(uri != "" && p.gone.urls[hashOf(uri)]) {
		return n, false, nil
	}
	original, err := p.readers.Original(c)
	if errors.Is(err, readback.ErrNoOriginal) || errors.Is(err, readback.ErrMissing) {
		return need{named: true}, names, nil // nothing is lost that is there
	}
	if err != nil || original == nil {
		return n, false, err
	}
	file, _ := p.index.File(original.File)
	if from := (place{file.ID, original.Offset}); p.gone.has(from) {
		return need{from: source{from, original.Length, digest}}, true, nil
	}
	n = need{named: true, other: original.Location}
	isIt := original.URL == uri && isNamed(original, key)
	if !isIt && !names && uri != "" && isHeadless(h) {
		n.astray = key
	}
	return n, names && !isIt, nil
}
