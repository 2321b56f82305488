//go:build unix

package shared

import (
	"testing"
	"time"

	"warcorder/recorder/shared/server"
	"warcorder/store"
)

// TestStall: a server that stops while it is used costs patience, and is used again when it goes on.
func TestStall(t *testing.T) {
	t.Parallel()
	s := server.Start(t)
	o := opened(t, s.URL(), withdrawnIn(t))
	until(t, "up", func() bool { return o.Status().Up })
	s.Pause()
	began := time.Now()
	o.Ask([]store.OriginalKey{{1}}, map[store.OriginalKey]*store.Original{}, false)
	if took := time.Since(began); took > 100*patience || o.Status().Failed != 1 {
		t.Errorf("it took %v: %+v", took, o.Status())
	}
	s.Resume()
	until(t, "up again", func() bool { return o.Status().Up })
}
