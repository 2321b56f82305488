package canon

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strings"
)

// QueryKey returns a key that tells apart bodies whose queries are cut before they differ: one for
// each URL, method and body. It is the SURT of the URL with its method, as Pywb appends that, and
//
//	#query=HEX  of a body that Pywb looks into: HEX is of the query that Pywb would make of it if
//	            the method were POST, and if no query were cut
//	#body=HEX   of any other body: HEX is of its bytes
//
// HEX is the first 16 bytes of the SHA-256, in lower case. Other bodies are those that count as
// binary; those that make an empty query; and, unless they are multipart, those above 1 MiB, or
// whose query would be. A multipart body is looked into up to MaxBody, since its boundary is
// another one each time that it is sent. The key is empty for a GET, for a request without a body,
// and for a body whose end is not known.
//
// query is what Pywb.Query returns for r: most bodies need not be read once more.
func QueryKey(r *Request, query string) string {
	if r.isGET() || len(r.Body) == 0 && r.BodyLen == 0 {
		return ""
	}
	name, sum := "#query=", r.queryDigest(query)
	if sum == nil {
		name, sum = "#body=", r.bodyDigest()
	}
	if sum == nil {
		return ""
	}
	key, _ := SURT(Pywb.Append(r.URL, r.Method, ""))
	return key + name + hex.EncodeToString(sum[:16])
}

// bodyDigest is the SHA-256 of the whole body; nil if it is not known.
func (r *Request) bodyDigest() []byte {
	if len(r.BodySHA256) == sha256.Size {
		return r.BodySHA256
	}
	if !r.whole() {
		return nil
	}
	sum := sha256.Sum256(r.Body)
	return sum[:]
}

// SumLong sets BodySHA256 of a body above 1 MiB that is whole, so that it is made once for all
// keys.
func (r *Request) SumLong() {
	if len(r.BodySHA256) == 0 && r.whole() && len(r.Body) > maxSpecQuery {
		sum := sha256.Sum256(r.Body)
		r.BodySHA256 = sum[:]
	}
}

// queryDigest is the SHA-256 of the query that is not cut; nil if the body stands for itself. query
// is that of Pywb.
func (r *Request) queryDigest(query string) []byte {
	if query != "" && len(query) < maxQuery && !strings.HasPrefix(query, postData) {
		sum := sha256.Sum256([]byte(query))
		return sum[:]
	}
	if r.tooLong() {
		return nil
	}
	if strings.HasPrefix(r.ContentType, "multipart/") {
		return multipartDigest(r.ContentType, r.Body)
	}
	if len(r.Body) > maxSpecQuery {
		return nil
	}
	b := budgetOf(r.Body)
	q, ok := pywbParsed(r, maxSpecQuery, &b)
	if !ok || len(q) == 0 || len(q) > maxSpecQuery || b.spent() {
		return nil
	}
	sum := sha256.Sum256(q)
	return sum[:]
}

// multipartDigest is the SHA-256 of what pywbMultipart would return without a limit; nil if that
// is nothing. Its memory is that of the longest value which is no file.
func multipartDigest(contentType string, body []byte) []byte {
	m, _, begun := openMultipart(contentType, body)
	if !begun {
		return nil
	}
	sum, parts := escapedSum{Hash: sha256.New()}, 0
	for p, more := m.next(); more; p, more = m.next() {
		if parts > 0 {
			sum.Write([]byte("&"))
		}
		sum.add(appendText(nil, []byte(p.name())))
		sum.Write([]byte("="))
		sum.add(p.text(len(p.value)))
		parts++
	}
	if parts == 0 {
		return nil
	}
	return sum.Sum(nil)
}

// escapedSum is a hash of texts that are percent-plus encoded.
type escapedSum struct {
	hash.Hash
	buf []byte // used again
}

func (s *escapedSum) add(text []byte) {
	const at = 8 << 10 // bytes that are encoded at once
	for len(text) > 0 {
		n := min(len(text), at)
		s.buf = percentPlus.append(s.buf[:0], text[:n])
		s.Write(s.buf)
		text = text[n:]
	}
}
