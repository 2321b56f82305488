package lately

import (
	"context"
	"errors"
	"testing"
)

// TestLeaving: who leaves while a look is under way ends no look: it is done, from no new beginning, for
// the next one who asks.
func TestLeaving(t *testing.T) {
	r := startRecording(t)
	r.get("http://site.example/", document, answer(200, html, "a page"))
	began, goOn := make(chan struct{}, 100), make(chan struct{})
	r.Lately.Settle = func(ctx context.Context) error {
		began <- struct{}{}
		<-goOn
		return r.Recorder.Settle(t.Context())
	}
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := r.Lately.list(ctx, ask{limit: 9})
		left <- err
	}()
	<-began
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("who has left is told %v", err)
	}
	close(goOn)
	got, err := r.Lately.list(t.Context(), ask{limit: 9})
	if err != nil || len(got.Pages) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if v, err := r.look(t.Context()); err != nil || v.Begun != 1 {
		t.Errorf("begun %d times, %v", v.Begun, err)
	}
}
