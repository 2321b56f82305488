package recovery

import (
	"fmt"
	"strings"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/warc"
)

// foundResponse is a response record of which the capture is to be made.
type foundResponse struct {
	id, uri, digest string
	recordID        record.ID // the ID, if it is one of ours
	isOurs          bool      // it is
	date            time.Time
	head            record.Head
	at              stretch
	revisit         bool
	original        *store.Original // what it is for revisits, if it answers a GET; nil if nothing
	refers          referral        // of a revisit
}

// foundRequest is a request record without a response.
type foundRequest struct {
	id string
	at stretch
}

// stretch is a part of a file.
type stretch struct{ from, to int64 }

func stretchOf(rec *warc.Record) stretch {
	return stretch{rec.Offset, rec.Offset + rec.Length}
}

// dateOf reads the date of a record. Without a good one it cannot be found.
func dateOf(rec *warc.Record, file string) (time.Time, error) {
	date, err := time.Parse(time.RFC3339, rec.Header.Get("WARC-Date"))
	if err != nil {
		err = &warc.Damage{File: file, Offset: rec.Offset, Reason: fmt.Errorf("WARC-Date: %w", err)}
	}
	return date, err
}

// originalOf is what revisits may say of a response whose payload was found to have its digest; nil
// if it has what must not get into a record of ours, or is not as we write it.
func originalOf(found *foundResponse, key store.OriginalKey, date string) *store.Original {
	o := &store.Original{
		Key: key, RecordID: found.recordID, Time: found.date.UTC().Truncate(time.Microsecond),
		Seconds: !strings.Contains(date, "."), Digest: found.digest, URL: found.uri,
	}
	if found.recordID.String() != found.id || string(record.AppendDate(nil, o.Time,
		o.Seconds)) != date || !record.IsSound(o, time.Now()) {
		return nil
	}
	return o
}
