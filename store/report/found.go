package report

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"warcorder/store"
	"warcorder/store/pages"
)

// finding is one thing that is wrong, as it was found.
type finding struct {
	page, url, detail string
	kind              Kind
	status            int
	at                time.Time
	isGap             bool // the gap list tells of it, else a record
}

// The bounds of what is told of a finding, in bytes.
const (
	maxURL    = 4 << 10
	maxDetail = 1 << 10
)

// A line of the sorter found is
//
//	page 0  'p'                     then a Report as JSON
//	        'q' kind(1) url 0 time(8)  then a sortedFinding as JSON
//
// so that what is wrong with a URL stands together, in the order of time.
const (
	rankPage    = 'p'
	rankFinding = 'q'
)

// sortedFinding is what a line has beside its key.
type sortedFinding struct {
	Status int
	Detail string
	IsGap  bool
}

// addPage adds a page that is to be told of.
func (w *work) addPage(p *pages.Page) error {
	text, err := json.Marshal(Report{ID: p.ID, URL: cut(p.URL, maxURL), Time: stamp(p.Time),
		Resources: p.Resources})
	if err != nil {
		return err
	}
	w.line = append(append(append(w.line[:0], p.ID...), 0, rankPage), text...)
	return w.found.Add(w.line)
}

// addFinding adds what was found.
func (w *work) addFinding(f *finding) error {
	text, err := json.Marshal(sortedFinding{f.status, cut(f.detail, maxDetail), f.isGap})
	if err != nil {
		return err
	}
	w.line = append(append(w.line[:0], f.page...), 0, rankFinding, byte(slices.Index(Kinds, f.kind)))
	w.line = append(append(w.line, strings.ReplaceAll(cut(f.url, maxURL), "\x00", "%00")...), 0)
	w.line = binary.BigEndian.AppendUint64(w.line, uint64(store.FourDigitYear(f.at).UnixMicro()))
	return w.found.Add(append(w.line, text...))
}

// cut returns at most limit bytes of a text.
func cut(text string, limit int) string {
	return strings.ToValidUTF8(text[:min(len(text), limit)], "\uFFFD")
}

// tell gives the pages with what is wrong.
func (w *work) tell(ctx context.Context, total *Total, each func(*Report) error) error {
	lines, err := w.found.Sorted()
	if err != nil {
		return err
	}
	if w.chosen == nil {
		total.Elsewhere = &Wrong{Counts: map[Kind]int{}, Findings: []Finding{}}
	}
	var of collector
	for ; lines.More(); err = lines.Next() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		id, rest, ok := bytes.Cut(lines.Head(), []byte{0})
		if !ok || len(rest) < 2 {
			return errSorted
		}
		switch {
		case rest[0] == rankPage:
			if err := of.end(total, each); err != nil {
				return err
			}
			var page Report
			if err := json.Unmarshal(rest[1:], &page); err != nil {
				return err
			}
			page.Wrong = Wrong{Counts: map[Kind]int{}, Findings: []Finding{}}
			of = collector{page: &page, wrong: &page.Wrong}
		case len(id) == 0 && total.Elsewhere != nil:
			of.wrong = total.Elsewhere
			err = of.add(rest[1:])
		case of.page != nil && of.page.ID == string(id):
			err = of.add(rest[1:])
		} // else the page is not selected
		if err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	return of.end(total, each)
}

// collector makes the findings of a page of their lines.
type collector struct {
	page  *Report // nil of what belongs to none
	wrong *Wrong

	key     []byte // kind and URL of the lines that come
	records int    // of this key
	gaps    int
	now     Finding
}

// add adds a line.
func (c *collector) add(line []byte) error {
	url := bytes.IndexByte(line[1:], 0) + 1
	if int(line[0]) >= len(Kinds) || url < 1 || len(line) < url+9 {
		return errSorted
	}
	if !bytes.Equal(c.key, line[:url]) {
		c.settle()
		c.key = append(c.key[:0], line[:url]...)
		at := time.UnixMicro(int64(binary.BigEndian.Uint64(line[url+1:])))
		c.now = Finding{Kind: Kinds[line[0]], URL: string(line[1:url]), Time: stamp(at)}
	}
	var f sortedFinding
	if err := json.Unmarshal(line[url+9:], &f); err != nil {
		return err
	}
	if f.IsGap {
		c.gaps++
	} else {
		c.records++
	}
	if f.Status != 0 {
		c.now.Status = f.Status
	}
	if f.Detail != "" && (c.now.Detail == "" || f.IsGap) { // a gap says more
		c.now.Detail = f.Detail
	}
	return nil
}

// settle ends the finding of a URL. What left a record and a gap has happened once.
func (c *collector) settle() {
	if len(c.key) == 0 {
		return
	}
	c.wrong.Counts[c.now.Kind]++
	if len(c.wrong.Findings) < MostFindings {
		c.now.Times = max(c.records, c.gaps)
		c.wrong.Findings = append(c.wrong.Findings, c.now)
	}
	c.key, c.records, c.gaps = c.key[:0], 0, 0
}

// end ends the page.
func (c *collector) end(total *Total, each func(*Report) error) error {
	c.settle()
	if c.page == nil {
		return nil
	}
	total.Pages++
	if c.page.Whole = len(c.page.Counts) == 0; c.page.Whole {
		total.Whole++
	}
	return each(c.page)
}
