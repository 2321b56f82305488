package proxy

import (
	"strings"
	"testing"

	"warcorder/proxy/http1"
)

// entityIn reads the head of an answer to a GET.
func entityIn(t *testing.T, lines ...string) entity {
	t.Helper()
	head := []byte(text(lines...))
	res, err := http1.ParseResponse(head, &http1.Request{})
	if err != nil {
		t.Fatal(err)
	}
	return entityOf(&res, head)
}

func TestEntityOf(t *testing.T) {
	const ok, part = "HTTP/1.1 200 OK", "HTTP/1.1 206 Partial Content"
	for name, c := range map[string]struct {
		lines []string
		want  entity
	}{
		"sized":       {[]string{ok, "Content-Length: 7"}, entity{length: 7}},
		"empty":       {[]string{ok, "Content-Length: 0"}, entity{length: 0}},
		"chunked":     {[]string{ok, "Transfer-Encoding: chunked"}, entity{length: -1}},
		"until close": {[]string{ok}, entity{length: -1}},
		"type": {[]string{ok, "content-TYPE:  Video/MP4 ; codecs=x", "Content-Length: 7"},
			entity{length: 7, nature: sized}},
		"no-store": {[]string{ok, "Content-Length: 7", "Cache-Control: private", "cache-control: max-age=0 , No-Store"},
			entity{length: 7, noStore: true}},
		"no-store behind a fold": {[]string{ok, "Content-Length: 7", "Cache-Control: private,", "\tno-store"},
			entity{length: 7, noStore: true}},
		"no-storage": {[]string{ok, "Content-Length: 7", "Cache-Control: no-storage"},
			entity{length: 7}},
		"part": {[]string{part, "Content-Length: 4", "Content-Range: bytes 0-3/10"},
			entity{length: 10, part: true}},
		"all": {[]string{part, "Content-Length: 10", "Content-Range: bytes 0-9/10"},
			entity{length: 10, part: true, all: true}},
		"all, it says": {[]string{part, "Content-Length: 5", "Content-Range: bytes 0-9/10"},
			entity{length: 10, part: true}},
		"all, in chunks": {[]string{part, "Transfer-Encoding: chunked", "Content-Range: bytes 0-9/10"},
			entity{length: 10, part: true}}, // nobody counts them
		"of unknown length": {[]string{part, "Content-Length: 4", "Content-Range: bytes 0-3/*"},
			entity{length: -1, part: true}},
		"of two lengths": {[]string{part, "Content-Length: 10", "Content-Range: bytes 0-9/10",
			"Content-Range: bytes 0-9/20"}, entity{length: -1, part: true}},
		"of none": {[]string{part, "Content-Length: 10"}, entity{length: -1, part: true}},
		"several parts": {[]string{part, "Content-Length: 99",
			"Content-Type: multipart/byteranges; boundary=x"},
			entity{length: -1, part: true, nature: ending}},
	} {
		if got := entityIn(t, c.lines...); got.nature != c.want.nature || got.length != c.want.length ||
			got.part != c.want.part || got.all != c.want.all || got.noStore != c.want.noStore {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestVersions: a version is told by its validators, and by its length if it has none.
func TestVersions(t *testing.T) {
	const part = "HTTP/1.1 206 Partial Content"
	version := func(url string, lines ...string) uint64 {
		ent := entityIn(t, append([]string{part, "Content-Length: 4"}, lines...)...)
		return ent.version(url)
	}
	one := version("u", `ETag: "1"`, "Content-Range: bytes 0-3/10")
	if one != version("u", `ETag: "1"`, "Content-Range: bytes 4-7/10") {
		t.Error("two parts of one version differ")
	}
	for name, other := range map[string]uint64{
		"another tag": version("u", `ETag: "2"`, "Content-Range: bytes 0-3/10"),
		"another URL": version("v", `ETag: "1"`, "Content-Range: bytes 0-3/10"),
		"a date":      version("u", `Last-Modified: "1"`, "Content-Range: bytes 0-3/10"),
		"a length":    version("u", "Content-Range: bytes 0-3/10"),
		"two of them": version("u", `ETag: "1"`, "Last-Modified: x"),
	} {
		if other == one {
			t.Errorf("%s is the same version", name)
		}
	}
	if version("u", "Content-Range: bytes 0-3/10") == version("u", "Content-Range: bytes 0-3/11") {
		t.Error("two lengths are the same version")
	}
}

// TestWants is the table of what the archive is to have whole.
func TestWants(t *testing.T) {
	for _, c := range []struct {
		types          string
		known, unknown bool // wanted with a length, and without
	}{
		{"video/mp4 audio/mpeg image/png image/x-icon font/woff2 application/font-woff " +
			"application/x-font-ttf application/vnd.ms-fontobject application/ogg", true, false},
		{"application/zip application/gzip application/x-tar application/x-7z-compressed " +
			"application/vnd.rar application/x-bzip2 application/x-xz application/zstd " +
			"application/java-archive application/epub+zip application/octet-stream " +
			"application/vnd.sqlite3 application/vnd.pmtiles", true, false},
		{"text/html application/xhtml+xml application/pdf application/msword application/rtf " +
			"application/vnd.openxmlformats-officedocument.wordprocessingml.document " +
			"application/vnd.oasis.opendocument.text application/vnd.ms-excel.sheet.macroenabled.12 " +
			"image/svg+xml application/dash+xml application/vnd.apple.mpegurl", true, true},
		{"text/css text/javascript application/json text/event-stream multipart/x-mixed-replace " +
			"application/x-ndjson video x/video/mp4 pdf", false, false},
	} {
		for _, mediaType := range strings.Fields(c.types) {
			for what, always := range map[string]bool{"auto": false, "always": true} {
				complete := Complete{What: what, Max: 100}
				known := entity{nature: natureOf(mediaType), length: 100}
				unknown := entity{nature: natureOf(mediaType), length: -1}
				large := entity{nature: natureOf(mediaType), length: 101}
				if complete.wants(&known) != (c.known || always) ||
					complete.wants(&unknown) != (c.unknown || always) || complete.wants(&large) {
					t.Errorf("%s, %s: %v, %v, %v", what, mediaType, complete.wants(&known),
						complete.wants(&unknown), complete.wants(&large))
				}
			}
			never := Complete{What: "never", Max: 100}
			if never.wants(&entity{nature: natureOf(mediaType), length: 1}) {
				t.Errorf("never, %s: wanted", mediaType)
			}
		}
	}
}
