//go:build unix

package cmd

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"warcorder/store/lately"
)

// TestLiveNote: a note that is kept from the live page is on the page that it is on, and on no other
// visit; it is handed on and removed with the page, and the page's newest capture is still the page.
func TestLiveNote(t *testing.T) {
	t.Parallel()
	site, p, one := opensVisited(t, "/ page", "/ page")
	pages := one.seesPages(2)
	id := pages[0].ID
	for form, why := range map[string]string{
		"": "page is missing", "page=" + id: "text is missing", "page=" + id + "&text=+%0a": "text is missing",
		"page=" + id + "&text=a&url=b": "each once", "page=" + id + "&text=a&text=b": "each once",
		"page=" + id + "&text=%ff": "UTF-8", "page=" + id + "&text=" + strings.Repeat("x", lately.MostNote+1): "64 KiB",
		"page=" + id + "&text=" + strings.Repeat("x", maxNoteForm): "64 KiB",
	} {
		values, _ := url.ParseQuery(form)
		if said := one.does(400, notePath, values, nil); !strings.Contains(said, why) {
			t.Errorf("%.80s: %s", form, said)
		}
	}
	one.does(404, notePath, url.Values{"page": {"20260101000000-0123456789abcdef"}, "text": {"x"}}, nil)
	stranger := &person{t: t, at: one.at}
	if res := stranger.ask("POST", notePath, "cors", url.Values{"page": {id}, "text": {"x"}}); res.StatusCode < 400 {
		t.Errorf("who has no cookie writes: %s", res.Status)
	}
	text := "<b>seen</b>,\nmüde " + strings.Repeat("x", lately.MostNote-100)
	var kept noted
	one.does(201, notePath, url.Values{"page": {id}, "text": {text}}, &kept)
	var page struct {
		Notes     []lately.Note
		Exchanges []lately.At
	}
	one.sees(livePagePath+"?id="+id, &page)
	var exchange struct{ Page string }
	document := page.Exchanges[0] // which has been seen; the note is, a second later
	one.sees(fmt.Sprintf("/live/exchange?file=%s&offset=%d", document.File, document.Offset), &exchange)
	if exchange.Page != id {
		t.Errorf("the document belongs to %q, not to %s", exchange.Page, id)
	}
	if len(page.Notes) != 1 || page.Notes[0].Text != text || page.Notes[0].File != kept.File ||
		page.Notes[0].Offset != kept.Offset || !strings.HasPrefix(kept.RecordID, "<urn:uuid:") {
		t.Errorf("%+v %.200v", kept, page)
	}
	one.sees(livePagePath+"?id="+pages[1].ID, &page)
	if len(page.Notes) != 0 {
		t.Errorf("the note is on another visit: %.200v", page)
	}
	note := `"url":"urn:note:` + site + `/"`
	if lines := p.page("/live/download?format=cdxj&page=" + id); strings.Count(lines, note) != 1 {
		t.Errorf("the page is handed on without its note: %s", lines)
	}
	lines := p.page("/export?url=" + site + "/")
	if strings.Contains(lines, "urn:") || strings.Count(lines, "\n") != 2 {
		t.Errorf("the note is a capture of the page: %s", lines)
	}
	if lines := p.page("/export?url=urn:note:" + site + "/"); strings.Count(lines, note) != 1 {
		t.Errorf("the note is not found by its URL: %s", lines)
	}
	if code := p.stop(); code != 0 {
		t.Fatal(code, p.stderr)
	}
	if out, errs, code := p.run("verify"); code != 0 {
		t.Error(out, errs)
	}
	if out, errs, code := p.run("rebuild"); code != 0 || strings.Count(linesIn(t, p.dir), note) != 1 {
		t.Error(out, errs)
	}
	if out, errs, code := p.run("remove", "--url", site+"/", "--yes"); code != 0 ||
		strings.Contains(linesIn(t, p.dir), "urn:note:") {
		t.Errorf("the note has stayed: %s%s", out, errs)
	}
}
