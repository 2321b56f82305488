package replay

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"warcorder/store"
)

// TestOverRenewal: a request that meets the end of a removal is answered from the new index; one that meets
// it again and again is not asked for ever.
func TestOverRenewal(t *testing.T) {
	for _, test := range []struct {
		name            string
		replaced, asked int
		fails           bool
	}{{"never", 0, 1, false}, {"once", 1, 2, false}, {"always", 9, 2, true}} {
		t.Run(test.name, func(t *testing.T) {
			r, times := &asked{walked: 7, weighed: 7, beyond: true}, 0
			head, _, err := overRenewal(r, func() ([]byte, io.ReadCloser, error) {
				if times++; times <= test.replaced {
					return nil, nil, fmt.Errorf("look: %w", store.ErrReplaced)
				}
				return []byte("found"), nil, nil
			})
			again := r.walked == 0 && r.weighed == 0 && !r.beyond
			if times != test.asked || again != (test.asked > 1) ||
				errors.Is(err, store.ErrReplaced) != test.fails || !test.fails && string(head) != "found" {
				t.Errorf("%d times, %s, %v, %+v", times, head, err, r)
			}
		})
	}
}
