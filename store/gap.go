package store

import "time"

// Gap is an exchange, a connection, a file or a span of time of which nothing, or not all, could be
// recorded.
type Gap struct {
	Time time.Time `json:"time"`
	// of a span of time its end, with Time as its beginning; else zero
	Until  time.Time `json:"until,omitzero"`
	Reason string    `json:"reason"` // one of a small set of words: "upstream"
	// of the exchange; of a connection host:port, or the client's address if it came no further; of a
	// file its name; else ""
	URL    string `json:"url"`
	Detail string `json:"detail,omitempty"` // what happened, in words
}

// Gaps are what a collection lacks.
type Gaps struct {
	Counts map[string]int64 `json:"counts"` // by reason, since the index was made
	Latest []Gap            `json:"latest"` // newest first
}

// MaxGaps is how many gaps the index keeps one by one: the newest. The others are only counted.
const MaxGaps = 10_000
