package admin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"warcorder/recorder"
)

// RecordPage is a page that writes what is posted to it as a record that is no exchange. The query
// says what the record is:
//
//	type            resource, metadata or conversion
//	uri             WARC-Target-URI
//	date            WARC-Date, as in RFC 3339; now if it is missing
//	refers-to       ID of the record that it is about
//	concurrent-to   ID of a record of the same event
//
// Content-Type and body are the record's. The answer comes when the record is on disk and in the
// index: 201, with its ID. A body may have at most maxBody bytes (0: any number), and any time as
// long as patience does not pass between two pieces. Who may ask is not looked at here.
//
// It is the one page that does more than show what it was given: a record is checked, taken piece
// by piece, and given up or waited for, which only the recorder can do. So it is the one page that
// knows the recorder.
func RecordPage(rec *recorder.Recorder,
	limits func() (maxBody int64, patience time.Duration)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maxBody, patience := limits()
		page := recordPage{rec, maxBody, patience, http.NewResponseController(w)}
		written, refused := page.write(w, r)
		if refused != nil {
			refused.writeJSON(w)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		out := json.NewEncoder(w)
		out.SetEscapeHTML(false) // an ID is in angle brackets
		out.Encode(map[string]any{
			"recordID": written.RecordID, "date": written.Date.UTC().Format(recordDate),
			"file": written.File, "offset": written.Offset,
		})
	})
}

const recordDate = "2006-01-02T15:04:05.000000Z"

// recordPage is one request to write a record.
type recordPage struct {
	rec      *recorder.Recorder
	maxBody  int64
	patience time.Duration
	conn     *http.ResponseController
}

// refusalPatience is how long what is still on its way may take, behind a refusal.
const refusalPatience = 5 * time.Second

// write writes the record, or says why not.
func (p *recordPage) write(w http.ResponseWriter, r *http.Request) (recorder.Written, *refusal) {
	if err := p.rec.Ready(); err != nil {
		return recorder.Written{}, &refusal{503, "warcorder is not recording at the moment: " +
			err.Error() + ". Try again when the operator has seen to it."}
	}
	e := p.rec.BeginExtra()
	err := describe(e, r)
	if err == nil {
		err = e.Check()
	}
	if err != nil {
		e.Discard()
		return recorder.Written{}, &refusal{400, "The record was not written: " + err.Error() + "."}
	}
	if refused := p.read(w, r, e); refused != nil {
		e.Discard()
		return recorder.Written{}, refused
	}
	written, err := e.Write(r.Context())
	if err != nil {
		return written, &refusal{503, "The record could not be written: " + err.Error() + "."}
	}
	return written, nil
}

// describe takes from a request all of a record but its block.
func describe(e *recorder.Extra, r *http.Request) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return fmt.Errorf("the query is malformed: %w", err)
	}
	for name, values := range query {
		if len(values) > 1 {
			return fmt.Errorf("%s is there twice", name)
		}
		switch value := values[0]; name {
		case "type":
			e.Type = value
		case "uri":
			e.URI = value
		case "refers-to":
			e.RefersTo = recordID(value)
		case "concurrent-to":
			e.ConcurrentTo = recordID(value)
		case "date":
			if e.Date, err = time.Parse(time.RFC3339, value); err != nil || e.Date.IsZero() {
				return fmt.Errorf("the date %q is not like 2006-01-02T15:04:05Z", value)
			}
		default:
			return fmt.Errorf("there is no parameter %q: say type, uri, date, refers-to, concurrent-to",
				name)
		}
	}
	if kinds := r.Header.Values("Content-Type"); len(kinds) > 1 {
		return errors.New("Content-Type is there twice")
	}
	e.ContentType = strings.TrimSpace(r.Header.Get("Content-Type"))
	return nil
}

// recordID puts the angle brackets of WARC around an ID that has none.
func recordID(id string) string {
	if id == "" || strings.HasPrefix(id, "<") {
		return id
	}
	return "<" + id + ">"
}

// read reads the block. It may take any time, as long as something comes.
func (p *recordPage) read(w http.ResponseWriter, r *http.Request, e *recorder.Extra) *refusal {
	tooLong := &refusal{413, fmt.Sprintf(
		"The record was not written: it is longer than max-body-size, %d bytes.", p.maxBody)}
	body := r.Body
	if p.maxBody > 0 {
		if r.ContentLength > p.maxBody {
			return tooLong
		}
		body = http.MaxBytesReader(w, body, p.maxBody)
	}
	_, err := io.Copy(keeper{&e.Block}, &patient{body, p.conn, p.patience})
	if err == nil {
		return nil
	}
	if isTimeout(err) {
		return &refusal{408, "The record was not written: nothing more of it came within timeout-idle."}
	}
	p.conn.SetReadDeadline(time.Now().Add(refusalPatience))
	var unkept *keepError
	switch {
	case errors.As(err, &unkept):
		return &refusal{503, "warcorder cannot keep the record: " + unkept.err.Error() + "."}
	case errors.As(err, new(*http.MaxBytesError)):
		return tooLong
	}
	return &refusal{400, "The record was not written: its body broke off."}
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &n) && n.Timeout()
}

// patient gives each piece of a body its own time.
type patient struct {
	body     io.Reader
	conn     *http.ResponseController
	patience time.Duration
}

func (p *patient) Read(b []byte) (int, error) {
	p.conn.SetReadDeadline(time.Now().Add(p.patience))
	return p.body.Read(b)
}

// keeper tells what cannot be kept from what cannot be read.
type keeper struct{ block io.Writer }

func (k keeper) Write(p []byte) (int, error) {
	n, err := k.block.Write(p)
	if err != nil {
		err = &keepError{err}
	}
	return n, err
}

// keepError is a piece of a record that could not be kept.
type keepError struct{ err error }

func (e *keepError) Error() string { return e.err.Error() }
