package recovery

import (
	"errors"
	"io"
	"strings"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/removal/tombstone"
	"warcorder/store/warc"
)

// findings are the captures that a scan has found in a file, and the damaged places.
type findings struct {
	file     string // base name
	keyer    *store.Keyer
	captures []store.Capture // found since the last ones were put into the index
	captured string          // ID of the last response, while its metadata record may come; or ""
	text     int64           // bytes of the texts in captures
	found    int             // captures that were put into the index
	reduced  bool            // there is the tombstone of a removal
	damaged  []Damaged       // the first maxDamaged places, and one that stands for all the others
}

// add adds a capture.
func (f *findings) add(c store.Capture) {
	f.captures, f.captured = append(f.captures, c), ""
	f.text += record.TextSize(&c)
}

// isFull reports whether the captures should go into the index now.
func (f *findings) isFull(group int) bool { return len(f.captures) >= group || f.text >= maxText }

// maxText is how many bytes of text the captures may hold that go into the index at once.
const maxText = 8 << 20

// forget drops the captures, which are in the index now, or are not needed.
func (f *findings) forget() {
	f.found += len(f.captures)
	clear(f.captures)
	f.captures, f.captured, f.text = f.captures[:0], "", 0
}

// completion returns the ID of the response that a record says no client has asked for; "" if it says
// nothing like that.
func completion(rec *warc.Record) (response string, err error) {
	h := rec.Header
	named := h.Get("WARC-Concurrent-To")
	if !strings.EqualFold(rec.Type(), "metadata") || h.Get("Content-Type") != record.FieldsType || named == "" {
		return "", nil
	}
	start := make([]byte, min(record.FactsStart, rec.Size))
	if _, err := io.ReadFull(rec.Block, start); err != nil || !record.IsCompletion(start) {
		return "", err
	}
	return named, nil
}

// completed notes that no client has asked for that response, if it is that of the last capture.
func (f *findings) completed(response string) {
	if n := len(f.captures); n > 0 && response != "" && response == f.captured {
		f.captures[n-1].Visit.Traits |= store.Aside
	}
}

// lookAt looks whether a record that has not been read is a tombstone.
func (f *findings) lookAt(rec *warc.Record) error {
	if f.reduced || !tombstone.MayBe(rec.Header) {
		return nil
	}
	start := make([]byte, min(tombstone.StartSize, rec.Size))
	_, err := io.ReadFull(rec.Block, start)
	f.reduced = err == nil && tombstone.Is(rec.Header, start)
	return err
}

// damages notes a damaged place.
func (f *findings) damages(d Damaged) {
	switch n := len(f.damaged); {
	case n < maxDamaged:
		f.damaged = append(f.damaged, d)
	case n == maxDamaged:
		d.Reason = errMore
		f.damaged = append(f.damaged, d)
	default:
		f.damaged[n-1].Bytes += d.Bytes
	}
}

// maxDamaged is how many damaged places of a file are listed; one more stands for all the others.
const maxDamaged = 1000

// errMore stands for the places that are not listed.
var errMore = errors.New("these bytes, and those of all places behind them that are not listed")
