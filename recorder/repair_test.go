package recorder

import (
	"github.com/rs/zerolog"

	"warcorder/recorder/recovery"
	"warcorder/store/collection"
)

// rebuilt is Rebuild for a collection that is recorded with that configuration.
func rebuilt(cfg Config, dir string, log zerolog.Logger, progress recovery.Progress) (recovery.Found, error) {
	cfg.Progress = progress
	return recovery.Rebuild(cfg.recovery(), collection.Dir(dir), log)
}

// added is Index for such a collection.
func added(cfg Config, dir string, paths []string, copies bool, log zerolog.Logger,
	progress recovery.Progress) ([]recovery.Added, error) {
	cfg.Progress = progress
	return recovery.Add(cfg.recovery(), collection.Dir(dir), paths, copies, log)
}

// recovered is Recover for such a collection.
func recovered(cfg Config, dir string, log zerolog.Logger, progress recovery.Progress) (Recovered, error) {
	cfg.Progress = progress
	return Recover(cfg, collection.Dir(dir), log)
}
