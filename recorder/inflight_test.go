package recorder

import "testing"

// TestInFlight: an exchange goes on from its begin until it is committed or forgotten.
func TestInFlight(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	defer c.close()
	forgotten := c.Begin()
	kept := c.begin("http://example.com/", exampleRequest, page(200, "text/plain", "", "text"))
	for n, end := range []func(){func() {}, forgotten.Discard, kept.Commit, func() { c.BeginExtra() }} {
		end()
		if got, want := c.Status().InFlight, max(0, int64(2-n)); got != want {
			t.Errorf("after %d ends %d go on, want %d", n, got, want)
		}
	}
}
