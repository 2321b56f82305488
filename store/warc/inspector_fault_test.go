//go:build faults

package warc

import (
	"fmt"
	"testing"

	"warcorder/store/fault"
)

// TestBrokenEncoder breaks package deflate at each piece that it makes, one after another. No
// member that is inflated again comes out wrong, and klauspost/compress makes all that follow.
func TestBrokenEncoder(t *testing.T) {
	for name, body := range map[string][]byte{
		"small": textBody(5000), "encoded": encodedBody(5000), "none": nil,
		"text": textBody(maxInspected + 200_000), "large encoded": encodedBody(maxInspected + 1),
	} {
		for _, stored := range []bool{false, true} {
			for _, first := range []int{1, 2, 3, 10} {
				t.Run(fmt.Sprintf("%s/stored %t/%d", name, stored, first), func(t *testing.T) {
					checkBroken(t, newRecord(1, body), stored, first)
				})
			}
		}
	}
}

// checkBroken breaks what is made from the pass numbered first on.
func checkBroken(t *testing.T, record testRecord, stored bool, first int) {
	told := 0
	c := &Compressor{Inspector: &Inspector{Failed: func(error) { told++ }}}
	c.Exchange(true)
	passed := failPoint(t, fault.Deflate, first, 1<<30)
	way := -1
	if stored {
		way = 2
	}
	for range 5 {
		checkMember(t, c.Append(nil, record.parts(), way), record.text())
		checkMember(t, streamed(t, c, record, stored), record.text())
	}
	if told != 1 || c.Inspector.Err() == nil {
		t.Errorf("told %d times: %v", told, c.Inspector.Err())
	}
	if *passed > first+maxInspected/maxStored+1 {
		t.Errorf("package deflate has gone on: it made %d pieces", *passed)
	}
}
