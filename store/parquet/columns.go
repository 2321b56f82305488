package parquet

import (
	"math"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"warcorder/store/cdxline"
)

// row has the columns of a table, in their order: those of Common Crawl's cc-index-table, whose
// partitions (crawl, subset) stand in the names of folders. Its values are never used.
type row struct {
	URLSurtKey       string    `parquet:"url_surtkey"`
	URL              string    `parquet:"url"`
	HostName         string    `parquet:"url_host_name,optional,dict"`
	HostTLD          string    `parquet:"url_host_tld,optional,dict"`
	Host2nd          string    `parquet:"url_host_2nd_last_part,optional,dict"`
	Host3rd          string    `parquet:"url_host_3rd_last_part,optional,dict"`
	Host4th          string    `parquet:"url_host_4th_last_part,optional,dict"`
	Host5th          string    `parquet:"url_host_5th_last_part,optional,dict"`
	RegistrySuffix   string    `parquet:"url_host_registry_suffix,optional,dict"`
	RegisteredDomain string    `parquet:"url_host_registered_domain,optional,dict"`
	PrivateSuffix    string    `parquet:"url_host_private_suffix,optional,dict"`
	PrivateDomain    string    `parquet:"url_host_private_domain,optional,dict"`
	HostReversed     string    `parquet:"url_host_name_reversed,optional,dict"`
	Protocol         string    `parquet:"url_protocol,optional,dict"`
	Port             int32     `parquet:"url_port,optional,dict"`
	Path             string    `parquet:"url_path,optional"`
	Query            string    `parquet:"url_query,optional"`
	FetchTime        time.Time `parquet:"fetch_time,timestamp(microsecond)"`
	FetchStatus      int16     `parquet:"fetch_status,optional,dict"`
	FetchRedirect    string    `parquet:"fetch_redirect,optional"`
	Digest           string    `parquet:"content_digest,optional"`
	MIMEType         string    `parquet:"content_mime_type,optional,dict"`
	MIMEDetected     string    `parquet:"content_mime_detected,optional"`
	Charset          string    `parquet:"content_charset,optional"`
	Languages        string    `parquet:"content_languages,optional"`
	Truncated        string    `parquet:"content_truncated,optional"`
	File             string    `parquet:"warc_filename,optional,dict"`
	Offset           int64     `parquet:"warc_record_offset,optional"`
	Length           int64     `parquet:"warc_record_length,optional"`
	Segment          string    `parquet:"warc_segment,optional"`
}

var schema = parquet.NewSchema("captures", parquet.SchemaOf(row{}))

// maker makes rows of lines. It remembers the host of the last one, which many that follow have.
type maker struct {
	line cdxline.Line
	text string // of the host
	host []parquet.Value
	row  parquet.Row
}

// make appends the values of a line to dst, which are good as long as the line.
func (m *maker) make(dst parquet.Row, text []byte) (parquet.Row, error) {
	if err := m.line.Parse(text); err != nil {
		return dst, err
	}
	at, err := time.Parse("20060102150405", string(m.line.Time))
	if err != nil {
		return dst, err
	}
	l := locationOf(m.line.URL)
	if string(l.host) != m.text || m.host == nil {
		m.text = string(l.host)
		m.host = valuesOf(hostOf(m.text))
	}
	m.row = dst
	m.required(parquet.ByteArrayValue(m.line.Key))
	m.required(parquet.ByteArrayValue(m.line.URL))
	for _, v := range m.host {
		m.number(v, !v.IsNull())
	}
	m.bytes(l.scheme)
	m.number(parquet.Int32Value(l.port), l.port >= 0)
	m.bytes(l.path)
	m.bytes(l.query)
	m.required(parquet.Int64Value(at.UnixMicro()))
	m.number(parquet.Int32Value(int32(m.line.Status)), m.line.Status > 0 && m.line.Status <= math.MaxInt16)
	m.null() // fetch_redirect
	m.bytes(filled(m.line.Payload()))
	m.bytes(filled(m.line.MIME))
	m.null() // content_mime_detected
	m.null() // content_charset
	m.null() // content_languages
	m.null() // content_truncated
	m.bytes(filled(m.line.File))
	m.number(parquet.Int64Value(m.line.Offset), len(m.line.File) > 0)
	m.number(parquet.Int64Value(m.line.Length), len(m.line.File) > 0)
	m.null() // warc_segment
	return m.row, nil
}

func (m *maker) required(v parquet.Value) { m.row = append(m.row, v.Level(0, 0, len(m.row))) }

func (m *maker) null() { m.row = append(m.row, parquet.NullValue().Level(0, 0, len(m.row))) }

// number appends a value that may be missing.
func (m *maker) number(v parquet.Value, is bool) {
	if !is {
		m.null()
		return
	}
	m.row = append(m.row, v.Level(0, 1, len(m.row)))
}

// bytes appends a text that may be missing: nil.
func (m *maker) bytes(text []byte) { m.number(parquet.ByteArrayValue(text), text != nil) }

// valuesOf returns the values of the columns of a host, in their order.
func valuesOf(h host) []parquet.Value {
	texts := append([]string{h.name}, h.parts[:]...)
	texts = append(texts, h.registrySuffix, h.registeredDomain, h.privateSuffix, h.privateDomain, h.reversed)
	values := make([]parquet.Value, len(texts))
	for i, text := range texts {
		if text != "" {
			values[i] = parquet.ByteArrayValue([]byte(text))
		}
	}
	return values
}

// filled returns text, or nil if it is empty.
func filled(text []byte) []byte {
	if len(text) == 0 {
		return nil
	}
	return text
}

// Partition returns a name as it stands in that of a folder of a partition (crawl=NAME), as Hive and
// Spark write it: ASCII that is no letter, digit or one of "._-" as %XX.
func Partition(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
		if letter || c >= 0x80 || strings.IndexByte("._-", c) >= 0 {
			b.WriteByte(c)
		} else {
			b.WriteString("%" + string(upperHex[c>>4]) + string(upperHex[c&15]))
		}
	}
	return b.String()
}

const upperHex = "0123456789ABCDEF"
