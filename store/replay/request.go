package replay

import (
	"io"
	"net/http"
	"strings"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
)

// asked is a request, as far as the archive needs it.
//
// Its keys are made by what makes those of a capture, so that the same request has the same keys.
type asked struct {
	method string
	url    string    // as a record has it: record.TargetURI
	head   head      // as the client sent it
	at     time.Time // the nearest to it is wanted; zero: the latest

	// keys are those of the capture that this request would become: URL, Method ("" for a GET),
	// URLKey, RequestBody, QueryKey, and what the configuration asks for beside them.
	keys store.Capture

	index       *current
	keyer       *store.Keyer
	contentType string
	body        []byte // without its transfer coding; of one above canon.MaxBody its beginning
	whole       bool   // body is all of it
	walked      int    // captures that were looked at for what rules say
	weighed     int    // bytes of what was sent with them
	beyond      bool   // there were others

	// What a redirect leads to is looked up as a request of its own: comesBack.
	via      []string // the URLs that have led there
	followed *followed
}

// ask reads a request. The error is a read error of body.
func ask(index *current, keyer *store.Keyer, method, url string, start []byte, body io.Reader) (
	*asked, error) {
	h := record.ParseHead(start)
	if body == nil {
		body = strings.NewReader("")
	}
	entity, err := record.AskedBy(&h, body)
	if err != nil {
		return nil, err
	}
	r := &asked{method: method, url: record.TargetURI(url), head: head(start), index: index,
		keyer: keyer}
	r.keys, _ = record.CaptureOf(keyer, r.url, time.Time{}, entity, &record.Head{}, false, "")
	r.contentType, r.body = entity.ContentType, entity.Entity.Start
	request := entity.Request()
	r.whole = request.BodyLen == int64(len(r.body))
	return r, nil
}

// isGET reports whether what is asked for is a GET.
func (r *asked) isGET() bool { return r.keys.Method == "" }

// isWebSocket reports whether the request is to become a WebSocket.
func (r *asked) isWebSocket() bool { return hasOrAny(r.head.get("Upgrade"), "websocket") }

// urlKeyOf returns the URL key of a GET of a URL.
func (r *asked) urlKeyOf(url string) string { return r.keyer.Of(store.URLKey, url) }

// isForm reports whether the body is an urlencoded data set.
func (r *asked) isForm() bool {
	mime, _, _ := strings.Cut(r.contentType, ";")
	return r.whole && len(r.body) > 0 &&
		strings.EqualFold(strings.TrimSpace(mime), "application/x-www-form-urlencoded")
}

// acceptDatetime is the moment that the request asks for (RFC 7089 section 2.1.1). ok is false if
// there is a field that names none, which is to be answered with 400 (section 4.5).
func (h head) acceptDatetime() (at time.Time, ok bool) {
	value := h.get("Accept-Datetime")
	if value == "" {
		return at, !h.has("Accept-Datetime")
	}
	at, err := time.Parse(http.TimeFormat, value)
	return at, err == nil
}
