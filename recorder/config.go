package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"warcorder/store/warc"
)

// Config is what can be set about recording. A zero field stands for the default, but for MinFreeSpace, where it is a setting.
type Config struct {
	WARCPrefix     string        `name:"warc-prefix" help:"First part of the names of WARC files." default:"warcorder"`
	WARCMaxSize    int64         `name:"warc-max-size" help:"Size that a WARC file does not exceed, unless one exchange does." default:"1GB" type:"size"`
	WARCIdle       time.Duration `name:"warc-idle" help:"Time without exchanges after which a WARC file is finished." default:"10m"`
	CommitInterval time.Duration `name:"commit-interval" help:"Time that a finished exchange waits at most for others to share its sync." default:"50ms"`
	CommitSize     int64         `name:"commit-size" help:"Bytes of finished exchanges that are not kept waiting for others." default:"8MB" type:"size"`
	Sync           string        `name:"sync" help:"When WARC files and index are forced to disk: batch (many exchanges share it), always (one for each exchange), none (for scratch use: a power failure may cost the collection)." enum:"batch,always,none" default:"batch"`
	MinFreeSpace   int64         `name:"min-free-space" help:"Free space below which recording stops, before the disk is full; 0 does not look." default:"1GiB" type:"size"`
	QueueSize      int64         `name:"queue-size" help:"Bytes of exchanges that may wait to be recorded before clients are slowed." default:"64MB" type:"size"`

	Keys KeysConfig `embed:"" prefix:"keys-"`

	// Progress, if it is not nil, is told how far Open has come with what a crash has left.
	Progress Progress `kong:"-"`
}

// The values of Sync.
const (
	syncBatch  = "batch"
	syncAlways = "always"
	syncNone   = "none"
)

// withDefaults fills in what is not set.
func (c Config) withDefaults() (Config, error) {
	set := func(field *int64, value int64) { *field = cmp.Or(*field, value) }
	c.WARCPrefix, c.Sync = cmp.Or(c.WARCPrefix, "warcorder"), cmp.Or(c.Sync, syncBatch)
	set(&c.WARCMaxSize, 1e9)
	set((*int64)(&c.WARCIdle), int64(10*time.Minute))
	set((*int64)(&c.CommitInterval), int64(50*time.Millisecond))
	set(&c.CommitSize, 8e6)
	set(&c.QueueSize, 64e6)
	if !slices.Contains([]string{syncBatch, syncAlways, syncNone}, c.Sync) {
		return c, fmt.Errorf("sync: %q is none of batch, always, none", c.Sync)
	}
	if min(c.MinFreeSpace, c.WARCMaxSize, int64(c.WARCIdle), int64(c.CommitInterval), c.CommitSize, c.QueueSize) < 0 {
		return c, errors.New("a size or time of the recorder's settings is negative")
	}
	return c, warc.CheckPrefix(c.WARCPrefix)
}
