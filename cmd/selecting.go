package cmd

import (
	"errors"
	"fmt"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/readback"
	"warcorder/store/selection"
)

// selectionFlags say which part of a collection a command works on.
type selectionFlags struct {
	URL   string   `name:"url" placeholder:"URL"`
	Match string   `enum:"exact,prefix,host,domain" default:"exact" placeholder:"HOW"`
	From  string   `placeholder:"TS"`
	To    string   `placeholder:"TS"`
	Page  string   `placeholder:"URL"`
	Files []string `name:"file" sep:"none" placeholder:"FILE"`
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

// openSource opens a collection to read parts of it, and says on standard error what its index
// lacks.
func openSource(dir collection.Dir) (*selection.Source, func() error, error) {
	index, err := store.OpenReadOnly(dir.Index())
	if err != nil {
		return nil, nil, explainRead(err, dir)
	}
	files := readback.New(dir, index)
	shut := func() error { return errors.Join(files.Close(), index.Close()) }
	source := selection.New(index, files)
	if source.Behind, err = tellLacking(dir, index); err != nil {
		return nil, nil, errors.Join(err, shut())
	}
	return source, shut, nil
}

// behind is the error of a command that has done its step with what there is of a collection, when
// its index lacks something, as was said.
func behind(step string, source *selection.Source) error {
	if !source.Behind {
		return nil
	}
	return fmt.Errorf("%s: not all that was recorded is in the index, see above", step)
}
