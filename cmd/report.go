package cmd

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"warcorder/store"
	"warcorder/store/cdxserver"
	"warcorder/store/collection"
	"warcorder/store/readback"
	"warcorder/store/report"
)

type reportCommand struct {
	collectionFlags
	Page string `placeholder:"URL"`
	From string `type:"moment" placeholder:"TS"`
	To   string `type:"moment" placeholder:"TS"`
	JSON bool   `name:"json"`
}

// Run reports on pages, also of a collection that is being recorded. The exit status is 1 if
// something is wrong.
func (c *reportCommand) Run(line *commandLine) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	s := report.Selection{Page: c.Page, From: c.From, To: c.To}
	if err := s.Check(); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	text := reportText{out: bufio.NewWriter(os.Stdout)}
	behind, err := readReport(dir, s, func(b []byte) error {
		var l report.Line
		if err := json.Unmarshal(b, &l); err != nil {
			return err
		}
		if l.Total != nil {
			text.total = *l.Total
		}
		if c.JSON {
			_, err := text.out.Write(b)
			return err
		}
		return text.line(&l)
	})
	if flushed := text.out.Flush(); flushed != nil { // before what follows on standard error
		return flushed
	}
	if errors.Is(err, report.ErrNoPage) {
		return fmt.Errorf("report: there is no such page: %s lists all", commandFor(dir, "pages"))
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return text.end(line, dir, behind)
}

// readReport gives the lines of a report, of whoever has the index open. It begins anew if something
// is removed before the first one.
func readReport(dir collection.Dir, s report.Selection, line func([]byte) error) (behind bool, err error) {
	given := false
	note := func(b []byte) error {
		given = true
		return line(b)
	}
	left := mostBeginnings
	for until := time.Now().Add(lockPatience); ; time.Sleep(50 * time.Millisecond) {
		behind, err = reportAtRest(dir, s, note)
		if errors.Is(err, collection.ErrLocked) && !given {
			err = reportFromRecorder(dir, s, note)
		}
		switch {
		case errors.Is(err, store.ErrReplaced) && !given && left > 0:
			left, until = left-1, time.Now().Add(lockPatience)
		case !errors.Is(err, cdxserver.ErrNobody) || given:
			return behind, err
		case time.Now().After(until):
			return behind, unanswered(dir)
		} // a recorder starts, or ends
	}
}

func reportAtRest(dir collection.Dir, s report.Selection, line func([]byte) error) (behind bool, err error) {
	index, err := store.OpenReadOnly(dir.Index())
	if err != nil {
		return false, explainRead(err, dir)
	}
	defer index.Close()
	if behind, err = tellLacking(dir, index); err != nil {
		return behind, err
	}
	files := readback.New(dir, index)
	defer files.Close()
	return behind, explainRead(report.New(index, files).Lines(context.Background(), s, line), dir)
}

func reportFromRecorder(dir collection.Dir, s report.Selection, line func([]byte) error) error {
	running, err := cdxserver.At(dir)
	if err != nil {
		return err
	}
	return report.Ask(running, s, line)
}

// reportText is a report as people read it.
type reportText struct {
	out   *bufio.Writer
	total report.Total
}

// toDo says what can be done about what is wrong.
var toDo = map[report.Kind]string{
	report.Failed:      "no answer: visit it again",
	report.Cut:         "broke off: visit it again; where the whole was not asked for, with complete: always",
	report.Part:        "a part alone: visit it again, with complete: always to have it whole",
	report.Refused:     "turned away by the recorder, as its settings or its limits say",
	report.Unrecorded:  "passed unrecorded: of WebSockets and tunnels nothing can be shown again",
	report.Forbidden:   "answered 403: log in, or come by another way out (upstream)",
	report.TooMany:     "answered 429: visit it again later, and slower",
	report.Unavailable: "answered 503: visit it again later",
	report.Challenge:   "answered by a challenge: pass it by hand in warcorder browser, then visit it again",
	report.Coding:      "in a coding that others cannot read: visit it again with the default of codings",
	report.Missing:     "recorded, and not readable any more: warcorder verify says what is wrong with the files",
	report.Outside: "stored in another archive, which must be handed on with this one: nothing is wrong " +
		"with them",
	report.Crash: "the recorder was killed: what was on its way then may be missing",
}

// line prints a page with what is wrong with it, or what is wrong elsewhere.
func (t *reportText) line(l *report.Line) error {
	switch {
	case l.Report != nil:
		fmt.Fprintf(t.out, "%s  %s  %s: %s\n", l.Time, printable(l.URL), count(l.Resources, "resource"),
			wrongCounts(&l.Wrong))
		t.findings(&l.Wrong)
	case l.Total != nil && l.Total.Elsewhere != nil && len(l.Total.Elsewhere.Counts) > 0:
		fmt.Fprintf(t.out, "of no page: %s\n", wrongCounts(l.Total.Elsewhere))
		t.findings(l.Total.Elsewhere)
	}
	return t.out.Flush()
}

// wrongCounts counts what is wrong.
func wrongCounts(w *report.Wrong) string {
	var counts []string
	for _, kind := range report.Kinds {
		if n := w.Counts[kind]; n > 0 {
			counts = append(counts, fmt.Sprint(n, " ", kind))
		}
	}
	if len(counts) == 0 {
		return "whole"
	}
	return strings.Join(counts, ", ")
}

// findings prints what is wrong, by kind.
func (t *reportText) findings(w *report.Wrong) {
	told := report.Kind("")
	for _, f := range w.Findings {
		if f.Kind != told {
			told = f.Kind
			fmt.Fprintf(t.out, "  %s\n", toDo[f.Kind])
		}
		var more []string
		if f.Expected > 0 {
			more = append(more, fmt.Sprintf("%d of %d bytes came", f.Received, f.Expected))
		}
		if f.Detail != "" {
			more = append(more, strings.TrimSuffix(f.Detail, "."))
		}
		if f.Times > 1 {
			more = append(more, fmt.Sprint(f.Times, " times"))
		}
		text := f.URL
		if len(more) > 0 {
			text = strings.TrimSpace(text + " (" + strings.Join(more, ", ") + ")")
		}
		fmt.Fprintf(t.out, "    %s\n", printable(text))
	}
	all := 0
	for _, n := range w.Counts {
		all += n
	}
	if more := all - len(w.Findings); more > 0 {
		fmt.Fprintf(t.out, "    and %s more\n", humanize.Comma(int64(more)))
	}
}

// end says what stands behind the pages, and makes the exit status.
func (t *reportText) end(line *commandLine, dir collection.Dir, behind bool) error {
	line.remark("%s, %d whole", count(t.total.Pages, "page"), t.total.Whole)
	if n := t.total.Unrecorded; n > 0 {
		line.remark("%s passed unrecorded, as the settings or a pause said", count(int(n), "exchange"))
	}
	if n := t.total.Untimed; n > 0 {
		fmt.Fprintf(os.Stderr, "%s captures are not looked at, since an older version has recorded them: "+
			"%s finds their pages\n", humanize.Comma(n), commandFor(dir, "rebuild"))
	}
	elsewhere := t.total.Elsewhere != nil && t.total.Elsewhere.IsWrong()
	switch {
	case behind:
		return errors.New("report: not all that was recorded is in the index, see above")
	case t.total.Whole < t.total.Pages || elsewhere:
		return exitStatus(1)
	}
	return nil
}
