package replay

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/recorder"
	"warcorder/store"
)

// inFiles records exchanges, each in a file of its own.
func inFiles(t *testing.T, exchanges ...exchange) (*recording, []store.Capture) {
	t.Helper()
	r := archivedBy(t, Config{Explain: true}, func(c *recorder.Config) { c.WARCMaxSize = 1 })
	for _, x := range exchanges {
		r.add(x)
		r.settle()
	}
	var all []store.Capture
	err := r.index.Captures(store.Query{}, func(c *store.Capture) bool {
		all = append(all, *c)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(all); i++ {
		if all[i].File == all[i-1].File {
			t.Fatalf("two captures in %s", all[i].File)
		}
	}
	return r, all
}

// remove takes the file of a capture away.
func (r *recording) remove(c *store.Capture) {
	r.t.Helper()
	name := r.dir.WARC(c.File)
	if os.Remove(name) != nil && os.Remove(name+".open") != nil {
		r.t.Fatalf("%s cannot be removed", name)
	}
}

// TestFileAway: where the file of the nearest capture is away the next one answers, and where all
// are missing that is said.
func TestFileAway(t *testing.T) {
	r, all := inFiles(t, exchange{at: 1, text: "1"}, exchange{at: 2, text: "2"},
		exchange{at: 3, text: "3"})
	for _, left := range []string{"3", "2", "1"} {
		if _, text := r.ask(exchange{}); text != left {
			t.Errorf("%q, want %q", text, left)
		}
		r.remove(&all[len(all)-1])
		all = all[:len(all)-1]
	}
	answer, _ := r.ask(exchange{})
	if answer.status() != "404" || answer.first("X-Warcorder-Miss") != whyMissing {
		t.Errorf("without files: %s", answer)
	}
}

// TestManyAway: captures in a file that is missing are passed over, however many they are.
func TestManyAway(t *testing.T) {
	r, all := inFiles(t, exchange{at: 1, text: "1"}, exchange{at: 2, text: "2"})
	index := r.reopen()
	many := make([]store.Capture, 5*maxOpened)
	for i := range many {
		many[i] = all[1]
		many[i].Time = minute(3 + i)
	}
	if err := index.Commit(many, nil); err != nil {
		t.Fatal(err)
	}
	r.remove(&all[1])
	if _, text := r.ask(exchange{}); text != "1" {
		t.Errorf("%q", text)
	}
}

// TestNoOriginal: a revisit without its original is no answer.
func TestNoOriginal(t *testing.T) {
	body := strings.Repeat("body ", 1000)
	r, all := inFiles(t, exchange{at: 1, text: body}, exchange{at: 2, text: body})
	if all[1].MIME != "warc/revisit" {
		t.Fatalf("the second one is of the kind %s", all[1].MIME)
	}
	if _, text := r.ask(exchange{}); text != body {
		t.Errorf("with its original: %d bytes", len(text))
	}
	r.remove(&all[0])
	answer, _ := r.ask(exchange{})
	if answer.status() != "404" || answer.first("X-Warcorder-Miss") != whyNoOriginal {
		t.Errorf("without its original: %s", answer)
	}
	miss := r.Report().Documents[0].Misses[0]
	if miss.Why != whyNoOriginal || miss.Nearest.File != all[1].File {
		t.Errorf("the report has %+v", miss)
	}
}

// TestOriginalNowhere: a revisit of another tool, whose original is in no file, is no answer either.
func TestOriginalNowhere(t *testing.T) {
	s := stockOf(t, Config{Explain: true}, revisit(whole200(sized)))
	if g := s.get("GET"); g.status != 404 || g.header.Get("X-Warcorder-Miss") != whyNoOriginal {
		t.Errorf("%s: %v", g, g.header)
	}
}

// TestManyOrphans: revisits whose original is missing are passed over, however many they are.
func TestManyOrphans(t *testing.T) {
	body := strings.Repeat("body ", 1000)
	r, all := inFiles(t, exchange{text: "1"}, exchange{at: 1, text: body}, exchange{at: 2, text: body})
	index := r.reopen()
	r.again(index, all[2], 5*maxOpened, func(i int) time.Time { return minute(3 + i) })
	if _, text := r.ask(exchange{}); text != body {
		t.Errorf("with their original: %d bytes", len(text))
	}
	r.remove(&all[1])
	if answer, text := r.ask(exchange{}); text != "1" {
		t.Errorf("%s%.100q", answer, text)
	}
}

// TestDamagedForNow: that the size of a body could not be read is not remembered.
func TestDamagedForNow(t *testing.T) {
	body := noise(200 << 10)
	r := archived(t, Config{}, exchange{
		response: "HTTP/1.1 200 OK\nX: no length, as in a 304\nTransfer-Encoding: chunked",
		text:     fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)})
	var c store.Capture
	_, err := r.index.Under("", 1, func(found *store.Capture) bool {
		c = *found
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	path := r.dir.OpenWARC(c.File)
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ranged := exchange{fields: "Range: bytes=5-9\r\n", truncated: "it may break off"}
	middle := c.Offset + c.Length/2
	for _, damaged := range []bool{true, false} {
		bytes := slices.Clone(sound[middle:][:100])
		for i := range bytes {
			if damaged {
				bytes[i] ^= 0xff
			}
		}
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteAt(bytes, middle); err != nil {
			t.Fatal(err)
		}
		file.Close()
		answer, text := r.ask(ranged)
		if !damaged && (answer.status() != "206" || text != body[5:10]) {
			t.Errorf("sound again: %s%.100q", answer, text)
		}
	}
}

// TestDamaged: a record that is damaged where its head lies is no answer.
func TestDamaged(t *testing.T) {
	r, all := inFiles(t, exchange{at: 1, text: "1"}, exchange{at: 2, text: "2"})
	for i := len(all) - 1; i >= 0; i-- {
		if _, text := r.ask(exchange{}); text != all[i].Time.Format("4") {
			t.Errorf("before it is damaged: %q", text)
		}
		r.damage(&all[i])
	}
	answer, _ := r.ask(exchange{})
	if answer.status() != "404" || answer.first("X-Warcorder-Miss") != whyDamaged {
		t.Errorf("with its records damaged: %s", answer)
	}
}

// damage overwrites the beginning of a capture's record.
func (r *recording) damage(c *store.Capture) {
	r.t.Helper()
	name := r.dir.WARC(c.File)
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		if file, err = os.OpenFile(name+".open", os.O_WRONLY, 0); err != nil {
			r.t.Fatal(err)
		}
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte(strings.Repeat("\xff", 50)), c.Offset); err != nil {
		r.t.Fatal(err)
	}
}
