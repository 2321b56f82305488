package lately

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"warcorder/recorder"
	"warcorder/recorder/record"
)

// note records a record that may be a note on a page, which refers to another one, a millisecond behind
// the one before: the index has no order within one.
func (r *recording) note(kind, uri, of, mime, text string) {
	r.t.Helper()
	e := r.BeginExtra()
	e.Type, e.URI, e.RefersTo, e.ContentType = kind, uri, of, mime
	r.now = r.now.Add(time.Millisecond)
	e.Date = r.now
	io.WriteString(&e.Block, text)
	if err := e.Commit(); err != nil {
		r.t.Fatal(err)
	}
}

// notesOn are the texts of the notes on a page.
func (r *recording) notesOn(id string) (texts []string) {
	r.t.Helper()
	if err := r.Settle(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	for _, note := range askFor[detail](r, r.page, url.Values{"id": {id}}).Notes {
		texts = append(texts, note.Text)
	}
	return texts
}

// TestNotes: a page has the notes that refer to its document, in the order of time; not those on another
// visit, and nothing that only looks like one. They belong to it, and nothing lacks for them.
func TestNotes(t *testing.T) {
	const site = "http://site.example/"
	r := startRecording(t)
	r.get(site, document, answer(200, html, "<title>First</title>"))
	r.get(site, document, answer(200, html, "<title>Second</title>"))
	pages := r.newest().Pages
	if len(pages) != 2 {
		t.Fatalf("%+v", pages)
	}
	uri, second, err := r.Subject(t.Context(), pages[0].ID)
	if err != nil || uri != "urn:note:"+site {
		t.Fatal(uri, err)
	}
	_, first, err := r.Subject(t.Context(), pages[1].ID)
	if err != nil || first == second {
		t.Fatal(first, second, err)
	}
	r.note(record.Metadata, uri, second, NoteType, "one\r\n\xff</p>")
	r.note(record.Metadata, uri, first, NoteType, "on the first")
	r.note(record.Metadata, uri, second, NoteType, "two")
	r.note(record.Metadata, uri, second, "text/html", "no text")
	r.note(record.Metadata, "urn:NOTE:"+site, second, NoteType, "another URI")
	r.note(record.Metadata, uri, "", NoteType, "on nothing")
	r.note(recorder.Resource, uri, "", NoteType, "a resource")
	r.note(record.Metadata, uri, second, NoteType, strings.Repeat("x", MostNote+9))
	got := r.notesOn(pages[0].ID)
	if len(got) != 3 || got[0] != "one\r\n\uFFFD</p>" || got[1] != "two" || len(got[2]) != MostNote {
		t.Errorf("%.100q", got)
	}
	if got := r.notesOn(pages[1].ID); len(got) != 1 || got[0] != "on the first" {
		t.Errorf("%.100q", got)
	}
	for _, page := range pages {
		for _, x := range askFor[detail](r, r.page, url.Values{"id": {page.ID}}).Exchanges {
			if id, err := r.PageAt(t.Context(), x.File, x.Offset); id != page.ID || err != nil {
				t.Errorf("%s is said to belong to %q: %v", x.URL, id, err)
			}
		}
	}
	if id, err := r.PageAt(t.Context(), "none", 0); id != "" || err != nil {
		t.Error(id, err)
	}
	if newest := r.newest().Pages; len(newest) != 2 || !newest[0].Whole || newest[0].Resources < 4 {
		t.Errorf("%+v", newest)
	}
}

// TestManyNotes: an answer has the newest notes alone, and reads no more than so many, however many there
// are on other visits; and no note is taken where none would be found again.
func TestManyNotes(t *testing.T) {
	const site = "http://site.example/"
	r := startRecording(t)
	r.get(site, document, answer(200, html, "<title>A page</title>"))
	r.get(site+strings.Repeat("a", longestKey), document, answer(200, html, ""))
	pages := r.newest().Pages
	uri, of, err := r.Subject(t.Context(), pages[1].ID)
	if err != nil {
		t.Fatal(err)
	}
	for n := range mostNotes + 5 {
		r.note(record.Metadata, uri, of, NoteType, fmt.Sprint(n))
	}
	if got := r.notesOn(pages[1].ID); len(got) != mostNotes || got[0] != "5" || got[mostNotes-1] != "104" {
		t.Errorf("%q", got)
	}
	for range mostSaid/MostNote + 3 {
		r.note(record.Metadata, uri, of, NoteType, strings.Repeat("x", MostNote))
	}
	if got := r.notesOn(pages[1].ID); len(got) != mostSaid/MostNote {
		t.Errorf("%d notes", len(got))
	}
	before := "<urn:uuid:00000000-0000-4000-8000-000000000000>"
	for range mostRead {
		r.note(record.Metadata, uri, before, NoteType, "on another")
	}
	if got := r.notesOn(pages[1].ID); len(got) != 0 {
		t.Errorf("%d notes behind %d on others", len(got), mostRead)
	}
	if _, _, err := r.Subject(t.Context(), pages[0].ID); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Error(err)
	}
	if _, _, err := r.Subject(t.Context(), "none"); err != ErrNoPage {
		t.Error(err)
	}
}
