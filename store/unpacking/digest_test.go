package unpacking

import (
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

// TestDigests: those that writers of WACZ make are checked, others are named.
func TestDigests(t *testing.T) {
	said := func(hash string) member {
		return member{name: packageName,
			content: `{"resources":[{"path":"archive/a.warc","hash":"` + hash + `"}]}`}
	}
	a := member{name: "archive/a.warc", content: plain}
	for hash, want := range map[string]string{
		fmt.Sprintf("md5:%x", md5.Sum([]byte(plain))): "",
		fmt.Sprintf("md5:%x", md5.Sum([]byte("x"))):   "refused",
		"blake3:00": "note",
		"":          "note",
	} {
		got, err := takeWACZ(t, a, said(hash))
		if (err != nil) != (want == "refused") || (len(got.notes) > 0) != (want == "note") {
			t.Errorf("%q: %v, %q", hash, err, got.notes)
		}
	}
}

// TestDigestOfJSWACZ: js-wacz hashes each piece of 64 KiB twice. That is taken from it alone.
func TestDigestOfJSWACZ(t *testing.T) {
	piece, rest := plain+strings.Repeat("x", 64<<10-len(plain)), "the rest"
	sum := sha256.Sum256([]byte(piece + piece + rest + rest))
	for software, want := range map[string]bool{"@harvard-lil/js-wacz 0.1.6": true, "py-wacz 0.6.0": false} {
		for _, content := range []string{piece + rest, piece + "the best"} {
			said := fmt.Sprintf(`{"software":%q,"resources":[{"path":"archive/a.warc","hash":"sha256:%x"}]}`,
				software, sum)
			_, err := takeWACZ(t, member{name: "archive/a.warc", content: content},
				member{name: packageName, content: said})
			if (err == nil) != (want && content == piece+rest) {
				t.Errorf("%s: %v", software, err)
			}
		}
	}
}
