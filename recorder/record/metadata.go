package record

import (
	"bytes"
	"strconv"

	"warcorder/store/warc"
)

// AppendFacts appends the block of the metadata record, as application/warc-fields.
func AppendFacts(dst []byte, f *Facts, response *Message, beyond bool) []byte {
	dst = appendFact(dst, "fault", f.Fault)
	dst = appendFact(dst, "truncated", f.Truncated)
	dst = appendFact(dst, "unverifiedCertificate", f.Unverified)
	dst = appendFact(dst, "completion", f.Completion)
	dst = appendFact(dst, "via", f.Via)
	if beyond {
		dst = appendFact(dst, "requestBodyKey", "binary, for "+BeyondReason)
	}
	if response.Length > 0 && response.Length < MinBlock {
		dst = appendFact(dst, "received", strconv.Quote(string(response.Start)+string(response.Body)))
	}
	if response.Length == 0 && f.Fault == "" {
		dst = appendFact(dst, "fault", "no response")
	}
	return warc.AppendInt(dst, "fetchTimeMs", f.Took().Milliseconds())
}

// IsCompletion reports whether the beginning of such a block says that no client has asked (see
// [Facts.Completion]). The first FactsStart bytes are enough.
func IsCompletion(block []byte) bool {
	for line := range bytes.Lines(block) {
		if bytes.HasPrefix(line, []byte("completion: ")) {
			return true
		}
	}
	return false
}

// FactsStart is how many bytes of a block IsCompletion needs: more than the facts before take.
const FactsStart = 16 << 10

func appendFact(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	return warc.AppendField(dst, name, value)
}

// BeyondReason is why a body that is of a type to be looked into counts as binary.
const BeyondReason = "the request's body asks for more work than its length warrants"

// FieldsType is the media type of the blocks that hold fields (WARC 1.1 section 6.2).
const FieldsType = "application/warc-fields"
