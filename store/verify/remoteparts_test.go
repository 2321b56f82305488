package verify_test

import (
	"runtime"
	"strings"
	"testing"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/holdings/awaytest"
	"warcorder/store/objects/gateway"
	"warcorder/store/verify"
)

// TestRemotePartsOfNothing: parts of one byte of which nobody has noted the sums cost no memory, whether
// an index or a note says that there are some.
func TestRemotePartsOfNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		parts  []store.Sum
		noted  bool // by the note, too
		refuse string
	}{
		{"by the index", nil, false, ""},
		{"by the index, with a sum", make([]store.Sum, 1), false, ""},
		{"by a note", nil, true, "parts of 1 bytes do not make"},
	} {
		t.Run(c.name, func(t *testing.T) {
			held := copied{storage: gateway.Start(t), dir: t.TempDir()}
			const size = 3 << 20
			record(t, recorder.Config{}, held.dir, []exchange{{url: "http://example.com/", request: get,
				response: page(randomBytes(size))}})
			remote := sendWithParts(t, held.dir, c.parts, c.noted)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			found, err := held.check(t)
			runtime.ReadMemStats(&after)
			if err != nil || found.Bytes < remote.Size {
				t.Errorf("%+v, %v", found, err)
			}
			if taken := after.TotalAlloc - before.TotalAlloc; taken > 8*size { // 32 bytes of each byte were 96 MiB
				t.Errorf("%d bytes were taken for an object of %d", taken, remote.Size)
			}
			refused := 0
			for _, f := range found.all {
				if f.Code == verify.Read && c.refuse != "" && strings.Contains(f.Text, c.refuse) {
					refused++
				} else {
					t.Errorf("%+v", f)
				}
			}
			if (refused == 1) != (c.refuse != "") {
				t.Errorf("the note was refused %d times", refused)
			}
		})
	}
}

// sendWithParts sends the one file of a collection away, with parts of a byte by the index, and by the note.
func sendWithParts(t *testing.T, at string, parts []store.Sum, noted bool) *store.Remote {
	t.Helper()
	dir := collection.Dir(at)
	index := must(store.Open(dir.Index(), store.Options{}))
	defer index.Close()
	name := must(index.Files())[0].Name
	remote := *awaytest.Send(t, dir, index, name)
	remote.PartSize, remote.Parts = 1, parts
	err := index.SetRemote(name, &remote)
	if err == nil && noted {
		err = dir.WriteNote(dir.AwayNote(name), 0, &remote)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &remote
}
