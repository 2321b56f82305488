package pushing

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warcorder/store/delta"
)

// TestTableLeftover: what a push that was killed has left beside a part goes when the part is written again,
// and nothing else does: no row is there twice, and no file that the reader of a table does not know.
func TestTableLeftover(t *testing.T) {
	t.Parallel()
	c, dir := newCollection(t), t.TempDir()
	c.add("a.warc.gz", 10, false)
	p := c.push(tableIn(t, dir))
	if err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	at, err := pushedAt(p.Kept)
	if err != nil {
		t.Fatal(err)
	}
	parts := filepath.Join(dir, "crawl=news", "subset=warc")
	left := filepath.Join(parts, ".part-a.warc.gz-00000.parquet."+at.table)
	foreign := filepath.Join(parts, ".part-a.warc.gz-00000.parquet.0123456789abcdef")
	for _, path := range []string{left, foreign} {
		if err := os.WriteFile(path, []byte("half a part"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.add("a.warc.gz", 10, true)
	if err := c.push(p.Target).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got, want := rowsIn(t, dir), c.exported(); len(got) != 20 || !slices.Equal(got, want) {
		t.Errorf("%d rows, %d lines", len(got), len(want))
	}
	entries, err := os.ReadDir(parts)
	if err != nil || len(entries) != 2 || entries[0].Name() != filepath.Base(foreign) {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestTableBreaksOff: a push of a table that ends anywhere, with an error of the source or because it is to
// end, leaves whole parts and a token file that is true: the next one has all rows once.
func TestTableBreaksOff(t *testing.T) {
	t.Parallel()
	for after := 0; after < 24; after += 3 {
		c, dir := newCollection(t), t.TempDir()
		c.add("a.warc.gz", 3, true)
		if err := c.push(tableIn(t, dir)).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		c.add("a.warc.gz", 5, true)
		c.add("b.warc.gz", 5, true)
		broken, ctx := c.push(tableIn(t, dir)), context.Background()
		n := 0
		broken.Source = func(ctx context.Context, w io.Writer, ask delta.Ask, began func(delta.Token)) (
			delta.Done, error) {
			return c.lines(ctx, &breaking{w, &n, after}, ask, began)
		}
		if err := broken.Run(ctx); err != nil && !errors.Is(err, errBroken) {
			t.Fatal(err)
		}
		if err := c.push(broken.Target).Run(ctx); err != nil {
			t.Fatal(after, err)
		}
		if got, want := rowsIn(t, dir), c.exported(); len(got) != 13 || !slices.Equal(got, want) {
			t.Errorf("after %d: %d rows, %d lines", after, len(got), len(want))
		}
		hidden, err := filepath.Glob(filepath.Join(dir, "*", "*", ".part*"))
		if err != nil || len(hidden) > 0 {
			t.Error(hidden, err)
		}
	}
}

var errBroken = errors.New("it breaks")

// breaking takes so many lines and no more.
type breaking struct {
	out   io.Writer
	n     *int
	after int
}

func (b *breaking) Write(p []byte) (int, error) {
	if *b.n += strings.Count(string(p), "\n"); *b.n > b.after {
		return 0, errBroken
	}
	return b.out.Write(p)
}
