package canon

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// MaxBody is the length in bytes up to which a body is parsed for its query. A longer body counts
// as binary, whatever its type: Pywb and WarcioJS take its first 3072 bytes, more than which no
// query of theirs can hold. Spec does so above 1 MiB, of the body or of the query that it would
// make, and adds the SHA-256 of the whole (see Request.BodySHA256). These are our own limits: the
// tools that we follow parse bodies of any length.
const MaxBody = 16 << 20

// maxQuery is how long a query may be: code points in Pywb, UTF-16 units in WarcioJS.
const maxQuery = 4096

// binaryPrefix is how much of a binary body a query of maxQuery characters can hold.
const binaryPrefix = maxQuery / 4 * 3

// A Request is what the keys of an exchange are made of.
type Request struct {
	URL         string // as recorded (WARC-Target-URI)
	Method      string // as sent; empty means GET
	ContentType string // the header's value, untouched; empty if there is none

	// Body is the entity without its transfer coding and with its content coding. Of a body longer
	// than MaxBody the first 3072 bytes are enough. Body is not written to.
	Body []byte

	// BodyLen is the length in bytes of the whole body where Body is only its beginning; else it may
	// be 0. A body of which a part is missing counts as longer than MaxBody.
	BodyLen int64

	// BodySHA256 is the digest of a body longer than MaxBody, for the dialect Spec. If it is missing
	// and Body is not whole, the query lacks the digest.
	BodySHA256 []byte
}

// isGET reports whether the request is one to whose URL no dialect appends anything.
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

// binaryQuery returns the query of a body as bytes (Request Body Canonicalization, "Binary request
// body encoding"). The characters + / = of Base64 stay as they are.
func binaryQuery(body []byte) []byte {
	q := make([]byte, 0, len(postData)+base64.StdEncoding.EncodedLen(len(body)))
	return base64.StdEncoding.AppendEncode(append(q, postData...), body)
}

// appendArguments appends the method and the body's query, unless that is empty, to the end of url:
// behind a fragment, even, and SURT drops them with it. An argument of that name which is there
// already stays, and so does an & at the end.
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

// What the work on a body may come to beyond reading it once: bytes of text that are made of it,
// values that are visited. Only Action Message Format, in which values refer to others and may hold
// themselves, asks for more than a fixed multiple of its length.
const (
	stepsPerByte = 32
	stepsAnyway  = 1 << 20
)

// budget is what is left of the work that a body may make. It is counted in steps and not in time,
// so that a body has the same keys on any machine, however busy that is.
type budget struct{ left int }

func budgetOf(body []byte) budget { return budget{stepsAnyway + stepsPerByte*len(body)} }

// spend takes steps. It is false once there are none left.
func (b *budget) spend(steps int) bool {
	b.left -= min(steps, b.left+1)
	return !b.spent()
}

// spent reports whether the body asked for more than there was.
func (b *budget) spent() bool { return b.left < 0 }
