package recorder

import (
	"cmp"
	"errors"
	"time"

	"warcorder/store/warc"
)

// Config is what can be set about recording. A zero field stands for the default.
type Config struct {
	WARCPrefix     string        `name:"warc-prefix" help:"First part of the names of WARC files." default:"warcorder"`
	WARCMaxSize    int64         `name:"warc-max-size" help:"Size that a WARC file does not exceed, unless one exchange does." default:"1GB" type:"size"`
	WARCIdle       time.Duration `name:"warc-idle" help:"Time without exchanges after which a WARC file is finished." default:"10m"`
	CommitInterval time.Duration `name:"commit-interval" help:"Time that a finished exchange waits at most for others to share its sync." default:"50ms"`
	CommitSize     int64         `name:"commit-size" help:"Bytes of finished exchanges that are not kept waiting for others." default:"8MB" type:"size"`
	QueueSize      int64         `name:"queue-size" help:"Bytes of exchanges that may wait to be recorded before clients are slowed." default:"64MB" type:"size"`

	Keys KeysConfig `embed:"" prefix:"keys-"`
}

// withDefaults fills in what is not set.
func (c Config) withDefaults() (Config, error) {
	set := func(field *int64, value int64) { *field = cmp.Or(*field, value) }
	c.WARCPrefix = cmp.Or(c.WARCPrefix, "warcorder")
	set(&c.WARCMaxSize, 1e9)
	set((*int64)(&c.WARCIdle), int64(10*time.Minute))
	set((*int64)(&c.CommitInterval), int64(50*time.Millisecond))
	set(&c.CommitSize, 8e6)
	set(&c.QueueSize, 64e6)
	if min(c.WARCMaxSize, int64(c.WARCIdle), int64(c.CommitInterval), c.CommitSize, c.QueueSize) < 0 {
		return c, errors.New("a size or time of the recorder's settings is negative")
	}
	return c, warc.CheckPrefix(c.WARCPrefix)
}
