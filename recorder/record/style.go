package record

import (
	"cmp"
	"fmt"
	"time"

	"warcorder/store/warc"
)

// Style is what the configuration says of how records are written. The zero style is that of an
// empty configuration.
type Style struct {
	Digester
	Seconds  bool // WARC 1.0, whose dates have whole seconds
	NoSL     bool // the gzip members carry no skip lengths
	Warcinfo WARCInfo

	// DedupFrom are the other archives that records may refer to.
	DedupFrom []string

	Inspector *warc.Inspector // checks the gzip members; nil for no check
}

// version is the first line of each record.
func (s *Style) version() string {
	if s.Seconds {
		return warc.Version10
	}
	return warc.Version
}

// Date is t with the precision of a WARC-Date in this style, in UTC.
func (s *Style) Date(t time.Time) time.Time {
	if s.Seconds {
		return t.UTC().Truncate(time.Second)
	}
	return t.UTC().Truncate(time.Microsecond)
}

// appendDate appends a WARC-Date.
func (s *Style) appendDate(dst []byte, t time.Time) []byte { return AppendDate(dst, t, s.Seconds) }

// Compressor returns a new Compressor that writes gzip members in this style.
func (s *Style) Compressor() *warc.Compressor {
	c := warc.NewCompressor()
	c.NoSkipLengths, c.Inspector = s.NoSL, s.Inspector
	return c
}

// WARCInfo is what the warcinfo record at the beginning of each file says of who records what and
// why (WARC 1.1 section 6.2). What is "" is not said.
type WARCInfo struct {
	Operator    string // who answers for the archive: a name, an address
	IsPartOf    string // what the files belong to; "" is the name of the collection's directory
	Description string // what is recorded
	Robots      string // what was done about robots.txt: ignore, obey
}

// maxInfo is how many bytes a field of the warcinfo record may have, which is one line in each
// file.
const maxInfo = 4 << 10

// Check returns an error if a field cannot stand in the record as it is.
func (w *WARCInfo) Check() error {
	for _, field := range w.fields("") {
		if name, value := field[0], field[1]; len(value) > maxInfo || !isText(value) {
			return fmt.Errorf("warcinfo: %s must be one line of text of at most %d bytes", name, maxInfo)
		}
	}
	return nil
}

// fields are the names and values of the fields that the record has.
func (w *WARCInfo) fields(collection string) (fields [][2]string) {
	for _, field := range [][2]string{
		{"operator", w.Operator},
		{"isPartOf", cmp.Or(w.IsPartOf, collection)},
		{"description", w.Description},
		{"robots", w.Robots},
	} {
		if field[1] != "" {
			fields = append(fields, field)
		}
	}
	return fields
}

// InfoSize is an upper bound of the bytes that those fields of the warcinfo record take that are set.
func (s *Style) InfoSize() (n int64) {
	for _, field := range s.Warcinfo.fields("") {
		n += int64(len(field[0]) + len(field[1]) + 10)
	}
	for _, name := range s.DedupFrom {
		n += int64(len(warc.DedupFrom) + len(name) + 10)
	}
	return n
}
