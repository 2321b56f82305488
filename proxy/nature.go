package proxy

import "strings"

// nature is what a media type lets expect of a body.
type nature uint8

const (
	unasked nature = iota // nothing that clients take in parts, or leave before its end
	sized                 // worth having whole; without a length it may be live, and never end
	ending                // a document: it ends, whether its length is said or not
)

// natureOf looks up a media type, in lower case and without parameters: by its name, else by how it
// begins.
func natureOf(mediaType string) nature {
	if n, ok := natures[mediaType]; ok {
		return n
	}
	for _, family := range families {
		if strings.HasPrefix(mediaType, family.begins) {
			return family.nature
		}
	}
	return unasked
}

// families are media types that are of one nature as a whole.
var families = []struct {
	begins string
	nature nature
}{
	{"video/", sized},
	{"audio/", sized},
	{"image/", sized},
	{"font/", sized},
	{"application/font-", sized},
	{"application/x-font-", sized},
	{"application/vnd.openxmlformats-officedocument.", ending},
	{"application/vnd.oasis.opendocument.", ending},
	{"application/vnd.ms-excel", ending},
	{"application/vnd.ms-powerpoint", ending},
	{"application/vnd.ms-word", ending},
}

// natures are single media types.
var natures = map[string]nature{
	// media, fonts
	"application/mp4":               sized,
	"application/mxf":               sized,
	"application/ogg":               sized,
	"application/vnd.ms-fontobject": sized,
	"application/x-shockwave-flash": sized,
	"application/vnd.rn-realmedia":  sized,
	"image/svg+xml":                 ending, // compressed as it is sent, without a length
	"application/dash+xml":          ending, // manifests: what is live is asked for again and again
	"application/vnd.apple.mpegurl": ending,
	"application/x-mpegurl":         ending,
	"application/vnd.ms-sstr+xml":   ending,
	"audio/mpegurl":                 ending,
	"audio/x-mpegurl":               ending,

	// archives, and what may be one
	"application/epub+zip":                    sized,
	"application/gzip":                        sized,
	"application/java-archive":                sized,
	"application/octet-stream":                sized,
	"application/vnd.android.package-archive": sized,
	"application/vnd.apache.parquet":          sized, // pages read these by ranges
	"application/vnd.debian.binary-package":   sized,
	"application/vnd.pmtiles":                 sized,
	"application/vnd.rar":                     sized,
	"application/vnd.sqlite3":                 sized,
	"application/warc":                        sized,
	"application/x-7z-compressed":             sized,
	"application/x-apple-diskimage":           sized,
	"application/x-bzip":                      sized,
	"application/x-bzip2":                     sized,
	"application/x-gzip":                      sized,
	"application/x-iso9660-image":             sized,
	"application/x-rar":                       sized,
	"application/x-rar-compressed":            sized,
	"application/x-sqlite3":                   sized,
	"application/x-tar":                       sized,
	"application/x-xz":                        sized,
	"application/x-zip-compressed":            sized,
	"application/zip":                         sized,
	"application/zstd":                        sized,
	"binary/octet-stream":                     sized,

	// Several parts of one thing, of a type that only the parts say. What is asked for in several
	// ranges is a file.
	"multipart/byteranges": ending,

	// documents
	"application/msword":     ending,
	"application/pdf":        ending,
	"application/postscript": ending,
	"application/rtf":        ending,
	"application/x-pdf":      ending,
	"application/xhtml+xml":  ending,
	"text/html":              ending,
	"text/rtf":               ending,
}
