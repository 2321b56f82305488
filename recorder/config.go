package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warcorder/recorder/outside"
	"warcorder/recorder/record"
	"warcorder/recorder/recovery"
	"warcorder/recorder/shared"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// Config is what can be set about recording. The zero Config records as Default does, but for two
// fields whose zero is a setting: MinFreeSpace and Dedup.MinSize.
type Config struct {
	WARCPrefix  string        // first part of the names of WARC files
	WARCName    string        // pattern of their names, see warc.CheckPattern
	WARCMaxSize int64         // bytes that a WARC file does not exceed, unless one exchange does
	WARCIdle    time.Duration // without exchanges, after which a WARC file is finished
	WARCMaxAge  time.Duration // at which a WARC file is finished in any case; 0 is no limit

	CommitInterval time.Duration // that a finished exchange waits at most for others to share its sync
	IndexInterval  time.Duration // that captures on disk wait at most to share an index transaction
	CommitSize     int64         // bytes of finished exchanges that wait for no others
	Sync           string        // batch, always or none
	MinFreeSpace   int64         // bytes below which recording stops; 0 does not look
	QueueSize      int64         // bytes of exchanges that may wait before clients are slowed

	Mode collection.Mode // who may read and write what is made of a collection

	WARCVersion   string // 1.0 or 1.1
	Digest        string // sha1 or sha256
	PayloadDigest string // wire or entity
	NoSL          bool   // leaves the skip lengths (field sl) out of the gzip members

	WARCInfo record.WARCInfo
	Dedup    record.DedupConfig

	// DedupFrom names other archives, the originals of which are referred to: directories of
	// collections, and URLs of CDX servers.
	DedupFrom []string

	// DedupShared is the URL of a Redis or Valkey server by which recorders share their originals; "" is
	// none. DedupTTL is how long the server keeps one; 0 is for good.
	DedupShared string
	DedupTTL    time.Duration

	sharedPatience time.Duration // for an answer of it; 0 is the usual one

	Keys store.KeysConfig

	// Progress, if it is not nil, is told how far Open has come with what a crash has left.
	Progress recovery.Progress
}

// Default is the configuration that an operator has who sets nothing. An index transaction may wait
// longer than a sync, for whoever reads the index sees without it what is on disk.
func Default() Config {
	return Config{
		WARCPrefix:     "warcorder",
		WARCName:       warc.DefaultPattern,
		WARCMaxSize:    1e9,
		WARCIdle:       10 * time.Minute,
		CommitInterval: 50 * time.Millisecond,
		IndexInterval:  time.Second,
		CommitSize:     8e6,
		Sync:           syncBatch,
		MinFreeSpace:   1 << 30,
		QueueSize:      64e6,
		Mode:           collection.DefaultMode,
		WARCVersion:    "1.1",
		Digest:         "sha1",
		PayloadDigest:  "wire",
		Dedup:          record.DefaultDedup(),
	}
}

// MaxHead is the length in bytes of the longest head of a message that is recorded as one. A proxy
// lets no longer one pass.
const MaxHead = record.MaxHead

// The values of Sync.
const (
	syncBatch  = "batch"
	syncAlways = "always"
	syncNone   = "none"
)

// withDefaults fills in what is zero and cannot be meant, and refuses what else cannot be meant.
func (c Config) withDefaults() (Config, error) {
	d := Default()
	c.WARCPrefix = cmp.Or(c.WARCPrefix, d.WARCPrefix)
	c.WARCName = cmp.Or(c.WARCName, d.WARCName)
	c.WARCMaxSize = cmp.Or(c.WARCMaxSize, d.WARCMaxSize)
	c.WARCIdle = cmp.Or(c.WARCIdle, d.WARCIdle)
	c.CommitInterval = cmp.Or(c.CommitInterval, d.CommitInterval)
	c.IndexInterval = cmp.Or(c.IndexInterval, d.IndexInterval)
	c.CommitSize = cmp.Or(c.CommitSize, d.CommitSize)
	c.Sync = cmp.Or(c.Sync, d.Sync)
	c.QueueSize = cmp.Or(c.QueueSize, d.QueueSize)
	c.Mode = cmp.Or(c.Mode, d.Mode)
	c.WARCVersion = cmp.Or(c.WARCVersion, d.WARCVersion)
	c.Digest = cmp.Or(c.Digest, d.Digest)
	c.PayloadDigest = cmp.Or(c.PayloadDigest, d.PayloadDigest)
	var err error
	if c.Dedup, err = c.Dedup.WithDefaults(); err != nil {
		return c, err
	}
	return c, c.check()
}

// check refuses settings that cannot be meant.
func (c *Config) check() error {
	for _, choice := range []struct{ name, value, of string }{
		{"sync", c.Sync, "batch,always,none"},
		{"warc-version", c.WARCVersion, "1.0,1.1"},
		{"digest", c.Digest, "sha1,sha256"},
		{"payload-digest", c.PayloadDigest, "wire,entity"},
	} {
		if err := oneOf(choice.name, choice.value, choice.of); err != nil {
			return err
		}
	}
	sizes := min(c.MinFreeSpace, c.WARCMaxSize, c.CommitSize, c.QueueSize)
	times := min(c.WARCIdle, c.WARCMaxAge, c.CommitInterval, c.IndexInterval)
	if sizes < 0 || times < 0 {
		return errors.New("a size or time of the recorder's settings is negative")
	}
	if len(c.DedupFrom) > 0 && c.Dedup.Dedup == record.DedupOff {
		return errors.New("dedup-from names archives, and with dedup: off nothing is looked for: leave " +
			"one of the two out")
	}
	if c.DedupShared != "" && c.Dedup.Dedup == record.DedupOff {
		return errors.New("dedup-shared names a server, and with dedup: off nothing is looked for: leave " +
			"one of the two out")
	}
	if c.DedupTTL < 0 || c.DedupTTL > 0 && c.DedupTTL < time.Second {
		return errors.New("dedup-ttl: write 0s for no end, or 1s or more")
	}
	return errors.Join(c.Mode.Check(), shared.Check(c.DedupShared), outside.Check(c.DedupFrom),
		warc.CheckPrefix(c.WARCPrefix),
		warc.CheckPattern(c.WARCName), c.WARCInfo.Check())
}

// oneOf returns an error unless value is one of a list that is joined by commas.
func oneOf(name, value, list string) error {
	if slices.Contains(strings.Split(list, ","), value) {
		return nil
	}
	return fmt.Errorf("%s: %q is none of %s", name, value, strings.ReplaceAll(list, ",", ", "))
}

// recovery is what a recovery must know.
func (c *Config) recovery() recovery.Config {
	return recovery.Config{
		Keys: c.Keys, Dedup: c.Dedup, Style: *c.style(), Mode: c.Mode,
		NoSync: c.Sync == syncNone, Progress: c.Progress,
	}
}

// style is what is said of how records are written.
func (c *Config) style() *record.Style {
	s := &record.Style{Seconds: c.WARCVersion == "1.0", NoSL: c.NoSL, Warcinfo: c.WARCInfo}
	s.Entity = c.PayloadDigest == "entity"
	s.DedupFrom = outside.Names(c.DedupFrom)
	if c.DedupShared != "" {
		s.DedupFrom = append(s.DedupFrom, shared.Name(c.DedupShared))
	}
	if c.Digest == "sha256" {
		s.Algorithm = record.SHA256
	}
	return s
}
