package store

import (
	"strings"
	"testing"
)

// TestRemoteCheck: what nobody could have noted of a file is refused.
func TestRemoteCheck(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(r *Remote)
		want   string // in the error; "" for none
	}{
		{"as it was noted", func(*Remote) {}, ""},
		{"parts", func(r *Remote) { r.PartSize, r.Parts = 50, make([]Sum, 2) }, ""},
		{"parts without sums", func(r *Remote) { r.PartSize = 50 }, "0 parts of 50"},
		{"parts of a byte without sums", func(r *Remote) { r.PartSize = 1 }, "0 parts of 1"},
		{"a part too few", func(r *Remote) { r.PartSize, r.Parts = 50, make([]Sum, 1) }, "1 parts of 50"},
		{"parts of nothing", func(r *Remote) { r.Parts = make([]Sum, 1) }, "1 parts of 0"},
		{"parts below nothing", func(r *Remote) { r.PartSize = -1 }, "-1 bytes"},
		{"no bucket", func(r *Remote) { r.Bucket = "" }, "no name of a bucket"},
		{"a bucket with a slash", func(r *Remote) { r.Bucket = "a/b" }, "no name of a bucket"},
		{"a bucket without end", func(r *Remote) { r.Bucket = strings.Repeat("a", 1<<20) }, "no name of a bucket"},
		{"the key of another file", func(r *Remote) { r.Key = "p/y.warc.gz" }, "no key of"},
		{"a key that goes up", func(r *Remote) { r.Key = "p/x.warc.gz/.." }, "no key of"},
		{"a key of two lines", func(r *Remote) { r.Key = "p\n/x.warc.gz" }, "no key of"},
		{"no size", func(r *Remote) { r.Size = 0 }, "its size"},
		{"a size below nothing", func(r *Remote) { r.Size = -5 }, "its size"},
		{"an ETag of two lines", func(r *Remote) { r.ETag = "a\r\nX: y" }, "ETag"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &Remote{Bucket: "bucket", Key: "p/x.warc.gz", Size: 100, ETag: `"abc"`}
			c.change(r)
			err := r.Check("x.warc.gz")
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Error(err)
			}
			if err != nil && len(err.Error()) > 400 {
				t.Errorf("%d bytes of an error", len(err.Error()))
			}
		})
	}
}
