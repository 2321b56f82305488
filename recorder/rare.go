package recorder

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

// building guards gowarc's record builder: each one made writes the same variable of package uuid.
var building sync.Mutex

const warcFields = "application/warc-fields"

// buildRecord makes a record with gowarc: the rare kinds, warcinfo and metadata. It returns the record without the line breaks at its end.
//
// gowarc's checks are off, since they blank a Target-URI that its parser refuses, and with them its digest: it comes from us.
func buildRecord(kind gowarc.RecordType, fields [][2]string, block []byte) ([]byte, error) {
	building.Lock()
	defer building.Unlock()
	b := gowarc.NewRecordBuilder(kind, gowarc.WithSpecViolationPolicy(gowarc.ErrIgnore), gowarc.WithAddMissingDigest(false))
	for _, field := range fields {
		b.AddWarcHeader(field[0], field[1])
	}
	digest, _ := sumBytes(block, 0)
	b.AddWarcHeader(gowarc.ContentType, warcFields)
	b.AddWarcHeader(gowarc.WarcBlockDigest, digest.String())
	if _, err := b.Write(block); err != nil {
		return nil, fmt.Errorf("%s record: %w", kind, err)
	}
	record, _, err := b.Build()
	if err != nil {
		return nil, fmt.Errorf("%s record: %w", kind, err)
	}
	defer record.Close()
	var out bytes.Buffer
	if _, _, err := gowarc.NewMarshaler().Marshal(&out, record, 0); err != nil {
		return nil, fmt.Errorf("%s record: %w", kind, err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte(warc.RecordEnd)), nil
}

// warcinfoRecord makes the first record of a file (WARC 1.1 section 6.2).
func warcinfoRecord(id recordID, created time.Time, filename, host, collection string) ([]byte, error) {
	var block []byte
	for _, field := range [][2]string{
		{"software", software()},
		{"format", "WARC File Format 1.1"},
		{"conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
		{"hostname", host},
		{"isPartOf", collection},
		{"payloadDigest", "sha1 of what follows the HTTP header as it is stored, chunk framing included (wire)"},
	} {
		block = warc.AppendField(block, field[0], field[1])
	}
	return buildRecord(gowarc.Warcinfo, [][2]string{
		{gowarc.WarcRecordID, id.String()},
		{gowarc.WarcDate, string(appendDate(nil, created))},
		{gowarc.WarcFilename, filename},
	}, block)
}

// metadataRecord makes the record of what went wrong with an exchange; block holds the facts.
func metadataRecord(id *ids, started time.Time, uri string, concurrentTo *recordID, block []byte) ([]byte, error) {
	fields := [][2]string{
		{gowarc.WarcRecordID, id.metadata.String()},
		{gowarc.WarcDate, string(appendDate(nil, started))},
		{gowarc.WarcTargetURI, uri},
		{gowarc.WarcWarcinfoID, id.warcinfo.String()},
	}
	if concurrentTo != nil {
		fields = append(fields, [2]string{gowarc.WarcConcurrentTo, concurrentTo.String()})
	}
	return buildRecord(gowarc.Metadata, fields, block)
}

// software is the program's name and, in a released build, its version.
func software() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || !strings.HasPrefix(info.Main.Version, "v") {
		return "warcorder"
	}
	return "warcorder/" + strings.TrimPrefix(info.Main.Version, "v")
}
