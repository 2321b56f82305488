package collection

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// ownPaths are the first segments of the paths at which a recorder and warcorder serve have pages
// of their own, and some that are kept for pages to come. What a collection has is at /NAME/….
var ownPaths = []string{
	"ca.crt", "ca.mobileconfig", "ca.p12", "ca.pem", "cdx", "collections", "config", "events", "export",
	"favicon.ico", "gaps", "healthz", "here", "hold", "live", "metrics", "pages", "pause", "proxy.pac",
	"readyz", "record", "reload", "remove", "replay", "report", "resume", "robots.txt", "rotate", "selection",
	"settle", "status", "trust", "upload", "warc", "web",
}

// IsOwnPath reports whether a name is the first segment of a path that has another meaning over
// HTTP, so that no collection can be read there. Case decides nothing: not all systems tell it
// apart.
func IsOwnPath(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains(ownPaths, name) || strings.HasPrefix(name, "token=")
}

// CheckNew refuses a name that a collection which is not there yet must not have.
func (d Dir) CheckNew() error {
	if name := d.Name(); IsOwnPath(name) && !d.Exists() {
		return fmt.Errorf("%q is no name for a collection: /%s is a page of the recorder's own, where "+
			"the collection could not be read over HTTP: give another", name, name)
	}
	return nil
}

// OtherName says what to do about a collection whose name is that of a page.
func (d Dir) OtherName() string {
	other := Dir(filepath.Join(filepath.Dir(string(d)), d.Name()+"-1"))
	return fmt.Sprintf("/%s is a page of warcorder's own: rename the directory %s while nobody has it "+
		"open, to %s say", d.Name(), d, other)
}
