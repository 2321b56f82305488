package recovery

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/recorder/recovery/foreign"
	"warcorder/store/collection"
)

// bytesRead is how many bytes this process has read of files.
func bytesRead(t *testing.T) (n int64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err == nil {
		_, err = fmt.Sscanf(string(text), "rchar: %d", &n)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestManyOfOneName: files of one name and length that differ at their ends are read a few times each,
// not each as often as there are others.
func TestManyOfOneName(t *testing.T) {
	const count, size = 120, 256 << 10
	dir := collection.Dir(filepath.Join(t.TempDir(), "c"))
	if err := dir.Make(0); err != nil {
		t.Fatal(err)
	}
	head := string(foreign.Gzip(foreign.Files["warcio"][0])) + strings.Repeat("\x00", size)
	for _, want := range []string{"", " known"} {
		i, release, err := dir.NewImport()
		if err != nil {
			t.Fatal(err)
		}
		var brought []Brought
		for n := range count {
			path := filepath.Join(string(i), fmt.Sprint(n))
			write(t, path, fmt.Appendf(nil, "%s%06d", head, n))
			brought = append(brought, Brought{path, path, "data.warc.gz", "crawl"})
		}
		before := bytesRead(t)
		added, err := Import(Config{}, dir, i, brought, zerolog.Nop())
		if err != nil || len(added) != count || added[0].Known != (want != "") {
			t.Fatal(len(added), err)
		}
		if n := bytesRead(t) - before; n > 6*count*size {
			t.Errorf("%d MiB were read of %d MiB%s", n>>20, count*size>>20, want)
		}
		if err := release(); err != nil {
			t.Error(err)
		}
	}
}
