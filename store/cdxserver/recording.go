package cdxserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// RecordPath is the page that writes a record which is no exchange; who mounts it says how.
const RecordPath = "/record"

// Extra is a record that is no exchange: what of, and what it holds.
type Extra struct {
	Type, URI, ContentType string
	Date                   time.Time
	Block                  []byte
}

// Record has a record written, and returns when it is on disk and in the index. It may take as long
// as ctx allows.
func (r Recorder) Record(ctx context.Context, e Extra) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go r.watch(ctx, cancel)
	query := url.Values{
		"type": {e.Type}, "uri": {e.URI}, "date": {e.Date.UTC().Format(time.RFC3339Nano)},
	}
	page := url.URL{Scheme: "http", Host: reachable(r.Address), Path: RecordPath, RawQuery: query.Encode()}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, page.String(), bytes.NewReader(e.Block))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", e.ContentType)
	res, err := r.do(request, 0)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nobody(fmt.Errorf("write a record (process %d): %w", r.PID, err))
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		return r.refused(http.MethodPost, res)
	}
	return json.NewDecoder(res.Body).Decode(&struct{}{})
}
