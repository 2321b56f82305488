package recovery

import (
	"fmt"
	"strings"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/warc"
)

// foundResponse is a response or revisit record, whose capture is made when its exchange is whole.
type foundResponse struct {
	id, uri, digest string
	recordID        record.ID // id as the recorder writes it, if isOurs
	isOurs          bool      // whether id is spelled as the recorder spells IDs
	date            time.Time
	head            record.Head
	at              stretch
	revisit         bool
	truncated       bool            // whether it is a response, no revisit, with WARC-Truncated
	original        *store.Original // what revisits may say of it, if it answers a GET; nil if nothing
	refers          referral        // what a revisit says of its original
}

// foundRequest is a request record without a response.
type foundRequest struct {
	id string
	at stretch
}

// stretch is a part of a file, from an offset to the one behind its last byte.
type stretch struct{ from, to int64 }

// stretchOf is where a record that has been read lies in its file.
func stretchOf(rec *warc.Record) stretch {
	return stretch{rec.Offset, rec.Offset + rec.Length}
}

// dateOf reads the date of a record. A record without a good date is damage: its capture could not
// be found.
func dateOf(rec *warc.Record, file string) (time.Time, error) {
	date, err := time.Parse(time.RFC3339, rec.Header.Get("WARC-Date"))
	if err != nil {
		err = &warc.Damage{File: file, Offset: rec.Offset, Reason: fmt.Errorf("WARC-Date: %w", err)}
	}
	return date, err
}

// originalOf is what revisits may say of a response whose payload has the digest that it claims. It
// is nil if the response's header has what must not get into a record of ours, or is not spelled as
// the recorder spells it: with the keys of a file that somebody has made up, later responses would
// be stored as revisits of what nobody can find.
func originalOf(found *foundResponse, key store.OriginalKey, date string) *store.Original {
	o := &store.Original{
		Key: key, RecordID: found.recordID, Time: found.date.UTC().Truncate(time.Microsecond),
		Seconds: !strings.Contains(date, "."), Digest: found.digest, URL: found.uri,
	}
	written := string(record.AppendDate(nil, o.Time, o.Seconds)) // how the recorder writes the date
	if found.recordID.String() != found.id || written != date || !record.IsSound(o, time.Now()) {
		return nil
	}
	return o
}
