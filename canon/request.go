package canon

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// MaxBody is the length in bytes up to which a body is read for its query. A longer
// one counts as binary, whatever its type: Pywb and WarcioJS take its first 3072
// bytes, more than which no query of theirs can hold. Spec does so above 1 MiB, of the
// body or of the query that it would make, and adds the SHA-256 of the whole (see
// Request.BodySHA256). These are our own limits: the tools that we follow parse bodies
// of any length.
const MaxBody = 16 << 20

// maxQuery is how long a query may be: code points in Pywb, UTF-16 units in WarcioJS.
const maxQuery = 4096

// binaryPrefix is how much of a binary body a query of maxQuery characters can hold.
const binaryPrefix = maxQuery / 4 * 3

// Request is what the keys of an exchange are made of.
type Request struct {
	URL         string // as recorded (WARC-Target-URI)
	Method      string // as sent; empty means GET
	ContentType string // the header's value, untouched; empty if there is none

	// Body is the entity after its transfer coding is removed, still in its content
	// coding. Of one longer than MaxBody the first 3072 bytes are enough. It is only
	// read.
	Body []byte

	// BodyLen is the body's whole length in bytes where Body is only the beginning of
	// it; else it may be 0. A body of which a part is missing counts as longer than
	// MaxBody.
	BodyLen int64

	// BodySHA256 is the digest of a body longer than MaxBody, for the dialect Spec.
	// Without it, and if Body is not whole either, that dialect's query lacks it.
	BodySHA256 []byte
}

// isGET reports whether the request is one that no dialect appends anything to.
func (r *Request) isGET() bool { return r.Method == "" || r.Method == "GET" }

// whole reports whether Body is all of the body.
func (r *Request) whole() bool { return r.BodyLen <= int64(len(r.Body)) }

// tooLong reports whether the body counts as binary for its length.
func (r *Request) tooLong() bool { return !r.whole() || len(r.Body) > MaxBody }

// prefix is the part of the body that a limited binary query holds.
func (r *Request) prefix() []byte { return r.Body[:min(len(r.Body), binaryPrefix)] }

// digest is the hexadecimal SHA-256 of the whole body, empty if it is not known.
func (r *Request) digest() string {
	if len(r.BodySHA256) == 0 && r.whole() {
		sum := sha256.Sum256(r.Body)
		return hex.EncodeToString(sum[:])
	}
	return hex.EncodeToString(r.BodySHA256)
}

const postData = "__wb_post_data="

// binaryQuery is the query of a body as bytes (seed: Request Body Canonicalization,
// "Binary request body encoding"). The characters + / = of Base64 stay as they are.
func binaryQuery(body []byte) []byte {
	q := make([]byte, 0, len(postData)+base64.StdEncoding.EncodedLen(len(body)))
	return base64.StdEncoding.AppendEncode(append(q, postData...), body)
}

// appendArguments appends the method and, unless it is empty, the body's query to
// the whole string: a fragment, which SURT drops, takes them along. An argument of
// that name which is there already stays, and so does an & at the end.
func appendArguments(url, method, query string) string {
	separator := "?"
	if strings.Contains(url, "?") {
		separator = "&"
	}
	if query == "" {
		return url + separator + "__wb_method=" + method
	}
	return url + separator + "__wb_method=" + method + "&" + query
}
