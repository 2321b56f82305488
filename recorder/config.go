package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warcorder/store/warc"
)

// Config is what can be set about recording. A zero field stands for the default, but for
// MinFreeSpace, where it is a setting.
type Config struct {
	WARCPrefix     string        `name:"warc-prefix" help:"First part of the names of WARC files." default:"warcorder"`
	WARCName       string        `name:"warc-name" help:"Names of WARC files, without .warc.gz: {timestamp} and {serial} must be in it, {prefix} and {host} may." default:"{prefix}-{timestamp}-{serial}-{host}"`
	WARCMaxSize    int64         `name:"warc-max-size" help:"Size that a WARC file does not exceed, unless one exchange does." default:"1GB" type:"size"`
	WARCIdle       time.Duration `name:"warc-idle" help:"Time without exchanges after which a WARC file is finished." default:"10m"`
	WARCMaxAge     time.Duration `name:"warc-max-age" help:"Age at which a WARC file is finished, whatever is written to it; 0 is no limit." default:"0s"`
	CommitInterval time.Duration `name:"commit-interval" help:"Time that a finished exchange waits at most for others to share its sync." default:"50ms"`
	IndexInterval  time.Duration `name:"index-interval" help:"Time that captures which are on disk wait at most for others to share a transaction of the index. Whoever reads the index sees them without that." default:"1s"`
	CommitSize     int64         `name:"commit-size" help:"Bytes of finished exchanges that are not kept waiting for others." default:"8MB" type:"size"`
	Sync           string        `name:"sync" help:"When WARC files and index are forced to disk: batch (many exchanges share it), always (one for each exchange), none (for scratch use: a power failure may cost the collection)." enum:"batch,always,none" default:"batch"`
	MinFreeSpace   int64         `name:"min-free-space" help:"Free space below which recording stops, before the disk is full; 0 does not look." default:"1GiB" type:"size"`
	QueueSize      int64         `name:"queue-size" help:"Bytes of exchanges that may wait to be recorded before clients are slowed." default:"64MB" type:"size"`

	Mode Mode `name:"archive-mode" help:"Who may read and write what is made of a collection: WARC files, index, exports; octal. Directories may be entered by whoever may read. There are cookies and passwords in the files." default:"0600"`

	WARCVersion   string `name:"warc-version" help:"Version of the WARC format: 1.1, or 1.0, whose dates have whole seconds, for readers that know no other." enum:"1.0,1.1" default:"1.1"`
	Digest        string `name:"digest" help:"Algorithm of the digests in records and index: sha1, which all tools of the field join by, or sha256." enum:"sha1,sha256" default:"sha1"`
	PayloadDigest string `name:"payload-digest" help:"What payload digests are of: wire (what follows the HTTP header as it is stored, which most tools check) or entity (without the chunks of Transfer-Encoding, as the standard's wording has it)." enum:"wire,entity" default:"wire"`
	SL            *bool  `name:"sl" help:"Skip lengths in the gzip members (field sl), by which a reader passes over records without inflating them." negatable:"" default:"true"`

	WARCInfo WARCInfo    `embed:"" prefix:"warcinfo-"`
	Dedup    DedupConfig `embed:""`
	Keys     KeysConfig  `embed:"" prefix:"keys-"`

	// Progress, if it is not nil, is told how far Open has come with what a crash has left.
	Progress Progress `kong:"-"`
}

// WARCInfo is what the warcinfo record at the beginning of each file says of who records what and
// why (WARC 1.1 section 6.2). What is "" is not said.
type WARCInfo struct {
	Operator    string `name:"operator" help:"Who answers for the archive, for the warcinfo record: a name, an address." placeholder:"TEXT"`
	IsPartOf    string `name:"is-part-of" help:"Collection that the files belong to, for the warcinfo record; the name of the collection's directory if not set." placeholder:"TEXT"`
	Description string `name:"description" help:"What is recorded, for the warcinfo record." placeholder:"TEXT"`
	Robots      string `name:"robots" help:"What was done about robots.txt, for the warcinfo record: ignore, obey." placeholder:"TEXT"`
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
	c.WARCName, c.WARCVersion = cmp.Or(c.WARCName, warc.DefaultPattern), cmp.Or(c.WARCVersion, "1.1")
	c.Digest, c.PayloadDigest = cmp.Or(c.Digest, "sha1"), cmp.Or(c.PayloadDigest, "wire")
	if c.SL == nil {
		c.SL = new(bool)
		*c.SL = true
	}
	c.Mode = cmp.Or(c.Mode, defaultMode)
	set(&c.WARCMaxSize, 1e9)
	set((*int64)(&c.WARCIdle), int64(10*time.Minute))
	set((*int64)(&c.CommitInterval), int64(50*time.Millisecond))
	set((*int64)(&c.IndexInterval), int64(time.Second))
	set(&c.CommitSize, 8e6)
	set(&c.QueueSize, 64e6)
	var err error
	if c.Dedup, err = c.Dedup.withDefaults(); err != nil {
		return c, err
	}
	for _, choice := range []struct{ name, value, of string }{
		{"sync", c.Sync, "batch,always,none"},
		{"warc-version", c.WARCVersion, "1.0,1.1"},
		{"digest", c.Digest, "sha1,sha256"},
		{"payload-digest", c.PayloadDigest, "wire,entity"},
	} {
		if err := oneOf(choice.name, choice.value, choice.of); err != nil {
			return c, err
		}
	}
	if min(
		c.MinFreeSpace,
		c.WARCMaxSize,
		int64(c.WARCIdle),
		int64(c.WARCMaxAge),
		int64(c.CommitInterval),
		int64(c.IndexInterval),
		c.CommitSize,
		c.QueueSize,
	) < 0 {
		return c, errors.New("a size or time of the recorder's settings is negative")
	}
	return c, errors.Join(c.Mode.check(), warc.CheckPrefix(c.WARCPrefix),
		warc.CheckPattern(c.WARCName), c.WARCInfo.check())
}

// oneOf returns an error unless value is one of a list that is joined by commas.
func oneOf(name, value, list string) error {
	if slices.Contains(strings.Split(list, ","), value) {
		return nil
	}
	return fmt.Errorf("%s: %q is none of %s", name, value, strings.ReplaceAll(list, ",", ", "))
}

// maxInfo is how many bytes a field of the warcinfo record has: it is in each file, and a line.
const maxInfo = 4 << 10

// check returns an error if a field cannot stand in the record as it is.
func (w *WARCInfo) check() error {
	for _, field := range w.fields("") {
		if name, value := field[0], field[1]; len(value) > maxInfo || !isText(value) {
			return fmt.Errorf("warcinfo: %s must be one line of text of at most %d bytes", name, maxInfo)
		}
	}
	return nil
}

// fields are those that the record has.
func (w *WARCInfo) fields(collection string) (fields [][2]string) {
	for _, field := range [][2]string{
		{"operator", w.Operator}, {"isPartOf", cmp.Or(w.IsPartOf, collection)}, {"description", w.Description}, {"robots", w.Robots},
	} {
		if field[1] != "" {
			fields = append(fields, field)
		}
	}
	return fields
}

// size is more bytes than the fields take.
func (w *WARCInfo) size() (n int64) {
	for _, field := range w.fields("") {
		n += int64(len(field[0]) + len(field[1]) + 10)
	}
	return n
}

// style is what is said of how records are written.
func (c *Config) style() *style {
	s := &style{seconds: c.WARCVersion == "1.0", noSL: c.SL != nil && !*c.SL, warcinfo: c.WARCInfo}
	s.entity = c.PayloadDigest == "entity"
	if c.Digest == "sha256" {
		s.algorithm = sha256Digest
	}
	return s
}
