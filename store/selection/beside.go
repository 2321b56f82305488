package selection

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"warcorder/store"
	"warcorder/store/cdxserver"
	"warcorder/store/collection"
	"warcorder/store/pages"
	"warcorder/store/readback"
)

// asked is a recorder that says what is selected, since nobody else can read its index. The files are
// read beside it: up to where they were committed when it was asked last.
type asked struct {
	recorder cdxserver.Recorder

	mu        sync.Mutex
	files     map[string]store.File
	originals *simplelru.LRU[store.Location, store.Location] // of revisits that were told last
}

// mostOriginals is for how many revisits the original is known that were told last. Of others the
// one who has kept a Chosen knows it.
const mostOriginals = 1 << 14

// Ask returns the Source of a collection that a recorder has open. The error wraps
// cdxserver.ErrNobody if the recorder is ending. What comes later may be cdxserver.ErrBrokeOff: the
// recorder has ended, and whoever reads begins anew.
func Ask(recorder cdxserver.Recorder, dir collection.Dir) (*Source, error) {
	a, reading := &asked{recorder: recorder}, dir.Reading()
	var err error
	a.originals, err = simplelru.NewLRU[store.Location, store.Location](mostOriginals, nil)
	if err != nil {
		panic(err) // the size is positive
	}
	if err := a.refresh(context.Background()); err != nil {
		return nil, err
	}
	files := readback.Beside(dir, a)
	return &Source{files: files, pages: pages.New(nil, files), asked: a, reading: reading}, nil
}

// refresh asks how far the files are committed.
func (a *asked) refresh(ctx context.Context) error {
	r, err := a.ask(ctx, Selection{}, listFiles, Detail{})
	if err != nil {
		return err
	}
	_, err = r.next()
	if err == nil {
		err = errAnswer
	} else if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, r.Close())
}

// File returns a file as it was when the recorder was asked last.
func (a *asked) File(name string) (f store.File, known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, known = a.files[name]
	return f, known
}

// FileNow asks the recorder.
func (a *asked) FileNow(name string) (f store.File, known bool, err error) {
	if err := a.refresh(context.Background()); err != nil {
		return f, false, err
	}
	f, known = a.File(name)
	return f, known, nil
}

// Original returns the original of a revisit that was told lately.
func (a *asked) Original(revisit *store.Capture) (store.Location, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at, known := a.originals.Get(revisit.Location)
	if !known {
		return at, readback.ErrNoOriginal
	}
	return at, nil
}

// note notes what a line tells beside a capture.
func (a *asked) note(c *Chosen) {
	if c.Original == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.originals.Add(c.Location, *c.Original)
}

// choose is Choose.
func (a *asked) choose(ctx context.Context, sel Selection, detail Detail) (*Choice, error) {
	r, err := a.ask(ctx, sel, listCaptures, detail)
	if err != nil {
		return nil, err
	}
	choice := &Choice{Files: r.files, close: r.Close}
	choice.captures = func(_ context.Context, yield func(Chosen, error) bool) {
		r.each(func(l line, err error) bool {
			if err != nil || l.Capture == nil {
				return yield(Chosen{}, cmp.Or(err, errAnswer))
			}
			c := l.Capture.chosen()
			a.note(&c)
			return yield(c, nil)
		})
		choice.Orphans = r.orphans
	}
	return choice, nil
}

// pages is Pages.
func (a *asked) pages(ctx context.Context, sel Selection, yield func(pages.Page, error) bool) {
	r, err := a.ask(ctx, sel, listPages, Detail{})
	if err != nil {
		yield(pages.Page{}, err)
		return
	}
	more := true
	r.each(func(l line, err error) bool {
		if err != nil || l.Page == nil || l.Page.Capture == nil {
			more = false
			return yield(pages.Page{}, cmp.Or(err, errAnswer))
		}
		for _, told := range []*captureLine{l.Page.Capture, l.Page.Shown} {
			if told != nil {
				c := told.chosen()
				a.note(&c)
			}
		}
		more = yield(l.Page.page(), nil)
		return more
	})
	if err := r.Close(); err != nil && more {
		yield(pages.Page{}, err)
	}
}

var errAnswer = errors.New("the recorder's answer is not understood: it is of another version")

// reader reads the lines of an answer.
type reader struct {
	body    io.ReadCloser
	in      *bufio.Reader
	ctx     context.Context
	stop    func() bool
	files   []store.File
	first   *line // behind the files; nil if it has been read
	orphans Orphans
}

// ask asks the recorder, and reads the files.
func (a *asked) ask(ctx context.Context, sel Selection, list string, detail Detail) (*reader, error) {
	form := sel.Values()
	form.Set(paramList, list)
	if detail.Originals {
		form.Add(paramDetail, detailOriginals)
	}
	if detail.Pages {
		form.Add(paramDetail, detailPages)
	}
	body, err := a.recorder.Selection(form)
	if err != nil {
		return nil, err
	}
	r := &reader{body: body, in: bufio.NewReaderSize(body, 64<<10), ctx: ctx}
	r.stop = context.AfterFunc(ctx, func() { body.Close() })
	files := make(map[string]store.File)
	for {
		l, err := r.read()
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		if l.File == nil {
			r.first = &l
			break
		}
		if name := string(l.File.Name); name != filepath.Base(name) {
			return nil, errors.Join(errAnswer, r.Close())
		}
		f := store.File{ID: uint32(len(r.files) + 1), Name: string(l.File.Name),
			Committed: l.File.Committed, Sealed: l.File.Sealed, Missing: l.File.Missing,
			Remote: l.File.Remote}
		r.files = append(r.files, f)
		files[f.Name] = f
	}
	a.mu.Lock()
	a.files = files
	a.mu.Unlock()
	return r, nil
}

// each calls do with each line, and with the error that ends them too early.
func (r *reader) each(do func(line, error) bool) {
	for {
		l, err := r.next()
		if errors.Is(err, io.EOF) || !do(l, err) || err != nil {
			return
		}
	}
}

// next returns the next line; io.EOF behind the line that says that all is there.
func (r *reader) next() (l line, err error) {
	if r.first != nil {
		l, r.first = *r.first, nil
	} else if l, err = r.read(); err != nil {
		return l, err
	}
	if l.End == nil {
		return l, nil
	}
	r.orphans.Number = l.End.Orphans
	if l.End.Orphan != "" {
		r.orphans.First = errors.New(l.End.Orphan)
	}
	return l, io.EOF
}

// read reads a line.
func (r *reader) read() (l line, err error) {
	text, err := r.in.ReadBytes('\n')
	if ctx := r.ctx.Err(); ctx != nil {
		return l, ctx
	}
	if err != nil {
		if errors.Is(err, cdxserver.ErrSilent) {
			return l, err
		}
		return l, fmt.Errorf("%w: %w", cdxserver.ErrBrokeOff, noEOF(err))
	}
	if err := json.Unmarshal(bytes.TrimSpace(text), &l); err != nil {
		return l, fmt.Errorf("%w: %w", errAnswer, err)
	}
	if l.Error == store.ErrReplaced.Error() {
		return l, store.ErrReplaced
	}
	if l.Error != "" {
		return l, fmt.Errorf("the recorder says: %s", l.Error)
	}
	return l, nil
}

// noEOF makes an error of an end that comes too early, which is not to be taken for the end.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Close ends the answer.
func (r *reader) Close() error {
	r.stop()
	return r.body.Close()
}
