package record

import "bytes"

// SampleSize is how much of a body is looked at to find out whether deflating it pays.
const SampleSize = 4 << 10

// Deflates reports whether it pays to deflate a body. A body that is compressed already goes into
// stored blocks, at a tenth of the cost and the same size. The head may say that it is compressed
// (a Content-Encoding; the type of a picture, a film, a web font, an archive) or that it is text;
// else a sample from the middle of the body, of up to SampleSize bytes, decides.
func Deflates(h *Head, sample []byte) bool {
	if h.encoded {
		return false
	}
	switch mime := bytes.ToLower(h.MIME()); kindOf(mime) {
	case compressed:
		return false
	case plain:
		return true
	}
	return !looksRandom(sample)
}

// sampleOf is the part of a body that deflates looks at.
func sampleOf(body []byte) []byte {
	from := max(0, (len(body)-SampleSize)/2)
	return body[from:min(len(body), from+SampleSize)]
}

type kind int

const (
	unknown kind = iota
	compressed
	plain
)

// kindOf tells what a media type, in lower case, says about its bytes.
func kindOf(mime []byte) kind {
	switch string(mime) {
	case "image/svg+xml",
		"application/json",
		"application/javascript",
		"application/x-javascript",
		"application/xml",
		"application/wasm",
		"application/x-www-form-urlencoded",
		"application/manifest+json",
		"application/xhtml+xml",
		"application/rss+xml":
		return plain
	case "image/jpeg",
		"image/png",
		"image/gif",
		"image/webp",
		"image/avif",
		"image/apng",
		"image/jxl",
		"image/heic",
		"font/woff",
		"font/woff2",
		"application/font-woff",
		"application/font-woff2",
		"application/x-font-woff",
		"application/zip",
		"application/gzip",
		"application/x-gzip",
		"application/zstd",
		"application/x-7z-compressed",
		"application/x-bzip2",
		"application/x-xz",
		"application/vnd.rar",
		"application/x-rar-compressed",
		"application/epub+zip",
		"application/java-archive",
		"application/vnd.android.package-archive":
		return compressed
	}
	switch {
	case bytes.HasPrefix(mime, []byte("text/")):
		return plain
	case bytes.HasPrefix(mime, []byte("video/")), bytes.HasPrefix(mime, []byte("audio/")):
		return compressed
	}
	return unknown // PDF, octet-stream, other pictures and fonts, uploads
}

// looksRandom says whether the bytes are spread as evenly as those of compressed data. For n evenly
// spread bytes the squares of the counts of the 256 values add up to about n²/256 + n; text has ten
// times that.
func looksRandom(sample []byte) bool {
	n := len(sample)
	if n < 512 {
		return false
	}
	var counts [256]int32
	for _, c := range sample {
		counts[c]++
	}
	squares := 0
	for _, count := range counts {
		squares += int(count) * int(count)
	}
	return squares < (n*n/256+n)*5/4
}
