package proxy

import (
	"bytes"
	"hash/maphash"
	"strconv"
	"strings"

	"warcorder/proxy/http1"
	"warcorder/recorder/record"
)

// entity is what a URL has, as the head of an answer tells of it that carries all of it or a part.
// Its fields are what decides whether the archive is to have it whole.
type entity struct {
	nature  nature
	length  int64 // of all of it on the wire; negative if nothing says it
	part    bool  // the answer is a 206
	all     bool  // the 206 has the first byte and the last
	noStore bool  // Cache-Control: no-store
	bound   bool  // the connection is its client's alone
	came    bool  // the answer has come to its end

	untilClose bool // nothing but the end of the connection is the end of the answer

	etag, lastModified []byte
}

// mediaTypeIn is the media type in the value of a Content-Type, without its parameters.
func mediaTypeIn(value []byte) string {
	kind, _, _ := bytes.Cut(value, []byte{';'})
	return strings.ToLower(string(bytes.TrimSpace(kind)))
}

// entityOf reads the head of a 200 or a 206. The validators lie in the head.
func entityOf(res *http1.Response, head []byte) entity {
	ent := entity{length: -1, part: res.Status == 206, untilClose: res.Framing == http1.UntilClose}
	if !ent.part && res.Framing != http1.Chunked && !ent.untilClose {
		ent.length = res.Length
	}
	ranges := 0
	var contentRange []byte
	http1.Fields(head, func(name, value []byte) {
		switch {
		case isField(name, "content-type"):
			ent.nature = natureOf(mediaTypeIn(value))
		case isField(name, "content-range"):
			ranges++
			contentRange = value
		case isField(name, "cache-control"):
			ent.noStore = ent.noStore || http1.HasToken(value, "no-store")
		case isField(name, "etag"):
			ent.etag = value
		case isField(name, "last-modified"):
			ent.lastModified = value
		}
	})
	if !ent.part || ranges != 1 {
		return ent
	}
	if r, ok := record.ParseContentRange(contentRange); ok {
		ent.length = r.Of
		ent.all = r.IsAll() && res.Framing == http1.Sized && res.Length == r.Of
	}
	return ent
}

// clone is ent without the head that its validators lie in.
func (ent entity) clone() *entity {
	both := append(append(make([]byte, 0, len(ent.etag)+len(ent.lastModified)), ent.etag...),
		ent.lastModified...)
	ent.etag, ent.lastModified = both[:len(ent.etag)], both[len(ent.etag):]
	return &ent
}

// isBrief reports a whole that is not worth waiting for: it is there soon, or never.
func (ent *entity) isBrief() bool { return !ent.part && ent.length >= 0 && ent.length <= 1<<20 }

func isField(name []byte, lower string) bool {
	return len(name) == len(lower) && bytes.EqualFold(name, []byte(lower))
}

// isAuthenticated reports whether the head of a request says who asks.
func isAuthenticated(head []byte) (is bool) {
	http1.Fields(head, func(name, _ []byte) {
		is = is || isField(name, "authorization") || isField(name, "cookie")
	})
	return is
}

var versionSeed = maphash.MakeSeed()

// hashOf stands for a URL, which may be long.
func hashOf(url string) uint64 { return maphash.String(versionSeed, url) }

// version is a hash of the URL and of what tells this version of its entity from others: the
// validators, or, if there is none, the length.
func (ent *entity) version(url string) uint64 {
	var h maphash.Hash
	h.SetSeed(versionSeed)
	h.WriteString(url)
	for _, validator := range [][]byte{ent.etag, ent.lastModified} {
		h.WriteByte(0)
		h.Write(validator)
	}
	if len(ent.etag)+len(ent.lastModified) == 0 {
		h.WriteString(strconv.FormatInt(ent.length, 10))
	}
	return h.Sum64()
}
