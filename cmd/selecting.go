package cmd

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"warcorder/cmd/replaying"
	"warcorder/store"
	"warcorder/store/cdxserver"
	"warcorder/store/collection"
	"warcorder/store/pages"
	"warcorder/store/readback"
	"warcorder/store/selection"
	"warcorder/store/warc"
)

// selectionFlags say which part of a collection a command works on.
type selectionFlags struct {
	URL   string   `name:"url" placeholder:"URL"`
	Match string   `enum:"exact,prefix,host,domain" default:"exact" placeholder:"HOW"`
	From  string   `type:"moment" placeholder:"TS"`
	To    string   `type:"moment" placeholder:"TS"`
	Page  string   `placeholder:"URL"`
	Files []string `name:"file" sep:"none" placeholder:"FILE"`
}

// parseMoment reads an end of a period as digits, in whichever form --at of replay takes. One that is
// empty stays so.
func parseMoment(ctx *kong.DecodeContext, target reflect.Value) error {
	text, err := ctx.Scan.PopValue("time")
	if err != nil {
		return err
	}
	digits := fmt.Sprint(text.Value)
	if digits != "" {
		digits, err = replaying.Digits(digits)
	}
	target.SetString(digits)
	return err
}

// Selection is what the flags select.
func (f *selectionFlags) Selection() selection.Selection {
	s := selection.Selection{URL: f.URL, From: f.From, To: f.To, Page: f.Page}
	if store.Match(f.Match) != store.Exact {
		s.Match = store.Match(f.Match)
	}
	for _, path := range f.Files {
		s.Files = append(s.Files, selection.FileName(path))
	}
	return s
}

// refuseEmpty refuses a flag of a selection that is given and empty, as a variable is that nobody has
// set: it would select everything.
func refuseEmpty(ctx *kong.Context) error {
	switch ctx.Selected().Name {
	case "remove", "wacz", "extract", "har", "pages", "report":
	default:
		return nil
	}
	for _, step := range ctx.Path {
		if step.Flag == nil {
			continue
		}
		switch name := step.Flag.Name; name {
		case "url", "from", "to", "page", "file":
			given := ctx.FlagValue(step.Flag)
			text, _ := given.(string)
			files, _ := given.([]string)
			if text == "" && len(files) == 0 || slices.Contains(files, "") {
				return fmt.Errorf("--%s is empty: say what is meant, or leave it out", name)
			}
		}
	}
	return nil
}

// nothingOf is the error of a command whose selection selects nothing.
func nothingOf(step string, dir collection.Dir, files []string) error {
	for _, path := range files {
		name := selection.FileName(path)
		_, err := os.Lstat(dir.WARC(name))
		_, open := os.Lstat(dir.WARC(name) + warc.OpenSuffix)
		_, away := os.Lstat(dir.AwayNote(name))
		if err != nil && open != nil && away != nil {
			return fmt.Errorf("%s: %s is not in the collection: %s has the names of its files", step,
				printable(name), commandFor(dir, "export -o -"))
		}
	}
	return fmt.Errorf("%s: nothing of that is in the collection: %s lists its pages, %s all that was captured",
		step, commandFor(dir, "pages"), commandFor(dir, "export -o -"))
}

// openSource opens a collection to read parts of it, at rest or beside its recorder. At rest it says
// on standard error what the index lacks.
func openSource(dir collection.Dir) (source *selection.Source, shut func() error, err error) {
	for until := time.Now().Add(lockPatience); ; time.Sleep(50 * time.Millisecond) {
		source, shut, err = sourceAtRest(dir)
		if errors.Is(err, collection.ErrLocked) {
			source, shut, err = sourceBeside(dir)
		}
		switch {
		case errors.Is(err, store.ErrReplaced) && time.Now().Before(until):
			// a removal takes its places
		case !errors.Is(err, cdxserver.ErrNobody) && !errors.Is(err, cdxserver.ErrBrokeOff):
			return source, shut, err
		case time.Now().After(until):
			return nil, nil, unanswered(dir)
		}
	}
}

func sourceAtRest(dir collection.Dir) (*selection.Source, func() error, error) {
	index, err := store.OpenReadOnly(dir.Index())
	if err != nil {
		return nil, nil, explainRead(err, dir)
	}
	files := readback.New(dir, index)
	shut := func() error { return errors.Join(files.Close(), index.Close()) }
	source := selection.New(index, files, pages.New(index, files))
	if source.Behind, err = tellLacking(dir, index); err != nil {
		return nil, nil, errors.Join(err, shut())
	}
	return source, shut, nil
}

func sourceBeside(dir collection.Dir) (*selection.Source, func() error, error) {
	running, err := cdxserver.At(dir)
	if err != nil {
		return nil, nil, err
	}
	source, err := selection.Ask(running, dir)
	if err != nil {
		return nil, nil, err
	}
	return source, source.Files().Close, nil
}

// withSource lets do work on a collection. If a recorder begins or ends meanwhile, or something is
// removed, do begins anew: what it has done must be of no account then.
func withSource(dir collection.Dir, do func(*selection.Source) error) error {
	for left := mostBeginnings; ; left-- {
		source, shut, err := openSource(dir)
		if err != nil {
			return err
		}
		if err = errors.Join(do(source), shut()); left == 0 || !isOver(err) {
			return explainRead(err, dir)
		}
	}
}

// mostBeginnings is how often work on a collection begins anew, since others open and close it.
const mostBeginnings = 10

// isOver reports that an error says that the collection has to be opened anew, or read elsewhere.
func isOver(err error) bool {
	for _, over := range []error{collection.ErrLocked, store.ErrReplaced, cdxserver.ErrNobody,
		cdxserver.ErrBrokeOff} {
		if errors.Is(err, over) {
			return true
		}
	}
	return false
}

// behind is the error of a command that has done its step with what there is of a collection, when
// its index lacks something, as was said.
func behind(step string, source *selection.Source) error {
	if !source.Behind {
		return nil
	}
	return fmt.Errorf("%s: not all that was recorded is in the index, see above", step)
}
