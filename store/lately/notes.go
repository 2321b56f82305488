package lately

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"warcorder/canon"
	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/pages"
)

// Note is what somebody has noted about a page.
type Note struct {
	Time string `json:"ts"` // RFC 3339, in UTC, with microseconds
	Text string `json:"text"`
	At
}

// NoteType is the Content-Type of a note.
const NoteType = "text/plain; charset=utf-8"

// The bounds of notes. What does not fit is in the index all the same.
const (
	MostNote   = 64 << 10 // bytes of one
	mostNotes  = 100      // of a page: the newest
	mostRead   = 300      // notes on the URL that are looked at for one answer
	mostSaid   = 1 << 20  // bytes of all notes of an answer
	longestKey = 8 << 10  // bytes of a key by which the index finds something
)

// Subject returns the URI that a note on the page with an ID has, and the ID of the record that it
// refers to: of the page's document. The error is ErrNoPage if there is no such page.
func (l *Lately) Subject(ctx context.Context, id string) (uri, recordID string, err error) {
	v, err := l.look(ctx)
	if err != nil {
		return "", "", err
	}
	_, page, err := l.find(ctx, v, id)
	if err != nil {
		return "", "", err
	}
	uri = record.NoteURN + page.URL
	if key, _ := canon.SURT(uri); len(key) > longestKey {
		return "", "", fmt.Errorf("the URL of the page is too long for a note: %d bytes", len(page.URL))
	}
	recordID, err = l.recordID(page)
	return uri, recordID, err
}

// recordID is that of the document of a page.
func (l *Lately) recordID(page *pages.Page) (string, error) {
	r, err := l.files.Record(page.Capture.Location)
	if err != nil {
		return "", err
	}
	id := r.Header.Get("WARC-Record-ID")
	return id, r.Close()
}

// notes are those on a page, in the order of time: those at its URL that refer to its document, and not
// to that of another visit.
func (l *Lately) notes(ctx context.Context, page *pages.Page) ([]Note, error) {
	notes := []Note{}
	uri := record.NoteURN + page.URL
	found, err := l.Index.Newest(uri, mostRead, func(c *store.Capture) bool {
		return c.URL == uri && c.MIME == "text/plain"
	})
	if err != nil || len(found) == 0 {
		return notes, err
	}
	of, err := l.recordID(page)
	said := 0
	for i := 0; i < len(found) && err == nil && len(notes) < mostNotes && said < mostSaid; i++ {
		var note *Note
		if note, err = l.note(&found[i], of); note != nil {
			notes = append(notes, *note)
			said += len(note.Text)
		}
		err = errors.Join(err, ctx.Err())
	}
	if pages.IsOfRecord(err) {
		err = nil // the document is away
	}
	slices.Reverse(notes)
	return notes, err
}

// note reads a note; nil if it is on another record, or cannot be read.
func (l *Lately) note(c *store.Capture, of string) (*Note, error) {
	r, err := l.files.Record(c.Location)
	if pages.IsOfRecord(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if r.Type() != record.Metadata || r.Header.Get("WARC-Refers-To") != of {
		return nil, nil
	}
	text, err := io.ReadAll(io.LimitReader(r.Block, MostNote))
	if err != nil && len(text) == 0 {
		return nil, nil
	}
	return &Note{stamp(c.Time), strings.ToValidUTF8(string(text), "\uFFFD"), At{c.File, c.Offset}}, nil
}
