package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"

	"warcorder/recorder/spill"
	"warcorder/store"
	"warcorder/store/cdxserver"
	"warcorder/store/collection"
	"warcorder/store/delta"
	"warcorder/store/warc"
)

// exported is what export wrote.
type exported struct {
	delta.Done
	behind bool        // the index lacks captures that are on disk, as was said
	token  delta.Token // with a since: of what was written
}

// lacking is the error of a command that has written what there is, and has said what is not.
func (e exported) lacking(step string) error {
	if !e.behind {
		return nil
	}
	return fmt.Errorf("%s: not all that was recorded is in the index, see above", step)
}

// export writes the lines from the index, or from the recorder that has the index open. When a
// recorder starts or ends in the middle, or the index is replaced, export goes on behind the last
// line.
func export(dir collection.Dir, query store.Query, w io.Writer) (done exported, err error) {
	return exportSince(dir, query, nil, w)
}

// exportSince is export of what has come since a token, if there is one.
func exportSince(dir collection.Dir, query store.Query, since *delta.Token, w io.Writer) (
	done exported, err error) {
	asked := asking{dir: dir, query: query}
	if since != nil {
		asked.ask = &delta.Ask{Since: *since}
	}
	return asked.export(w)
}

// export is what exportSince does.
func (a *asking) export(w io.Writer) (done exported, err error) {
	dir := a.dir
	lines := cdxserver.NewContinuation(w)
	passed, until := int64(-1), time.Now().Add(lockPatience)
	reading := dir.Reading()
	for ; ; lines.Again() {
		if lines.Lines() > 0 {
			if err := unchanged(dir, reading); err != nil {
				return done, err
			}
		} else {
			a.begin()
		}
		done, err = a.atRest(lines)
		if errors.Is(err, collection.ErrLocked) {
			lines.Again()
			done.Done, err = a.fromRecorder(lines)
		}
		switch {
		case errors.Is(err, store.ErrReplaced),
			errors.Is(err, cdxserver.ErrBrokeOff) && lines.Lines() > passed:
			passed, until = lines.Lines(), time.Now().Add(lockPatience)
		case errors.Is(err, cdxserver.ErrNobody) && time.Now().Before(until):
			// a recorder starts, or ends
			time.Sleep(50 * time.Millisecond)
		case errors.Is(err, cdxserver.ErrNobody):
			return done, unanswered(dir)
		default:
			done.Lines, done.token = lines.Lines(), a.token()
			return done, err
		}
	}
}

// asking is what lines are asked for, of which collection.
type asking struct {
	dir   collection.Dir
	query store.Query
	ask   *delta.Ask // nil: not only what has come since

	until *delta.Token      // what an earlier export has begun to write, and is gone on with; or nil
	began func(delta.Token) // is told of what is begun before the first line comes; or nil
}

// begin forgets what was begun: no line was passed.
func (a *asking) begin() {
	if a.ask != nil {
		a.ask.Until = a.until
	}
}

// begins notes what is begun.
func (a *asking) begins(until delta.Token) {
	a.ask.Until = &until
	if a.began != nil {
		a.began(until)
	}
}

// token is that of what is written.
func (a *asking) token() (t delta.Token) {
	if a.ask != nil && a.ask.Until != nil {
		t = *a.ask.Until
	}
	return t
}

// atRest writes the lines from the index.
func (a *asking) atRest(w io.Writer) (done exported, err error) {
	index, err := store.OpenReadOnly(a.dir.Index())
	if err != nil {
		return done, explainRead(err, a.dir)
	}
	defer index.Close()
	if done.behind, err = tellLacking(a.dir, index); err != nil {
		return done, err
	}
	total, err := index.Count()
	if err != nil {
		return done, err
	}
	if !a.query.SelectsAll() || a.ask != nil {
		total = -1
	}
	bar := newBar(total, "captures")
	defer bar.Finish()
	progress := func(lines int64) { bar.Set64(lines) }
	if a.ask == nil {
		done.Exported, err = index.Export(w, a.query, progress)
	} else {
		done.Done, err = a.writeSince(index, w, progress)
	}
	return done, explainRead(err, a.dir)
}

// writeSince writes what has come since.
func (a *asking) writeSince(index *store.Bolt, w io.Writer, progress func(int64)) (
	done delta.Done, err error) {
	d, err := delta.Begin(a.dir, index, a.query, *a.ask)
	if err != nil {
		return done, err
	}
	defer d.Close()
	a.begins(d.Token())
	return d.Write(w, progress)
}

// tellLacking says on standard error what the index does not know: the last recorder did not come
// to its end, or had no time to write what lay on disk.
func tellLacking(dir collection.Dir, index *store.Bolt) (lacks bool, err error) {
	n, err := unindexed(dir, index)
	if err != nil {
		return false, err
	}
	if n > 0 {
		fmt.Fprintf(os.Stderr, "the last %s of the WARC files are not in the index, since whoever "+
			"wrote them did not come to an end: %s reads them\n",
			humanize.Bytes(uint64(n)), commandFor(dir, "recover"))
	}
	left := spill.Left(dir)
	if left > 0 {
		fmt.Fprintf(os.Stderr, "%s with large bodies still in spill/, and not in the index: "+
			"the next recording, or %s, puts what is there into WARC files\n",
			count(left, "exchange"), commandFor(dir, "recover"))
	}
	return n > 0 || left > 0, nil
}

// unindexed returns how many bytes of unfinished files the index does not know. Their recorder
// died, and no recovery has read them since.
func unindexed(dir collection.Dir, index *store.Bolt) (n int64, err error) {
	files, err := index.Files()
	for _, f := range files {
		if f.Sealed {
			continue
		}
		for _, suffix := range []string{"", warc.OpenSuffix} {
			if info, err := os.Stat(dir.WARC(f.Name + suffix)); err == nil {
				n += max(0, info.Size()-f.Committed)
			}
		}
	}
	return n, err
}

// unanswered is cdxserver.ErrNobody as people read it.
func unanswered(dir collection.Dir) error {
	return fmt.Errorf("the index is in use by %s, which cannot be asked: wait until it has ended",
		holders(dir))
}

// fromRecorder asks the recorder that has the collection open.
func (a *asking) fromRecorder(w io.Writer) (done delta.Done, err error) {
	running, err := cdxserver.At(a.dir)
	if err != nil {
		return done, err
	}
	var bar *progressbar.ProgressBar
	progress := func(lines, total int64) {
		if bar == nil {
			bar = newBar(total, "captures")
		}
		bar.Set64(lines)
	}
	if a.ask == nil {
		done.Exported, err = running.Export(w, a.query, progress)
	} else {
		done, err = running.ExportSince(w, a.query, *a.ask, a.begins, progress)
	}
	if bar != nil {
		bar.Finish()
	}
	return done, err
}

// gapsOf reads the gaps from the index, or from the recorder that has it open. With errUnclean it
// gives those that are known.
func gapsOf(dir collection.Dir) (gaps store.Gaps, err error) {
	for until := time.Now().Add(lockPatience); ; time.Sleep(50 * time.Millisecond) {
		gaps, err = gapsAtRest(dir)
		if errors.Is(err, collection.ErrLocked) {
			gaps, err = gapsFromRecorder(dir)
		}
		switch {
		case !errors.Is(err, cdxserver.ErrNobody):
			return gaps, err
		case time.Now().After(until):
			return gaps, unanswered(dir)
		}
	}
}

// errUnclean is the error of gapsOf if there may be gaps that nobody has noted yet.
var errUnclean = errors.New("the last recorder did not come to its end: the next recording, or " +
	"warcorder recover, notes here what that cost")

func gapsAtRest(dir collection.Dir) (gaps store.Gaps, err error) {
	index, err := store.OpenReadOnly(dir.Index())
	if err != nil {
		return gaps, explainRead(err, dir)
	}
	defer index.Close()
	if gaps, err = index.Gaps(0); err != nil {
		return gaps, explainRead(err, dir)
	}
	if last, err := index.Session(); err == nil && last.Open {
		return gaps, errUnclean
	}
	return gaps, nil
}

func gapsFromRecorder(dir collection.Dir) (store.Gaps, error) {
	running, err := cdxserver.At(dir)
	if err != nil {
		return store.Gaps{}, err
	}
	return running.Gaps()
}
