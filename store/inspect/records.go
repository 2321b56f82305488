package inspect

import (
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"warcorder/store"
	"warcorder/store/copying"
	"warcorder/store/warc"
)

// recordLine is what is told of one record of an exchange.
type recordLine struct {
	Type    string            `json:"type"`
	ID      string            `json:"id"`
	Offset  int64             `json:"offset"`
	Length  int64             `json:"length"`
	Digests map[string]string `json:"digests"`

	at store.Location
}

// mostWalked is how long a record may be, in bytes of its block, behind which others are looked for:
// where a file has no skip lengths it is read for that.
const mostWalked = 1 << 30

// members are where the records of an exchange lie, in their order; its own alone if the others cannot
// be found.
func (i *Inspector) members(c *store.Capture) []store.Location {
	own, err := i.files.Record(c.Location)
	if err != nil {
		return []store.Location{c.Location}
	}
	isLong := own.Size > mostWalked
	own.Close()
	if isLong {
		return []store.Location{c.Location}
	}
	all, err := copying.Members(i.files, c)
	if err != nil && len(all) == 0 {
		return []store.Location{c.Location}
	}
	return all
}

// recordsOf tells of the records of an exchange. One that cannot be read is left out.
func (i *Inspector) recordsOf(c *store.Capture) []recordLine {
	lines := []recordLine{}
	for _, at := range i.members(c) {
		r, err := i.files.Record(at)
		if err != nil {
			continue
		}
		line := recordLine{Type: r.Type(), ID: short(r.Header.Get("WARC-Record-ID")), Offset: at.Offset,
			Length: at.Length, Digests: map[string]string{}, at: at}
		for _, name := range []string{"WARC-Block-Digest", "WARC-Payload-Digest"} {
			if value := r.Header.Get(name); value != "" {
				line.Digests[name] = short(value)
			}
		}
		lines = append(lines, line)
		r.Close()
	}
	return lines
}

// inert is the policy of what was recorded.
const inert = "sandbox; default-src 'none'; frame-ancestors 'none'"

// serveRecord answers with the records of an exchange as they lie in their file, or with the heads of
// the capture's own as text.
func (i *Inspector) serveRecord(w http.ResponseWriter, a *asking) error {
	switch a.form.Get("as") {
	case "":
	case "text":
		return i.serveHeads(w, a)
	default:
		return badRequest("as is text, or not there: then the records come as they lie")
	}
	if a.form.Get("check") == "true" {
		return i.checkRecord(w, a.c.Location)
	}
	name := strings.TrimSuffix(strings.TrimSuffix(a.c.File, ".gz"), ".warc")
	h := w.Header()
	h.Set("Content-Type", "application/gzip")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment",
		map[string]string{"filename": plainName(name) + "-" + a.form.Get("offset") + warc.Suffix}))
	h.Set("Content-Security-Policy", inert)
	for _, at := range i.members(&a.c) {
		if err := i.copyRecord(w, at); err != nil {
			panic(http.ErrAbortHandler) // so that nobody takes a part for the whole
		}
	}
	return nil
}

// checkRecord answers as serveRecord does where the record cannot be read, and else that it can: a browser
// saves whatever a link leads to, and so can show an error instead.
func (i *Inspector) checkRecord(w http.ResponseWriter, at store.Location) error {
	r, err := i.files.Record(at)
	if err != nil {
		return err
	}
	r.Close()
	writeJSON(w, http.StatusOK, map[string]bool{"selected": true})
	return nil
}

// plainName is a name of a file with nothing in it that a system reads otherwise.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("-._", r) {
			return r
		}
		return '_'
	}, name[:min(len(name), 200)])
}

// copyRecord writes a record: the gzip member that it is, or in one of its own.
func (i *Inspector) copyRecord(w io.Writer, at store.Location) error {
	all, err := i.files.Range(at)
	if err != nil {
		return err
	}
	defer all.Close()
	if all.Layout == warc.GzipMembers {
		_, err = io.Copy(w, io.NewSectionReader(all, at.Offset, all.At().Length))
		return err
	}
	r, err := i.files.Record(at)
	if err != nil {
		return err
	}
	defer r.Close()
	out := gzip.NewWriter(w)
	_, err = out.Write(r.RawHeader())
	if err == nil {
		_, err = io.Copy(out, r.Block)
	}
	if err == nil {
		_, err = io.WriteString(out, "\r\n\r\n")
	}
	return errors.Join(err, out.Close())
}

// serveHeads answers with the WARC header and the HTTP head of the capture's record, as text.
func (i *Inspector) serveHeads(w http.ResponseWriter, a *asking) error {
	r, err := i.files.Record(a.c.Location)
	if err != nil {
		return err
	}
	text := string(r.RawHeader())
	if err := r.Close(); err != nil {
		return err
	}
	if m, err := i.files.Message(a.c.Location); err == nil {
		if !m.Made {
			text += string(m.Head)
		}
		m.Close()
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", inert)
	_, err = io.WriteString(w, strings.ToValidUTF8(text, "\uFFFD"))
	return err
}
