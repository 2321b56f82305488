package fromhar

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// entry is what we read of an entry of a HAR.
type entry struct {
	Page         string   `json:"pageref"`
	Started      string   `json:"startedDateTime"`
	Request      request  `json:"request"`
	Response     response `json:"response"`
	Address      string   `json:"serverIPAddress"`
	ResourceType string   `json:"_resourceType"`
	Messages     counted  `json:"_webSocketMessages"`
	Completion   string   `json:"_completion"` // of ours: what it is the whole of, for which no client has asked
}

type request struct {
	Method  string  `json:"method"`
	URL     string  `json:"url"`
	Headers fields  `json:"headers"`
	Body    *posted `json:"postData"`

	Truncated string `json:"_truncated"` // of ours: why it is not whole, as WARC-Truncated says it
}

type response struct {
	Status     int     `json:"status"`
	StatusText string  `json:"statusText"`
	Headers    fields  `json:"headers"`
	Content    content `json:"content"`

	Truncated string `json:"_truncated"`
}

type field struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Comment string `json:"comment"`
}

// posted is the body of a request.
type posted struct {
	Type     string `json:"mimeType"`
	Text     string `json:"text"`
	Encoding string `json:"encoding"`
	Params   fields `json:"params"`
	File     string `json:"_file"`
}

// content is the body of a response, without its codings.
type content struct {
	Size     float64 `json:"size"`
	Type     string  `json:"mimeType"`
	Text     string  `json:"text"`
	Encoding string  `json:"encoding"`
	File     string  `json:"_file"`  // of Playwright: the name of a file that is attached
	Coded    bool    `json:"_coded"` // of ours: the content coding is not taken off
}

// ErrNoHAR says that a JSON is no HAR.
var ErrNoHAR = errors.New("it is no HAR")

// read reads all of a HAR.
func (h *har) read(in io.Reader) error {
	limited := &limited{in: in, left: MaxEntry}
	text := bufio.NewReaderSize(limited, 64<<10)
	const mark = "\xef\xbb\xbf" // of tools on Windows
	if start, _ := text.Peek(len(mark)); string(start) == mark {
		text.Discard(len(mark))
	}
	r := &reader{har: h, limited: limited, json: json.NewDecoder(&spaces{in: text})}
	found := false
	err := r.object(func(name string) error {
		if name != "log" {
			return r.pass()
		}
		found = true
		return r.object(r.log)
	})
	if err == nil && !found {
		err = ErrNoHAR
	}
	if errors.Is(err, errTooLong) {
		err = fmt.Errorf("%s is longer than %d MiB: record it again with bodies in files of their own "+
			"(Playwright: content: 'attach'), or leave it out", r.where(), MaxEntry>>20)
	} else if err != nil {
		err = fmt.Errorf("%s: %w", r.where(), err)
	}
	return err
}

// reader reads the JSON of a HAR.
type reader struct {
	*har
	limited *limited
	json    *json.Decoder
	entry   bool // whether it reads an entry
}

func (r *reader) where() string {
	if r.entry {
		return fmt.Sprintf("entry %d", r.report.Entries)
	}
	return fmt.Sprintf("the JSON behind %d entries", r.report.Entries)
}

// log reads what the log has under a name.
func (r *reader) log(name string) error {
	switch name {
	case "version":
		return r.decode(&r.version)
	case "creator":
		return r.decode(&r.creator)
	case "browser":
		return r.decode(&r.browser)
	case "pages":
		return r.array(func() error {
			var p page
			if err := r.decode(&p); err != nil {
				return err
			}
			r.pages.add(p)
			return nil
		})
	case "entries":
		return r.array(r.one)
	}
	return r.pass()
}

// one reads an entry, and makes records of it.
func (r *reader) one() error {
	r.entry = true
	var e entry
	err := r.value(&e)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		r.skip(r.report.Entries, e.Request.URL, "has a "+wrong.Field+" that is none")
		err = nil
	} else if errors.Is(err, errFields) {
		r.skip(r.report.Entries, e.Request.URL, "has a head or a form of more than 10,000 fields")
		err = nil
	} else if err == nil {
		err = r.take(&e)
	}
	if err != nil {
		return err
	}
	r.entry = false
	r.report.Entries++
	return nil
}

// value reads a value of at most MaxEntry bytes.
func (r *reader) value(to any) error {
	r.limited.left = MaxEntry
	return r.json.Decode(to)
}

// decode is value for what need not be there: of another type it counts as if it were not.
func (r *reader) decode(to any) error {
	err := r.value(to)
	if errors.As(err, new(*json.UnmarshalTypeError)) {
		return nil
	}
	return err
}

// maxDepth is how deep what is passed over may be nested: the decoder keeps each level.
const maxDepth = 1000

// pass passes over a value.
func (r *reader) pass() error {
	for depth := 0; ; {
		r.limited.left = MaxEntry
		token, err := r.json.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			if depth++; depth > maxDepth {
				return fmt.Errorf("it is nested deeper than %d levels", maxDepth)
			}
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// object reads an object; value reads what it has under a name.
func (r *reader) object(value func(name string) error) error {
	if err := r.begin('{'); err != nil {
		return err
	}
	for r.more() {
		name, err := r.json.Token()
		if err != nil {
			return err
		}
		if err := value(name.(string)); err != nil {
			return err
		}
	}
	return r.end()
}

// array reads an array; value reads the next of its values.
func (r *reader) array(value func() error) error {
	if err := r.begin('['); err != nil {
		return err
	}
	for r.more() {
		if err := value(); err != nil {
			return err
		}
	}
	return r.end()
}

func (r *reader) begin(delim json.Delim) error {
	r.limited.left = MaxEntry
	token, err := r.json.Token()
	if err == nil && token != delim {
		err = fmt.Errorf("%w: %v where %v is to be", ErrNoHAR, token, delim)
	}
	return err
}

func (r *reader) more() bool {
	r.limited.left = MaxEntry
	return r.json.More()
}

func (r *reader) end() error {
	_, err := r.json.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// limited reads left bytes, a few at a time: who reads ahead does not read far.
type limited struct {
	in   io.Reader
	left int
}

var errTooLong = errors.New("too long")

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLong
	}
	n, err := l.in.Read(p[:min(len(p), l.left, 64<<10)])
	l.left -= n
	return n, err
}
