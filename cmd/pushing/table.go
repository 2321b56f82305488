package pushing

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"warcorder/store/delta"
	"warcorder/store/extsort"
)

// table is a push to a table: a part for each WARC file.
//
//	crawl=NAME/subset=warc/part-FILE-00000.parquet
//
// A delta says which WARC files have changed. The part of each of them is written anew, with all lines
// that the file has by then: so a part that is written twice is there once, and what is void is not there
// any more. Of a file whose lines are too long for one part there are more, with other numbers.
//
// Parts have an ID, which the token file has too: what another push has written is never written over.
type table struct {
	*Push
	at   pushed
	sent Sent
}

const idBytes = 8

// all writes the parts of what has come.
func (t *table) all(ctx context.Context) error {
	for {
		t.sent = Sent{}
		err := t.round(ctx)
		if err == nil {
			t.Sent(t.sent)
			return nil
		}
		if !isChanged(err) || ctx.Err() != nil {
			return err
		}
	}
}

// round writes the parts of one delta. The token file has it when all of them are there.
func (t *table) round(ctx context.Context) (err error) {
	if t.at, err = pushedAt(t.Kept); err != nil {
		return err
	}
	if t.at.until != nil || t.at.table == "" && !t.at.since.IsZero() {
		return fmt.Errorf("%s is of a push to a server: name another --token-file", t.Kept)
	}
	sorter := &extsort.Sorter{Dir: t.TempDir}
	defer func() { err = errors.Join(err, sorter.Close()) }()
	changed := &changes{sorter: sorter, isNew: func(file string) bool { return !t.at.since.Has(file) }}
	until, err := t.take(ctx, delta.Ask{Since: t.at.since, Finished: t.Finished}, changed)
	if err != nil {
		return err
	}
	if len(changed.files) > 0 {
		// all lines of these files, by a token which says that nothing of them was given
		all := &changes{sorter: sorter, isNew: func(file string) bool { return changed.files[file] }}
		_, err := t.take(ctx, delta.Ask{Since: until.Without(changed.files), Until: &until}, all)
		if err != nil {
			return err
		}
	}
	if err := t.begin(); err != nil {
		return err
	}
	if err := t.write(ctx, sorter, changed.files); err != nil {
		return err
	}
	return t.keep(pushed{since: until, table: t.at.table})
}

// take has the source write a delta, and returns its token.
func (t *table) take(ctx context.Context, ask delta.Ask, to *changes) (until delta.Token, err error) {
	_, err = t.lines(ctx, to, ask, func(now delta.Token) { until = now })
	if err == nil {
		err = to.end()
	}
	return until, err
}

// begin gives the table an ID, if it has none, before there is a part that has it.
func (t *table) begin() error {
	if t.at.table != "" {
		return nil
	}
	id := make([]byte, idBytes)
	rand.Read(id) // never has an error
	t.at.table = hex.EncodeToString(id)
	return t.keep(t.at)
}

// write writes the parts of all files of which there are lines, and takes away those of the others that
// have changed.
func (t *table) write(ctx context.Context, sorter *extsort.Sorter, changed map[string]bool) error {
	lines, err := sorter.Sorted()
	if err != nil {
		return err
	}
	left := maps.Clone(changed)
	for lines.More() {
		text, err := lines.Text()
		if err != nil {
			return err
		}
		file, _ := fileOf(text)
		w := fileParts{table: t, ctx: ctx, file: file, replaces: t.at.since.Has(file)}
		if err := w.write(lines); err != nil {
			return err
		}
		delete(left, file)
	}
	for _, file := range slices.Sorted(maps.Keys(left)) {
		w := fileParts{table: t, ctx: ctx, file: file}
		if err := w.drop(0); err != nil {
			return err
		}
	}
	return nil
}
