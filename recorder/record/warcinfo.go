package record

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/nlnwa/gowarc"

	"warcorder/store/warc"
)

// GowarcLock guards the record builders and unmarshalers of gowarc: making one writes a variable of
// package uuid that all of them share.
var GowarcLock sync.Mutex

// buildWarcinfo makes the record with gowarc, since it is rare, and returns it without the line
// breaks at its end. gowarc's checks are off, and with them its digest: it comes from us.
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
	digest := s.SumBytes(block)
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

// Warcinfo makes the first record of a file (WARC 1.1 section 6.2), header and block, without the
// line breaks at its end.
func Warcinfo(s *Style, id ID, created time.Time,
	filename, host, collection string) ([]byte, error) {
	version := strings.TrimPrefix(s.version(), "WARC/")
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
	for _, name := range s.DedupFrom {
		fields = append(fields, [2]string{warc.DedupFrom, name})
	}
	var block []byte
	for _, field := range fields {
		block = warc.AppendField(block, field[0], field[1])
	}
	return buildWarcinfo(s, [][2]string{
		{gowarc.WarcRecordID, id.String()},
		{gowarc.WarcDate, string(s.appendDate(nil, created))},
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
	return algorithm +
		" of what follows the HTTP header as it is stored, chunk framing included (wire)"
}

// software is the program's name and, in a released build, its version.
func software() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || !strings.HasPrefix(info.Main.Version, "v") {
		return "warcorder"
	}
	return "warcorder/" + strings.TrimPrefix(info.Main.Version, "v")
}
