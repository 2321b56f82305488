package recorder

import (
	"errors"

	"github.com/rs/zerolog"

	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
)

// Recovered is what Recover has found and done.
type Recovered struct {
	recovery.Found
	Spilled Spilled // what lay in spill/
}

// Recover brings the files and the index of a collection that nobody records into agreement, as
// Open does, and records what a crash has left in spill/. It returns an error that wraps
// collection.ErrLocked if the collection is in use, and one that wraps ErrNoCollection if there is
// none.
func Recover(cfg Config, dir collection.Dir, log zerolog.Logger) (Recovered, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return Recovered{}, err
	}
	keyer, err := store.NewKeyer(cfg.Keys)
	if err != nil {
		return Recovered{}, err
	}
	if dir, err = dir.Abs(); err != nil {
		return Recovered{}, err
	}
	repair := cfg.recovery()
	repair.NoSync = false
	opened, err := recovery.Repair(repair, dir, log)
	if err != nil {
		return Recovered{Found: opened.Found}, err
	}
	r, err := newRecorder(&cfg, dir, keyer, opened, log)
	if err != nil {
		return Recovered{Found: opened.Found}, err
	}
	spilled, err := r.recoverSpilled(&cfg)
	return Recovered{opened.Found, spilled}, errors.Join(err, r.Close())
}
