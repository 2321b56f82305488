package recorder

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/recorder/recovery"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// rebuilt is Rebuild for a collection that is recorded with that configuration.
func rebuilt(
	cfg Config, dir string, log zerolog.Logger, progress recovery.Progress,
) (recovery.Found, error) {
	cfg.Progress = progress
	return recovery.Rebuild(cfg.recovery(), collection.Dir(dir), log)
}

// added is Add for such a collection.
func added(
	cfg Config, dir string, paths []string, copies bool, log zerolog.Logger,
	progress recovery.Progress,
) ([]recovery.Added, error) {
	cfg.Progress = progress
	return recovery.Add(cfg.recovery(), collection.Dir(dir), paths, copies, log)
}

// recovered is Recover for such a collection.
func recovered(
	cfg Config, dir string, log zerolog.Logger, progress recovery.Progress,
) (Recovered, error) {
	cfg.Progress = progress
	return Recover(cfg, collection.Dir(dir), log)
}

func recoverTwice(t *testing.T, dir string) {
	recoverOnly(t, dir)
	recoverOnly(t, dir)
}

// recoverOnly recovers a collection and leaves it closed. It returns the log.
func recoverOnly(t *testing.T, dir string) *logBuffer {
	t.Helper()
	log := new(logBuffer)
	if _, err := recovered(Config{}, dir, zerolog.New(log), nil); err != nil {
		t.Error(err)
	}
	return log
}

func rebuildOnly(t *testing.T, dir string) {
	t.Helper()
	if _, err := rebuilt(Config{}, dir, zerolog.Nop(), nil); err != nil {
		t.Fatal(err)
	}
}

// loseIndex removes the index, as somebody might while nothing is recorded.
func loseIndex(t *testing.T, dir string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, collection.IndexName)); err != nil {
		t.Fatal(err)
	}
}

// reopenWithoutIndex lets recovery make the index anew from the files.
func reopenWithoutIndex(t *testing.T, dir string, cfg Config) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, "index.bolt")); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "archive", "*.warc.gz"))
	for _, name := range names {
		if err := os.Rename(name, name+warc.OpenSuffix); err != nil {
			t.Fatal(err)
		}
	}
	open(t, dir, cfg).close()
}
