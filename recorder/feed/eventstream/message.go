package eventstream

import (
	"bytes"
	"encoding/json"
	"time"

	"warcorder/recorder/feed"
)

// appendMessage appends an event as it is sent: its ID, and one JSON object on one line, in which
// bytes that are no UTF-8 are U+FFFD.
func appendMessage(out *bytes.Buffer, e *feed.Numbered) {
	out.WriteString("id: " + string(e.ID) + "\ndata: ")
	to := json.NewEncoder(out) // which ends the line
	to.SetEscapeHTML(false)
	to.Encode(object(e)) // of texts and numbers: it cannot fail
	out.WriteByte('\n')
}

// What every object begins with.
type about struct {
	Kind string  `json:"kind"`
	ID   feed.ID `json:"id"`
	TS   string  `json:"ts"` // RFC 3339, in UTC, with microseconds
}

// The objects, by kind.
type (
	capture struct {
		about
		URL        string `json:"url"`
		Host       string `json:"host"`
		Method     string `json:"method"`
		Status     int    `json:"status"`
		MIME       string `json:"mime"`
		Size       int64  `json:"size"`
		Length     int64  `json:"length"`
		MS         int64  `json:"ms"`
		Stored     string `json:"stored"`
		Truncated  bool   `json:"truncated"`
		Completion string `json:"completion,omitempty"`
		File       string `json:"file"`
		Offset     int64  `json:"offset"`
	}
	gap struct {
		about
		URL    string `json:"url"`
		Host   string `json:"host"`
		Reason string `json:"reason"`
		Detail string `json:"detail"`
		Count  int64  `json:"count,omitempty"`
	}
	file struct {
		about
		File  string `json:"file"`
		State string `json:"state"`
		Size  int64  `json:"size"`
	}
	note struct {
		about
		URL    string `json:"url"`
		MIME   string `json:"mime"`
		Size   int64  `json:"size"`
		Stored string `json:"stored"`
		File   string `json:"file"`
		Offset int64  `json:"offset"`
		Length int64  `json:"length"`
	}
	// removed is of a file, with what of it is where now, or of events.
	removed struct {
		about
		File   string          `json:"file,omitempty"`
		Stays  json.RawMessage `json:"stays,omitempty"`  // [[from, to, at]…]
		Events json.RawMessage `json:"events,omitempty"` // [[first, last]…], by number
	}
	missed struct {
		about
		Count int64 `json:"count"`
	}
)

// object is what an event is in JSON.
func object(e *feed.Numbered) any {
	a := about{e.Kind.String(), e.ID, time.UnixMicro(e.Time).UTC().Format("2006-01-02T15:04:05.000000Z")}
	switch e.Kind {
	case feed.Capture:
		return capture{a, e.URL, e.Host(), e.Method, e.Status, e.MIME, e.Size, e.Length, e.MS, e.Stored,
			e.Truncated, e.Completion, e.File, e.Offset}
	case feed.Gap:
		return gap{a, e.URL, e.Host(), e.Reason, e.Detail, e.Count}
	case feed.Files:
		return file{a, e.File, e.State, e.Length}
	case feed.Note:
		return note{a, e.URL, e.MIME, e.Size, e.Stored, e.File, e.Offset, e.Length}
	case feed.Removed:
		if e.State == "" {
			return removed{a, e.File, json.RawMessage(e.Detail), nil}
		}
		return removed{about: a, Events: json.RawMessage(e.Detail)}
	case feed.Missed:
		return missed{a, e.Count}
	}
	return a
}
