//go:build faults

package removing

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store/collection"
	"warcorder/store/fault"
	"warcorder/store/selection"
)

// childDir is the environment variable that makes TestRemovalChild remove from a collection.
const childDir = "REMOVING_TEST_CHILD"

// secrets are what TestCrashRemoval removes.
var secrets = selection.Selection{URL: "https://example.com/secret"}

// settings are those of the recorder in the process that is killed.
func settings() recorder.Config {
	cfg := recorder.Default()
	cfg.CommitInterval, cfg.IndexInterval, cfg.MinFreeSpace = time.Millisecond, time.Millisecond, 0
	return cfg
}

// TestRemovalChild removes from a collection while it records, and says what it has recorded. It is
// the process that TestCrashRemoval lets end.
func TestRemovalChild(t *testing.T) {
	path := os.Getenv(childDir)
	if path == "" {
		return
	}
	r := &recording{t: t, cfg: settings(), dir: collection.Dir(path)}
	r.now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	r.open()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for i := range 1000 {
			url := fmt.Sprintf("https://example.com/live/%d", i)
			r.get(url, page(text("whisper"))) // as the secret says too
			fmt.Println("recorded", url)
		}
	}()
	done := r.remove(secrets, nil)
	fmt.Println("removed", done.Captures)
	<-ended
	r.close()
}

// pageLines are pages that an import has brought.
const pageLines = `{"format":"json-pages-1.0","id":"pages","title":"Pages of imports"}
{"ts":"2026-05-01T12:00:01.000000Z","url":"https://example.com/secret","id":"1","title":"The secret page"}
{"ts":"2026-05-01T12:00:02.000000Z","url":"https://example.com/other","id":"2","title":"The other page"}
`

// TestCrashRemoval ends a process that removes, and records meanwhile, at each step: behind that the
// collection is opened as whoever comes first does, and then all that was to go is there, or nothing;
// whatever else was there, and what was recorded, is shown as it was. In the end it is all gone.
func TestCrashRemoval(t *testing.T) {
	whole := start(t, nil)
	whole.fill()
	before := whole.all()
	whole.close()
	after := maps.Clone(before)
	maps.DeleteFunc(after, func(_ string, s shown) bool { return s.isOf([]string{"/secret"}) })
	write(t, whole.dir.CDXJ(), "com,example)/secret 20260501120001 {}\n")
	write(t, whole.dir.Index()+collection.OldSuffix, "https://example.com/secret")
	write(t, whole.dir.Pages(), pageLines)
	struck := map[fault.Point]bool{}
	n := 0
	for _, point := range fault.Removals {
		for _, hit := range []int{1, 2, 9} {
			r := &recording{t: t, cfg: settings(), dir: collection.Dir(filepath.Join(t.TempDir(), "c"))}
			if err := os.CopyFS(string(r.dir), os.DirFS(string(whole.dir))); err != nil {
				t.Fatal(err)
			}
			live, killed := r.child(fmt.Sprintf("kill %s %d", point, hit))
			if !killed {
				continue // there are not so many
			}
			struck[point] = true
			n++
			decided := slices.Index(fault.Removals, point) >= slices.Index(fault.Removals, fault.RemovePlanned)
			r.afterCrash(n, decided, before, after, live)
			if t.Failed() {
				t.Fatalf("at %s, hit %d", point, hit)
			}
		}
	}
	if len(struck) != len(fault.Removals) {
		t.Errorf("ended at %d points of %d: %v", len(struck), len(fault.Removals), struck)
	}
	t.Logf("%d ends", n)
}

// child lets a process remove, and returns what it has recorded, and whether a fault has ended it.
func (r *recording) child(faults string) (live []string, killed bool) {
	r.t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestRemovalChild$", "-test.v")
	cmd.Env = append(os.Environ(), childDir+"="+string(r.dir), fault.Variable+"="+faults)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	var said strings.Builder
	for lines := bufio.NewScanner(io.TeeReader(out, &said)); lines.Scan(); {
		if url, is := strings.CutPrefix(lines.Text(), "recorded "); is {
			live = append(live, url)
		}
		if strings.HasPrefix(lines.Text(), "removed ") { // the rest would take its time
			cmd.Process.Kill()
			cmd.Wait()
			return live, false
		}
	}
	exit := (*exec.ExitError)(nil)
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Exited() {
		r.t.Fatalf("%v: %s", err, said.String())
	}
	return live, true
}

// afterCrash holds a collection against what it must be.
func (r *recording) afterCrash(n int, decided bool, before, after map[string]shown, live []string) {
	r.t.Helper()
	switch n % 3 {
	case 1:
		if _, err := recorder.Recover(r.cfg, r.dir, zerolog.Nop()); err != nil {
			r.t.Fatal(err)
		}
	case 2:
		if _, err := recovery.Rebuild(recovery.Config{}, r.dir, zerolog.Nop()); err != nil {
			r.t.Fatal(err)
		}
	}
	r.open()
	defer func() { r.Recorder.Close() }()
	want := before
	if decided {
		want = after
	}
	r.sameWith(want, live)
	if !decided {
		r.now = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
		if done := r.remove(secrets, nil); done.Captures != 3 {
			r.t.Errorf("removed %+v", done)
		}
		r.sameWith(after, live)
	}
	for _, needle := range []string{"posted", "name=hush", "biscuit", "no answer from", "The secret"} {
		if names := r.found(needle); len(names) > 0 {
			r.t.Errorf("%q is still in %q", needle, names)
		}
	}
	if b, err := os.ReadFile(r.dir.Pages()); err != nil || !strings.Contains(string(b), "The other page") {
		r.t.Errorf("the list of pages has %s, %v", b, err)
	}
	if left, _ := filepath.Glob(string(r.dir) + "/*/*.rewritten"); len(left) > 0 {
		r.t.Errorf("left over: %q", left)
	}
	for _, path := range []string{r.dir.Removal(), r.dir.NewIndex(), r.dir.CDXJ(),
		r.dir.Index() + collection.OldSuffix} {
		if _, err := os.Lstat(path); err == nil {
			r.t.Errorf("%s is still there", path)
		}
	}
	r.verified()
}

// sameWith is same with what was recorded meanwhile, which must be there as it was.
func (r *recording) sameWith(want map[string]shown, live []string) {
	r.t.Helper()
	want = maps.Clone(want)
	seen := map[string]bool{}
	for key, s := range r.all() {
		if !strings.Contains(s.url, "/live/") {
			continue
		}
		seen[s.url], want[key] = true, s
		if s.body != text("whisper") {
			r.t.Errorf("%s is %.200q", s.url, s.body)
		}
	}
	for _, url := range live {
		if !seen[url] {
			r.t.Errorf("%s was recorded, and is not there", url)
		}
	}
	r.same(want)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
