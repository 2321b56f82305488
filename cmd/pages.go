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
	"warcorder/store/pages"
	"warcorder/store/readback"
)

type pagesCommand struct {
	collectionFlags
	From string `type:"moment" placeholder:"TS"`
	To   string `type:"moment" placeholder:"TS"`
	JSON bool   `name:"json"`
}

// Run lists the pages, also of a collection that is being recorded.
func (c *pagesCommand) Run(line *commandLine) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	if err := store.CheckPeriod(c.From, c.To); err != nil {
		return fmt.Errorf("pages: %w", err)
	}
	out := bufio.NewWriter(os.Stdout)
	list := pageList{dir: dir, from: c.From, to: c.To, print: func(page []byte) error {
		return c.print(out, page)
	}}
	err = list.all()
	if flushed := out.Flush(); flushed != nil { // before what follows on standard error
		return flushed
	}
	if err != nil {
		return fmt.Errorf("pages: %w", err)
	}
	if n := list.listed.Untimed; n > 0 {
		fmt.Fprintf(os.Stderr, "%s captures are not looked at, since an older version has recorded them: "+
			"%s finds their pages\n", humanize.Comma(n), commandFor(dir, "rebuild"))
	}
	if list.behind {
		return errors.New("pages: not all that was recorded is in the index, see above")
	}
	if list.printed == 0 {
		line.remark("no pages")
	}
	return nil
}

// print prints a page that is a line of JSON.
func (c *pagesCommand) print(out *bufio.Writer, page []byte) error {
	if c.JSON {
		_, err := out.Write(page)
		return err
	}
	var p pages.Line
	if err := json.Unmarshal(page, &p); err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, p.Time)
	if err != nil {
		return err
	}
	title := strings.ReplaceAll(p.Title, "\u00a0", " ") // which no terminal shows as it is
	_, err = fmt.Fprintf(out, "%s\t%d\t%s\t%s\n", at.Format(time.RFC3339), p.Resources,
		printable(p.URL), printable(title))
	return err
}

// pageList lists the pages of a collection, whoever has its index open.
type pageList struct {
	dir      collection.Dir
	from, to string
	print    func(line []byte) error

	printed int64
	last    string // ID of the last page that was printed
	skip    bool   // whether pages up to that one come again
	listed  cdxserver.Listed
	behind  bool // the index lacks captures that are on disk, as was said
}

// all prints all pages. When a recorder starts or ends in the middle, or the index is replaced, it
// goes on behind the last page.
func (l *pageList) all() error {
	passed, until := int64(-1), time.Now().Add(lockPatience)
	for {
		l.skip = l.printed > 0
		err := l.atRest()
		if errors.Is(err, collection.ErrLocked) {
			l.skip = l.printed > 0
			err = l.fromRecorder()
		}
		switch {
		case errors.Is(err, store.ErrReplaced), errors.Is(err, cdxserver.ErrBrokeOff) && l.printed > passed:
			passed, until = l.printed, time.Now().Add(lockPatience)
		case errors.Is(err, cdxserver.ErrNobody) && time.Now().Before(until):
			time.Sleep(50 * time.Millisecond) // a recorder starts, or ends
		case errors.Is(err, cdxserver.ErrNobody):
			return unanswered(l.dir)
		case err == nil && l.skip:
			return errors.New("the collection has changed meanwhile: ask again")
		default:
			return err
		}
	}
}

// line takes the line of a page.
func (l *pageList) line(page []byte) error {
	var p struct{ ID string }
	if err := json.Unmarshal(page, &p); err != nil {
		return err
	}
	if l.skip {
		l.skip = p.ID != l.last
		return nil
	}
	l.last = p.ID
	l.printed++
	return l.print(page)
}

// atRest lists the pages from the index.
func (l *pageList) atRest() error {
	index, err := store.OpenReadOnly(l.dir.Index())
	if err != nil {
		return explainRead(err, l.dir)
	}
	defer index.Close()
	if l.behind, err = tellLacking(l.dir, index); err != nil {
		return err
	}
	l.listed, err = listPages(context.Background(), l.dir, index, l.from, l.to, l.line)
	return explainRead(err, l.dir)
}

// fromRecorder asks the recorder that has the collection open.
func (l *pageList) fromRecorder() error {
	running, err := cdxserver.At(l.dir)
	if err != nil {
		return err
	}
	l.listed, err = running.Pages(l.from, l.to, l.line)
	return err
}

// listPages gives the lines of the pages of a time.
func listPages(ctx context.Context, dir collection.Dir, index *store.Bolt, from, to string,
	line func([]byte) error) (listed cdxserver.Listed, err error) {
	files := readback.New(dir, index)
	defer files.Close()
	all := pages.New(index, files)
	var text []byte
	for page, err := range all.All(ctx, from, to) {
		if err != nil {
			return listed, err
		}
		if text, err = all.AppendLine(ctx, text[:0], page); err != nil {
			return listed, err
		}
		if err := line(text); err != nil {
			return listed, err
		}
		listed.Pages++
	}
	listed.Untimed, err = index.Untimed()
	return listed, err
}

// listPages lists the pages of what is being recorded.
func (s *serving) listPages(ctx context.Context, from, to string,
	line func([]byte) error) (cdxserver.Listed, error) {
	index := s.indexFor(ctx, store.Everything) // any capture may be a page's
	return listPages(ctx, s.dir, index, from, to, line)
}
