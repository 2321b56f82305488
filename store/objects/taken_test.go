package objects

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"warcorder/store/objects/gateway"
)

// TestTakenMeanwhile: what another one writes between the look and the upload is left as it is.
func TestTakenMeanwhile(t *testing.T) {
	server := gateway.Run(t)
	var heads atomic.Int32
	blind := opened(t, between(t, server.Endpoint, func(w http.ResponseWriter, r *http.Request) bool {
		return r.Method == http.MethodHead && heads.Add(1) == 1 && refuse(w, http.StatusNotFound, "")
	}, nil))
	for _, size := range []int{100, least + 1} {
		first, err := opened(t, server.Endpoint).Put(t.Context(), upload("raced", content(1, size)))
		if err != nil {
			t.Fatal(err)
		}
		heads.Store(0)
		if _, err := blind.Put(t.Context(), upload("raced", content(2, size))); !errors.Is(err, ErrTaken) {
			t.Errorf("%d bytes: %v", size, err)
		}
		if err := blind.verify(t.Context(), first); err != nil {
			t.Errorf("%d bytes, what was there: %v", size, err)
		}
		if err := blind.Delete(t.Context(), first.Bucket, first.Key, first.ETag); err != nil {
			t.Error(err)
		}
	}
}
