package cmd

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"warcorder/cmd/visiting"
	"warcorder/proxy/hosts"
	"warcorder/recorder/feed"
	"warcorder/recorder/record"
	"warcorder/store/report"
	"warcorder/store/selection"
)

// seenPage is a page that was visited: what its browser says of it, and what the report of its
// collection does.
type seenPage struct {
	*visiting.Visit        // without pictures, text and links
	given           string // the URL that was visited, which may have led to another one
	till            time.Time
	reports         []*report.Report // of the page, and of those to which it has gone on by itself
}

// isWhole reports that nobody knows of anything that is missing.
func (p *seenPage) isWhole() bool {
	for _, r := range p.reports {
		if !r.Whole {
			return false
		}
	}
	return len(p.Faults) == 0
}

// elsewhere is what is wrong, and of no page; nothing where that may be others'.
type elsewhere struct{ *report.Wrong }

func (e elsewhere) isAny() bool { return e.Wrong != nil && len(e.Counts) > 0 }

// note keeps of a page what is told of it in the end: only then it is known what came later.
func (c *capturing) note(given string, v *visiting.Visit) {
	v.Pictures, v.Text, v.Links = nil, "", nil
	c.pages = append(c.pages, seenPage{Visit: v, given: given, till: time.Now()})
	if !c.silent {
		say("page %d: %s, %s", len(c.pages), briefURL(v.URL), tookText(v))
	}
}

// report prints what came of each page, as its browser and the report of the collection say it, when
// wholes of what broke off are there too.
func (c *capturing) report() error {
	if len(c.pages) == 0 {
		return nil
	}
	_, err := readReport(c.at.dir, report.Selection{From: c.captured.from.UTC().Format(bySecond)}, c.take)
	if err != nil {
		err = fmt.Errorf("report: %w", err)
	} else if err = withSource(c.at.dir, c.findDocuments); err != nil {
		err = fmt.Errorf("look for the pages: %w", err)
	}
	c.claim()
	c.explain()
	out := bufio.NewWriter(os.Stdout)
	for i := range c.pages {
		if page := &c.pages[i]; !page.isWhole() {
			c.lacking++
		}
		c.pages[i].print(out)
	}
	if c.elsewhere.isAny() {
		text := reportText{out: out}
		fmt.Fprintf(out, "of no page: %s\n", wrongCounts(c.elsewhere.Wrong))
		text.findings(c.elsewhere.Wrong)
	}
	if flushed := out.Flush(); flushed != nil {
		return flushed
	}
	return err
}

// bySecond is a time in the precision of selections.
const bySecond = "20060102150405"

// take takes a line of the report.
func (c *capturing) take(b []byte) error {
	var l report.Line
	if err := json.Unmarshal(b, &l); err != nil {
		return err
	}
	switch {
	case l.Total != nil:
		c.elsewhere.Wrong = l.Total.Elsewhere
	case l.Report != nil:
		at, err := time.Parse(time.RFC3339, l.Time)
		if err != nil {
			return err
		}
		if without(&l.Report.Wrong, isChatter) {
			l.Report.Whole = !l.Report.IsWrong()
		}
		if page := c.pageOf(l.URL, at); page != nil {
			page.reports = append(page.reports, l.Report)
		}
	}
	return nil
}

// claim tells what is wrong with the URL of a page under that page, where the report has no page of it:
// of a download, or of what did not come. Of a recorder that others use, the rest may be theirs.
func (c *capturing) claim() {
	wrong := c.elsewhere.Wrong
	if wrong == nil {
		return
	}
	if !c.at.own {
		c.elsewhere.Wrong = nil
	}
	without(wrong, func(f report.Finding) bool {
		at, err := time.Parse(time.RFC3339, f.Time)
		page := c.visited(f.URL, at)
		if err != nil || page == nil {
			return false
		}
		page.has(f)
		return true
	})
}

// without takes findings out of what is wrong, and reports whether there were any.
func without(wrong *report.Wrong, goes func(report.Finding) bool) bool {
	all := len(wrong.Findings)
	wrong.Findings = slices.DeleteFunc(wrong.Findings, func(f report.Finding) bool {
		if !goes(f) {
			return false
		}
		if wrong.Counts[f.Kind]--; wrong.Counts[f.Kind] <= 0 {
			delete(wrong.Counts, f.Kind)
		}
		return true
	})
	return len(wrong.Findings) < all
}

// isChatter reports a finding on what the browser has asked for by itself. Our own recorder lets that pass;
// another one has it, and counts it to the page that was opened last.
func isChatter(f report.Finding) bool {
	return hosts.Chatter.Has(strings.ToLower(feed.HostOf(f.URL)))
}

// has notes a finding of which no report tells under the page.
func (p *seenPage) has(f report.Finding) {
	p.reports = append(p.reports, &report.Report{URL: f.URL, Time: f.Time, Wrong: report.Wrong{
		Counts: map[report.Kind]int{f.Kind: 1}, Findings: []report.Finding{f}}})
}

// explain looks in the gap list for why pages did not come, where no report has it under them: over plain
// HTTP a browser does not say that it opens a page, so that it may be a part of one before.
func (c *capturing) explain() {
	isOpen := func(p seenPage) bool { return len(p.Faults) > 0 && len(p.reports) == 0 }
	if !slices.ContainsFunc(c.pages, isOpen) {
		return
	}
	gaps, _ := gapsOf(c.at.dir) // what cannot be read is told by others
	for i := range c.pages {
		page := &c.pages[i]
		for _, g := range gaps.Latest {
			kind, begun := report.KindOfGap(g.Reason), page.At.Truncate(time.Second)
			if isOpen(*page) && kind != "" && g.URL == record.TargetURI(page.URL) &&
				!g.Time.Before(begun) && !g.Time.After(page.till) {
				page.has(report.Finding{Kind: kind, URL: g.URL, Time: g.Time.Format(time.RFC3339), Times: 1,
					Detail: g.Detail})
			}
		}
	}
}

// pageOf is the page that was visited as that of a report, whose time has no fractions: the latest of
// that URL. What a recorder of our own reports else was opened by the page that was visited then.
func (c *capturing) pageOf(url string, at time.Time) (of *seenPage) {
	of = c.visited(url, at)
	for i := range c.pages {
		page := &c.pages[i]
		if of == nil && c.at.own && !at.Before(page.At.Truncate(time.Second)) && !at.After(page.till) {
			of = page
		}
	}
	return of
}

// visited is the latest page of that URL that was begun by then; nil if none was.
func (c *capturing) visited(url string, at time.Time) (of *seenPage) {
	for i := range c.pages {
		page := &c.pages[i]
		begun := !page.At.Truncate(time.Second).After(at)
		isFree := of == nil || len(of.reports) > 0 || of.At.Truncate(time.Second).Before(at)
		if begun && record.TargetURI(page.URL) == url && isFree {
			of = page
		}
	}
	return of
}

// findDocuments says of pages what their browser does not know: that they are not recorded. The
// report has no page of some that are, such as downloads.
func (c *capturing) findDocuments(source *selection.Source) error {
	for i := range c.pages {
		page := &c.pages[i]
		if len(page.reports) > 0 || len(page.Faults) > 0 {
			continue
		}
		found, err := hasSince(source, record.TargetURI(page.URL), page.At)
		if err != nil {
			return err
		}
		if !found {
			page.Faults = append(page.Faults, "its document was not recorded (no-record?)")
		}
	}
	return nil
}

// hasSince reports whether a URL was captured since then.
func hasSince(source *selection.Source, url string, since time.Time) (bool, error) {
	query := selection.Selection{URL: url, From: since.UTC().Format(bySecond)}
	for c, err := range source.Captures(context.Background(), query) {
		if err != nil {
			return false, err
		}
		if !c.Needed && !c.Time.Before(since.Truncate(time.Microsecond)) {
			return true, nil
		}
	}
	return false, nil
}

// print prints what came of the page.
func (p *seenPage) print(out *bufio.Writer) {
	word, status := "whole", "-"
	if !p.isWhole() {
		word = "lacking"
	}
	if p.Status > 0 {
		status = fmt.Sprint(p.Status)
	}
	fmt.Fprintf(out, "%-7s  %3s  %s", word, status, briefURL(p.URL))
	if p.wasLed() {
		fmt.Fprintf(out, " (from %s)", briefURL(p.given))
	}
	if p.Title != "" {
		fmt.Fprintf(out, "  %q", cut(printable(p.Title), titleColumns))
	}
	fmt.Fprintf(out, "  %s\n", tookText(p.Visit))
	for _, text := range append(p.Faults, p.Remarks...) {
		fmt.Fprintf(out, "  %s\n", printable(text))
	}
	text := reportText{out: out}
	for _, r := range p.reports {
		text.findings(&r.Wrong)
	}
}

// wasLed reports whether the page has another URL than the one that was given. A fragment, or the slash
// that a browser writes behind a host, makes none.
func (p *seenPage) wasLed() bool {
	given := record.TargetURI(p.given)
	return given != "" && strings.TrimSuffix(given, "/") != strings.TrimSuffix(record.TargetURI(p.URL), "/")
}

// tookText is what a page has cost.
func tookText(v *visiting.Visit) string {
	return fmt.Sprint(count(int(v.Requests), "request"), ", ", v.Took.Round(time.Second/10))
}

// titleColumns is how much of a title is shown, urlColumns of a URL.
const (
	titleColumns = 60
	urlColumns   = 2000
)

func briefURL(url string) string { return cut(ascii(url), urlColumns) }
