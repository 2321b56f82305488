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
	"warcorder/store/extsort"
	"warcorder/store/pages"
	"warcorder/store/readback"
)

// finding is one thing that is wrong, as it was found.
type finding struct {
	page, url, detail string
	kind              Kind
	status            int

	received, expected int64

	at    time.Time
	isGap bool // the gap list tells of it, else a record
	needs *readback.Outside
}

// The bounds of what is told of a finding, in bytes.
const (
	maxURL    = 4 << 10
	maxDetail = 1 << 10
)

// A line of the sorter found is
//
//	page 0  'p' time(8)                 then a Report as JSON
//	        'q' kind(1) url 0 time(8)   then a sortedFinding as JSON
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

	Received, Expected int64 `json:",omitempty"`

	Needs *readback.Outside `json:",omitempty"`
}

// addPage adds a page that is to be told of. Of several pages of one document it is the first.
func (w *work) addPage(p *pages.Page) error {
	text, err := json.Marshal(Report{ID: p.First, URL: cut(p.URL, maxURL), Time: stamp(p.Time),
		Resources: p.Resources})
	if err != nil {
		return err
	}
	w.line = append(append(w.line[:0], p.First...), 0, rankPage)
	w.line = appendTime(w.line, p.Time)
	return w.found.Add(append(w.line, text...))
}

// addFinding adds what was found.
func (w *work) addFinding(f *finding) error {
	if f.needs != nil {
		needs := *f.needs
		needs.URL, needs.Date = cut(needs.URL, maxURL), cut(needs.Date, maxDetail)
		needs.Digest = cut(needs.Digest, maxDetail)
		f.needs = &needs
	}
	text, err := json.Marshal(sortedFinding{f.status, cut(f.detail, maxDetail), f.isGap, f.received, f.expected, f.needs})
	if err != nil {
		return err
	}
	w.line = append(append(w.line[:0], f.page...), 0, rankFinding, byte(slices.Index(Kinds, f.kind)))
	w.line = append(append(w.line, strings.ReplaceAll(cut(f.url, maxURL), "\x00", "%00")...), 0)
	return w.found.Add(append(appendTime(w.line, f.at), text...))
}

// appendTime appends a time so that times are sorted, those before 1970 too.
func appendTime(dst []byte, t time.Time) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(store.FourDigitYear(t).UnixMicro())^1<<63)
}

// timeOf is the inverse of appendTime.
func timeOf(b []byte) time.Time {
	return time.UnixMicro(int64(binary.BigEndian.Uint64(b) ^ 1<<63))
}

// cut returns at most limit bytes of a text.
func cut(text string, limit int) string {
	return strings.ToValidUTF8(text[:min(len(text), limit)], "\uFFFD")
}

// collect sorts the pages with what is wrong by time, and makes the total.
func (w *work) collect(ctx context.Context, total *Total) error {
	lines, err := w.found.Sorted()
	if err != nil {
		return err
	}
	if w.chosen == nil {
		total.Elsewhere = &Wrong{Counts: map[Kind]int{}, Findings: []Finding{}}
	}
	of := collector{total: total, sorter: &w.told}
	for ; lines.More(); err = lines.Next() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		id, rest, ok := bytes.Cut(lines.Head(), []byte{0})
		switch {
		case !ok || len(rest) < 2 || rest[0] == rankPage && len(rest) < 9:
			err = errSorted
		case rest[0] == rankPage:
			err = of.begin(rest[1:9], rest[9:])
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
	return of.end()
}

// tell gives the pages.
func (w *work) tell(ctx context.Context, each func(*Report) error) error {
	lines, err := w.told.Sorted()
	if err != nil {
		return err
	}
	for ; lines.More(); err = lines.Next() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		line, err := lines.Text()
		if err != nil {
			return err
		}
		var page Report
		if err := json.Unmarshal(line[min(8, len(line)):], &page); err != nil {
			return err
		}
		if err := each(&page); err != nil {
			return err
		}
	}
	return err
}

// collector makes the findings of a page of their lines.
type collector struct {
	total  *Total
	sorter *extsort.Sorter // of the pages that are made
	at     []byte          // the page's time, as appendTime appends it
	page   *Report         // nil of what belongs to none
	wrong  *Wrong

	key     []byte // kind and URL of the lines that come
	records int    // of this key
	gaps    int
	now     Finding
}

// begin begins a page.
func (c *collector) begin(at, text []byte) error {
	if err := c.end(); err != nil {
		return err
	}
	c.at, c.page = append(c.at[:0], at...), new(Report)
	if err := json.Unmarshal(text, c.page); err != nil {
		return err
	}
	c.page.Wrong = Wrong{Counts: map[Kind]int{}, Findings: []Finding{}}
	c.wrong = &c.page.Wrong
	return nil
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
		at := timeOf(line[url+1:])
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
	if f.Expected > 0 && (c.now.Expected == 0 || f.Received > c.now.Received) {
		c.now.Received, c.now.Expected = f.Received, f.Expected
	}
	if f.Needs != nil {
		c.now.Needs = f.Needs
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
func (c *collector) end() error {
	c.settle()
	if c.page == nil {
		return nil
	}
	c.total.Pages++
	if c.page.Whole = !c.page.IsWrong(); c.page.Whole {
		c.total.Whole++
	}
	text, err := json.Marshal(c.page)
	if err != nil {
		return err
	}
	return c.sorter.Add(append(c.at, text...))
}
