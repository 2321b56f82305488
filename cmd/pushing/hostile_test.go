package pushing

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"warcorder/store/objects/gateway"
)

// TestDropEnds: a bucket that has a part of every name is not asked for all that numbers can count to, and
// nothing is taken away there.
func TestDropEnds(t *testing.T) {
	var asked, other atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1); r.Method != http.MethodHead {
			other.Add(1)
		}
		w.Header().Set("ETag", `"e"`)
		w.Header().Set("Content-Length", "1")
	}))
	defer server.Close()
	gateway.Use(t, server.URL)
	target, err := ParseTarget("parquet=s3://" + gateway.Bucket + "/table")
	if err != nil {
		t.Fatal(err)
	}
	p := newCollection(t).push(target)
	w := fileParts{table: &table{Push: p}, ctx: context.Background(), file: "a.warc.gz"}
	want := "s3://" + gateway.Bucket + "/table says that it has more than 10000 parts of a.warc.gz"
	if err := w.drop(mostParts - 100); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	if asked.Load() > 101 || other.Load() > 0 {
		t.Errorf("%d requests, %d of them not for a head", asked.Load(), other.Load())
	}
}
