package objects

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

const (
	scheme = "s3://"

	// mostKey is how many bytes the key of an object has at most, in S3, and mostPrefix how many of
	// them a prefix may take: the rest is for the name of a file, which has 255 at most.
	mostKey    = 1024
	mostPrefix = 512
)

// Place is where objects are: a bucket, and what their keys begin with.
type Place struct {
	Bucket string
	Prefix string // without slashes at its ends; empty: the bucket as a whole
}

// Parse reads s3://BUCKET or s3://BUCKET/PREFIX. Its errors say what to write instead, and never
// repeat what may be a password.
func Parse(text string) (Place, error) {
	rest, is := strings.CutPrefix(text, scheme)
	if !is {
		return Place{}, errors.New("object storage is named as s3://BUCKET/PREFIX; where it is, and who " +
			"asks there, AWS_ENDPOINT_URL, AWS_REGION and the credentials of AWS say")
	}
	if strings.Contains(rest, "@") {
		return Place{}, errors.New("s3://BUCKET/PREFIX takes no user and no password: they are read from " +
			"AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from a profile")
	}
	bucket, prefix, _ := strings.Cut(rest, "/")
	p := Place{Bucket: bucket, Prefix: strings.Trim(prefix, "/")}
	return p, p.check()
}

// check refuses what no bucket or prefix can be.
func (p Place) check() error {
	switch {
	case p.Bucket == "":
		return errors.New("s3:// is followed by no bucket: write s3://BUCKET or s3://BUCKET/PREFIX")
	case !isBucket(p.Bucket):
		return fmt.Errorf("%.80q is no name of a bucket: 3 to 63 of a-z, 0-9, . and -, as its first and "+
			"last a letter or digit; where the storage is AWS_ENDPOINT_URL says", p.Bucket)
	case strings.ContainsAny(p.Prefix, "?#"):
		return fmt.Errorf("%s takes no ? and no #: a prefix of keys follows the bucket, and nothing else",
			scheme+p.Bucket+"/PREFIX")
	case len(p.Prefix) > mostPrefix:
		return fmt.Errorf("a prefix has %d bytes at most, this has %d", mostPrefix, len(p.Prefix))
	case !isPath(p.Prefix):
		return fmt.Errorf("the prefix %.80q has an empty part, . or .., or what cannot be printed: "+
			"other tools would look for it elsewhere", p.Prefix)
	}
	return nil
}

// isBucket reports whether a bucket may have the name, by the rules that all of S3 keeps to.
func isBucket(name string) bool {
	if len(name) < 3 || len(name) > 63 || strings.Contains(name, "..") {
		return false
	}
	for i := range len(name) {
		c := name[i]
		inner := i > 0 && i < len(name)-1
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || inner && (c == '-' || c == '.')) {
			return false
		}
	}
	return true
}

// isPath reports whether a prefix is a path that clients leave as it is.
func isPath(prefix string) bool {
	if prefix == "" {
		return true
	}
	for part := range strings.SplitSeq(prefix, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return !strings.ContainsFunc(prefix, func(r rune) bool {
		return !unicode.IsPrint(r) || r == unicode.ReplacementChar || r == '\\'
	})
}

// Key is the key of a name there.
func (p Place) Key(name string) string {
	if p.Prefix == "" {
		return name
	}
	return p.Prefix + "/" + name
}

// String is the address of the place, as Parse reads it.
func (p Place) String() string {
	if p.Prefix == "" {
		return scheme + p.Bucket
	}
	return scheme + p.Bucket + "/" + p.Prefix
}
