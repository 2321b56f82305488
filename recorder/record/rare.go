package record

import (
	"bytes"
	"cmp"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/nlnwa/gowarc"

	"warcorder/store/warc"
)

// GowarcLock guards gowarc's record builder: each one made writes the same variable of package uuid.
var GowarcLock sync.Mutex

const FieldsType = "application/warc-fields"

// buildWarcinfo makes the rare record with gowarc, and returns it without the line breaks at its
// end. gowarc's checks are off, and with them its digest: it comes from us.
func buildWarcinfo(s *Style, fields [][2]string, block []byte) ([]byte, error) {
	GowarcLock.Lock()
	defer GowarcLock.Unlock()
	version := gowarc.V1_1
	if s.Seconds {
		version = gowarc.V1_0
	}
	b := gowarc.NewRecordBuilder(gowarc.Warcinfo, gowarc.WithVersion(version),
		gowarc.WithSpecViolationPolicy(gowarc.ErrIgnore), gowarc.WithAddMissingDigest(false))
	for _, field := range fields {
		b.AddWarcHeader(field[0], field[1])
	}
	digest := s.Of(block)
	b.AddWarcHeader(gowarc.ContentType, FieldsType)
	b.AddWarcHeader(gowarc.WarcBlockDigest, digest.String())
	if _, err := b.Write(block); err != nil {
		return nil, fmt.Errorf("warcinfo record: %w", err)
	}
	record, _, err := b.Build()
	if err != nil {
		return nil, fmt.Errorf("warcinfo record: %w", err)
	}
	defer record.Close()
	var out bytes.Buffer
	if _, _, err := gowarc.NewMarshaler().Marshal(&out, record, 0); err != nil {
		return nil, fmt.Errorf("warcinfo record: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte(warc.RecordEnd)), nil
}

// Warcinfo makes the first record of a file (WARC 1.1 section 6.2).
func Warcinfo(s *Style, id ID, created time.Time,
	filename, host, collection string) ([]byte, error) {
	version := strings.TrimPrefix(s.Version(), "WARC/")
	fields := [][2]string{
		{"software", software()},
		{"format", "WARC File Format " + version},
		{
			"conformsTo",
			"http://iipc.github.io/warc-specifications/specifications/warc-format/warc-" + version + "/",
		},
		{"hostname", host},
	}
	fields = append(append(fields, s.Warcinfo.fields(collection)...),
		[2]string{"payloadDigest", s.payloadDigest()})
	var block []byte
	for _, field := range fields {
		block = warc.AppendField(block, field[0], field[1])
	}
	return buildWarcinfo(s, [][2]string{
		{gowarc.WarcRecordID, id.String()},
		{gowarc.WarcDate, string(s.AppendDate(nil, created))},
		{gowarc.WarcFilename, filename},
	}, block)
}

// payloadDigest says what the payload digests of a file are, for there are two ways to read the
// standard.
func (d Digester) payloadDigest() string {
	algorithm := "sha1"
	if d.Algorithm == SHA256 {
		algorithm = "sha256"
	}
	if d.Entity {
		return algorithm + " of what follows the HTTP header, without the transfer coding (entity)"
	}
	return algorithm + " of what follows the HTTP header as it is stored, chunk framing included (wire)"
}

// software is the program's name and, in a released build, its version.
func software() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || !strings.HasPrefix(info.Main.Version, "v") {
		return "warcorder"
	}
	return "warcorder/" + strings.TrimPrefix(info.Main.Version, "v")
}

// WARCInfo is what the warcinfo record at the beginning of each file says of who records what and
// why (WARC 1.1 section 6.2). What is "" is not said.
type WARCInfo struct {
	Operator    string // who answers for the archive: a name, an address
	IsPartOf    string // what the files belong to; "" is the name of the collection's directory
	Description string // what is recorded
	Robots      string // what was done about robots.txt: ignore, obey
}

// MaxInfo is how many bytes a field of the warcinfo record has: it is in each file, and a line.
const MaxInfo = 4 << 10

// Check returns an error if a field cannot stand in the record as it is.
func (w *WARCInfo) Check() error {
	for _, field := range w.fields("") {
		if name, value := field[0], field[1]; len(value) > MaxInfo || !IsText(value) {
			return fmt.Errorf("warcinfo: %s must be one line of text of at most %d bytes", name, MaxInfo)
		}
	}
	return nil
}

// fields are those that the record has.
func (w *WARCInfo) fields(collection string) (fields [][2]string) {
	for _, field := range [][2]string{
		{"operator", w.Operator}, {"isPartOf", cmp.Or(w.IsPartOf, collection)}, {"description",
			w.Description}, {"robots", w.Robots},
	} {
		if field[1] != "" {
			fields = append(fields, field)
		}
	}
	return fields
}

// Size is more bytes than the fields take.
func (w *WARCInfo) Size() (n int64) {
	for _, field := range w.fields("") {
		n += int64(len(field[0]) + len(field[1]) + 10)
	}
	return n
}
