package selection

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"warcorder/store"
	"warcorder/store/cdxserver"
	"warcorder/store/pages"
	"warcorder/store/readback"
)

// What is asked of a recorder beside a selection: paramList says what is to be listed after the
// files, and paramDetail what is to be told of captures.
const (
	paramList   = "list"
	paramDetail = "detail"

	listFiles    = "files" // nothing else
	listPages    = "pages"
	listCaptures = "captures"

	detailOriginals = "originals"
	detailPages     = "pages"
)

// sortAtOnce is for how many answers captures are sorted at the same time; others wait for that.
const sortAtOnce = 4

// Page answers other processes what is selected of a collection, while its recorder has the index
// open; index is it, with all that a question may find. Each request has Files of its own by it.
func Page(of *readback.Files, index func(context.Context, store.Question) *store.Bolt) http.Handler {
	sorting := make(chan struct{}, sortAtOnce)
	return cdxserver.SelectionPage(func(w http.ResponseWriter, r *http.Request) (int, error) {
		form := r.URL.Query()
		sel, err := Of(form)
		if err != nil {
			return http.StatusBadRequest, err
		}
		open := index(r.Context(), questionOf(sel, form))
		files := of.By(open)
		defer files.Close()
		source := New(open, files, pages.New(open, files))
		source.TempDir = open.TempDir
		a := answer{out: bufio.NewWriterSize(w, 64<<10), source: source, sorting: sorting}
		w.Header().Set("Content-Type", "application/x-ndjson")
		if err := http.NewResponseController(w).Flush(); err != nil { // what must be sorted takes a while
			return http.StatusInternalServerError, err
		}
		a.answer(r.Context(), sel, form)
		return 0, nil
	})
}

// questionOf is what an answer asks of the index. The originals of what is selected are there if that
// is; to which page a capture belongs any other may tell.
func questionOf(sel Selection, form url.Values) store.Question {
	list := form.Get(paramList)
	if list == listFiles || list == listPages || sel.Page != "" ||
		slices.Contains(form[paramDetail], detailPages) {
		return store.Everything
	}
	q := sel.query().Question()
	if posted, is := sel.posted(); is {
		q = q.Or(posted.Question())
	}
	if len(sel.Files) > 0 {
		q = store.OfFiles(sel.Files...).And(q)
	}
	return q
}

// answer is an answer that is being written.
type answer struct {
	out     *bufio.Writer
	source  *Source
	sorting chan struct{}
}

// answer writes all lines. An error is the last of them.
func (a *answer) answer(ctx context.Context, sel Selection, form url.Values) {
	err := a.list(ctx, sel, form)
	if err != nil && a.source.Check() != nil || errors.Is(err, store.ErrReplaced) {
		err = store.ErrReplaced // by which who has asked knows it
	}
	if err != nil {
		err = a.put(line{Error: err.Error()})
	}
	if err != nil || a.out.Flush() != nil {
		panic(http.ErrAbortHandler)
	}
}

func (a *answer) list(ctx context.Context, sel Selection, form url.Values) error {
	switch form.Get(paramList) {
	case listFiles:
		return a.files()
	case listPages:
		return a.pages(ctx, sel)
	}
	detail := Detail{
		Originals: slices.Contains(form[paramDetail], detailOriginals),
		Pages:     slices.Contains(form[paramDetail], detailPages),
	}
	return a.captures(ctx, sel, detail)
}

// put writes a line.
func (a *answer) put(l line) error {
	b, err := json.Marshal(l)
	if err == nil {
		_, err = a.out.Write(append(b, '\n'))
	}
	return err
}

// end writes the last line, if all lines before it are of one collection.
func (a *answer) end(end *endLine) error {
	if err := a.source.Check(); err != nil {
		return err
	}
	return a.put(line{End: end})
}

// begin writes the files, and sends them at once: what follows may have to be sorted first.
func (a *answer) begin(files []store.File) error {
	for _, f := range files {
		if f.Remote != nil {
			short := *f.Remote
			short.Parts = nil
			f.Remote = &short
		}
		err := a.put(line{File: &fileLine{text(f.Name), f.Committed, f.Sealed, f.Missing, f.Remote}})
		if err != nil {
			return err
		}
	}
	return a.out.Flush()
}

func (a *answer) files() error {
	files, err := a.source.index.Files()
	if err == nil {
		err = a.begin(files)
	}
	if err != nil {
		return err
	}
	return a.end(&endLine{})
}

func (a *answer) pages(ctx context.Context, sel Selection) error {
	files, err := a.source.index.Files()
	if err == nil {
		err = a.begin(files)
	}
	if err != nil {
		return err
	}
	for page, err := range a.source.Pages(ctx, sel) {
		if err != nil {
			return err
		}
		told, err := a.page(page)
		if err == nil {
			err = a.put(line{Page: told})
		}
		if err != nil {
			return err
		}
	}
	return a.end(&endLine{})
}

// page is a page as it is told: who has asked can read what it shows without the index.
func (a *answer) page(page pages.Page) (l *pageLine, err error) {
	l = &pageLine{ID: text(page.ID), First: text(page.First), URL: text(page.URL),
		Resources: page.Resources, Title: text(page.Title), Listed: page.Listed}
	if l.Capture, err = a.whole(page.Capture); err != nil {
		return nil, err
	}
	shown, err := a.source.pages.Shown(page)
	if err == nil && shown.Location != page.Capture.Location {
		l.Shown, err = a.whole(shown)
	}
	return l, err
}

// whole is a capture as it is told, with its original's place if that can be read.
func (a *answer) whole(c store.Capture) (*captureLine, error) {
	chosen := Chosen{Capture: c}
	original, err := a.source.files.Original(&c)
	if err := new(Orphans).note(err); err != nil {
		return nil, err
	}
	if original != nil {
		chosen.Original = &original.Location
	}
	return lineOf(&chosen), nil
}

func (a *answer) captures(ctx context.Context, sel Selection, detail Detail) (err error) {
	select {
	case a.sorting <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	choice, err := a.source.Choose(ctx, sel, detail)
	<-a.sorting
	if err != nil {
		return err
	}
	defer choice.Close()
	if err := a.begin(choice.Files); err != nil {
		return err
	}
	for c, err := range choice.Captures(ctx) {
		if err == nil {
			err = a.put(line{Capture: lineOf(&c)})
		}
		if err != nil {
			return err
		}
	}
	end := endLine{Orphans: choice.Orphans.Number}
	if first := choice.Orphans.First; first != nil {
		end.Orphan = first.Error()
	}
	return a.end(&end)
}
