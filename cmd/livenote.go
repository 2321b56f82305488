package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"warcorder/recorder"
	"warcorder/recorder/record"
	"warcorder/store/lately"
)

// notePath is where the live page keeps a note on a page: a form's page, by its ID, and text. It is
// answered when the note is in the index.
const notePath = "/live/note"

// maxNoteForm is how long that form may be: each byte of the text may be three.
const maxNoteForm = 3*lately.MostNote + 4<<10

// noted is what notePath answers.
type noted struct {
	RecordID string    `json:"recordID"`
	Date     time.Time `json:"date"`
	File     string    `json:"file"`
	Offset   int64     `json:"offset"`
}

func (s *serving) writeNote(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxNoteForm)
	err := r.ParseForm()
	if errors.As(err, new(*http.MaxBytesError)) {
		err = errLongNote
	}
	if err == nil {
		err = checkNote(r.PostForm)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	written, err := s.note(r.Context(), r.PostForm.Get("page"), r.PostForm.Get("text"))
	switch {
	case errors.Is(err, lately.ErrNoPage):
		refuse(w, http.StatusNotFound, err)
	case err != nil:
		refuse(w, http.StatusServiceUnavailable, fmt.Errorf("the note was not written: %w", err))
	default:
		answer(w, http.StatusCreated, noted{written.RecordID, written.Date.UTC(), written.File, written.Offset})
	}
}

var errLongNote = fmt.Errorf("a note has %d KiB at most: write two", lately.MostNote>>10)

// checkNote refuses a form that has no note.
func checkNote(form url.Values) error {
	for name, values := range form {
		if name != "page" && name != "text" || len(values) > 1 {
			return errors.New("say page, the ID of a page, and text, the note, each once")
		}
	}
	text := form.Get("text")
	switch {
	case form.Get("page") == "":
		return errors.New("page is missing: the ID of a page, as the list of pages has it")
	case strings.TrimSpace(text) == "":
		return errors.New("text is missing: the note")
	case len(text) > lately.MostNote:
		return errLongNote
	case !utf8.ValidString(text):
		return errors.New("the note is no text in UTF-8")
	}
	return nil
}

// note writes a note on a page.
func (s *serving) note(ctx context.Context, page, text string) (written recorder.Written, err error) {
	if err := s.rec.Ready(); err != nil {
		return written, err
	}
	uri, of, err := s.lately.Subject(ctx, page)
	if err != nil {
		return written, err
	}
	e := s.rec.BeginExtra()
	e.Type, e.URI, e.RefersTo, e.ContentType = record.Metadata, uri, of, lately.NoteType
	e.Block.Write([]byte(text)) // Write returns its error
	return e.Write(ctx)
}
