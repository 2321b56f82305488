// Package packing packs a part of a collection into WACZ files: it joins what copies records (store/
// copying) with what writes the form (store/wacz), and gives titles and texts to pages. Start with
// [Package.Write], which writes one, or [Package.Files], which writes files, as many as it takes.
//
// Each file stands alone: the originals of its revisits are in it, with its own index and pages.
// What is split is split between WARC files, and a WARC file that is too long for a part between two
// seconds: shares.go.
//
// Invariant: a file has its name when it is whole, and those of one package have theirs together; an
// error or a cancelled context leaves what was there. Memory does not grow with what is packed: less
// than 100 MB, beside what is mapped of the index (.ci/interop/wacz.sh).
package packing

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"warcorder/store/copying"
	"warcorder/store/selection"
	"warcorder/store/wacz"
)

// Package is what is to be packed.
type Package struct {
	Source    *selection.Source
	Selection selection.Selection

	Title    string
	Software string // what packs, with its version
	Created  time.Time
	Text     bool   // pages have their texts
	Sign     bool   // anonymously, by a key that nobody keeps
	Cookies  bool   // the Cookie fields of requests stand in the index
	Rules    []byte // a JSON of rules for requests that differ by chance; nil is none
	TempDir  string

	// Split is how many bytes a file is not to exceed; 0 is any. One that has no more than the captures
	// of one second, or requests with long bodies, may.
	Split int64

	// OneWay says that nothing can be begun anew once something is written, as into a pipe. Beside a
	// recorder, which may end, all pages are known before the first byte then.
	OneWay bool

	// Progress, if not nil, is told how far it has come: with the records, in bytes; then with pages, in
	// their number and of an unknown total (-1), if they are not all read by then.
	Progress func(what string, done, total int64)

	key  *ecdsa.PrivateKey
	name string // of what is being written, without a suffix
}

// Report is what was packed.
type Report struct {
	Parts []wacz.Named // those of Write have no name
	List  string       // the path of the list of all; "" if there is none

	Captures, LeftOut, Pages, Others int64 // of all parts

	TooLong  int   // parts that are longer than Split
	Textless int64 // pages that have no text, since their part would be too long

	Orphans selection.Orphans // revisits whose original is not in the collection
	Away    copying.Faults    // captures that are not in the collection any more
	Damaged copying.Faults    // captures that lie before damage
}

// Write writes one WACZ, which may be a pipe; WARC files that are made of parts of others are called
// after name. Split does not count.
func (p *Package) Write(ctx context.Context, out io.Writer, name string) (Report, error) {
	var report Report
	if err := p.begin(); err != nil {
		return report, err
	}
	p.name = name
	plan, err := p.plan(ctx, p.Selection)
	if err != nil {
		return report, err
	}
	var part wacz.Part
	if plan.Captures == 0 {
		err = ErrNothing
	} else {
		part, err = p.part(ctx, &report, &share{p.Selection, plan}, out, "packed")
	}
	report.add(wacz.Named{Part: part})
	return report, errors.Join(err, plan.Close())
}

// ErrNothing says that nothing is selected.
var ErrNothing = errors.New("nothing is selected")

// begin makes the key.
func (p *Package) begin() (err error) {
	if p.Progress == nil {
		p.Progress = func(string, int64, int64) {}
	}
	if p.Sign && p.key == nil {
		p.key, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	}
	return err
}

// plan plans a part. WARC files that are made of parts of others are called after it, when it is
// written.
func (p *Package) plan(ctx context.Context, sel selection.Selection) (*copying.Plan, error) {
	has := make(map[string]bool)
	plan, err := copying.Make(ctx, p.Source, sel, copying.Options{Name: func(n int) string {
		base := p.name
		for has[fileName(base, n)] {
			base += "-"
		}
		return fileName(base, n)
	}})
	if err != nil {
		return nil, err
	}
	for _, f := range plan.Files {
		has[f.Name] = true
	}
	return plan, nil
}

func fileName(base string, n int) string { return fmt.Sprintf("%s-%05d.warc.gz", base, n+1) }

// add adds a part to the report.
func (r *Report) add(part wacz.Named) {
	r.Parts = append(r.Parts, part)
	r.Captures += part.Captures
	r.LeftOut += part.LeftOut
	r.Pages += part.Pages
	r.Others += part.Others
}

// settings are those of a WACZ.
func (p *Package) settings() wacz.Settings {
	return wacz.Settings{
		Title:    p.Title,
		Software: p.Software,
		Created:  p.Created,
		Key:      p.key,
		HasText:  p.Text,
		Rules:    p.Rules,
		TempDir:  p.TempDir,
		Hashed:   p.Split > 0,
	}
}
