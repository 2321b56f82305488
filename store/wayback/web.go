package wayback

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"warcorder/canon"
	"warcorder/store"
	"warcorder/store/readback"
)

// The path of what was recorded is that of the Wayback Machine's for what is shown as it was
// stored:
//
//	/web/20260501120000id_/https://example.org/?a=b    of what was captured nearest to that second
//	/web/2026id_/…                                     nearest to the end of that year
//	/web/id_/…                                         the latest
//
// The Wayback Machine redirects to the second of the capture; pywb does not, and says it in
// Content-Location. So does this: redirects are left to those that were recorded.

// wanted is what such a path asks for.
type wanted struct {
	at  time.Time // the zero time is the latest
	url string
}

// parseWanted reads what stands behind /web/.
func parseWanted(text string) (wanted, error) {
	moment, target, found := strings.Cut(text, "/")
	digits, isRaw := strings.CutSuffix(moment, "id_")
	if !found || !isRaw || strings.Trim(digits, "0123456789") != "" || len(digits) > 14 {
		return wanted{}, errors.New("what was recorded is at /web/YYYYMMDDhhmmssid_/URL, with as many " +
			"digits of the time as you like, or none for the latest; nothing is rewritten here, so that other " +
			"forms (im_, js_, if_, none) are not known")
	}
	target, err := urlOf(target)
	if err != nil {
		return wanted{}, err
	}
	return wanted{momentOf(digits), target}, nil
}

// lastDigits are what is behind the digits that a time has not: the Wayback Machine takes the end
// of what it may mean, so that 2 is the latest, and 0 the oldest.
const lastDigits = "99991231235959"

// momentOf reads up to 14 digits. It is the middle of the second that 14 of them name.
func momentOf(digits string) time.Time {
	if digits == "" {
		return time.Time{}
	}
	if n := len(digits); n > 4 && n%2 == 1 {
		digits = digits[:n-1] // half of a number says nothing
	}
	all := digits + lastDigits[len(digits):]
	part := func(from, to int) int {
		n, err := strconv.Atoi(all[from:to])
		if err != nil {
			panic(err) // they are digits
		}
		return n
	}
	year, month, day := part(0, 4), part(4, 6), part(6, 8)
	if len(digits) < len("YYYYMMDD") {
		day = time.Date(year, time.Month(month+1), 0, 0, 0, 0, 0, time.UTC).Day()
	}
	// What was captured in this second is at most half of one away, and all else is further.
	return time.Date(year, time.Month(month), day, part(8, 10), part(10, 12), part(12, 14),
		499_000_000, time.UTC)
}

// urlOf returns the URL that stands at the end of a path. It may be escaped as a whole, as one must
// be that HTTP would not let stand there.
func urlOf(text string) (string, error) {
	if head := strings.ToLower(text[:min(len(text), 10)]); strings.HasPrefix(head, "http%3a") ||
		strings.HasPrefix(head, "https%3a") {
		plain, err := url.PathUnescape(text)
		if err != nil {
			return "", fmt.Errorf("the URL is escaped as a whole, and not well: %w", err)
		}
		text = plain
	}
	if text == "" {
		return "", errors.New("the path ends with the URL that is asked for, and there is none")
	}
	scheme, rest, found := strings.Cut(text, ":")
	switch {
	case !found || strings.ContainsAny(scheme, "./?") || isPort(rest):
		return "http://" + text, nil
	case strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, "//") &&
		(strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")):
		return scheme + ":/" + rest, nil // a proxy has made one slash of two
	}
	return text, nil
}

// isPort reports whether what follows a colon begins with the number of a port.
func isPort(text string) bool {
	number, _, _ := strings.Cut(text, "/")
	return number != "" && strings.Trim(number, "0123456789") == ""
}

// The bounds of a search: captures of the URL that are looked at, and that are opened.
const (
	mostLooked = 10_000
	mostOpened = 8
)

// found is the capture that was chosen.
type found struct {
	capture  store.Capture
	response *readback.Response // nil if there is none
	err      error              // why one that was nearer cannot be read
}

// find chooses the capture that is nearest, of those that show what was sent: no 304, and no part
// of something while there is a whole.
func (a *answering) find(in Reader, want wanted) (found, error) {
	var best found
	var part *store.Capture
	opened := 0
	key, _ := canon.SURT(want.url)
	a.of.settle(a.r.Context(), store.OfKey(store.URLKey, key))
	err := in.Index.Nearest(store.URLKey, key, want.at, mostLooked, func(c *store.Capture) bool {
		if a.r.Context().Err() != nil {
			return false
		}
		switch {
		case c.Method != "" || c.Status == http.StatusNotModified || c.Status > 0 && c.Status < 200:
			return true
		case c.Status == http.StatusPartialContent || c.Truncated:
			if part == nil {
				one := *c
				part = &one
			}
			return true
		}
		opened++
		return !best.open(in.Files, c) && opened < mostOpened
	})
	if err == nil && best.response == nil && part != nil {
		best.open(in.Files, part)
	}
	return best, err
}

// open opens a capture, and reports whether it can be shown.
func (f *found) open(files *readback.Files, c *store.Capture) bool {
	response, err := files.Response(c)
	if err == nil && (response.Status == http.StatusNotModified || response.Status < 200 ||
		response.Status > 999) {
		response.Close()
		return false
	}
	if err != nil {
		if f.err == nil {
			f.err = err
		}
		return false
	}
	f.capture, f.response = *c, response
	return true
}

// web answers with what was recorded.
func (a *answering) web(in Reader, text string) {
	want, err := parseWanted(text)
	if err != nil {
		refuse(a.w, http.StatusNotFound, err.Error())
		return
	}
	found, err := a.find(in, want)
	switch {
	case err != nil:
		a.w.Header().Set("Retry-After", "1")
		refuse(a.w, http.StatusServiceUnavailable, err.Error())
	case found.response != nil:
		defer found.response.Close()
		a.show(&found.capture, found.response)
	case found.err != nil:
		refuse(a.w, http.StatusBadGateway, "What was captured of this URL cannot be read: "+
			found.err.Error())
	default:
		refuse(a.w, http.StatusNotFound, fmt.Sprintf("No answer to a GET of %s was captured here. "+
			"What there is: %s/cdx?url=%s", want.url, a.base, url.QueryEscape(want.url)))
	}
}
