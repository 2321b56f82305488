package verify_test

import (
	"strings"
	"testing"

	"warcorder/recorder"
	"warcorder/store/verify"
)

// TestRepacked: a file that we recorded is held to how we write, whatever somebody has made of it
// since: the index finds nothing in it any more.
func TestRepacked(t *testing.T) {
	dir := t.TempDir()
	record(t, recorder.Config{}, dir, healthy())
	path := archive(t, dir)[0]
	var texts []string
	for _, m := range membersOf(t, read(t, path)) {
		texts = append(texts, m.text)
	}
	all := strings.Join(texts, "")
	for name, file := range map[string]struct {
		content string
		code    verify.Code
		text    string
	}{
		"unpacked":      {all, verify.NotMember, "no gzip member begins here"},
		"as one member": {packPlain(all), verify.SecondRecord, "in the same gzip member"},
		"with a line break too many": {packPlain(texts[0]+"\r\n") + packPlain(texts[1]),
			verify.ContentLength, "do not fill the gzip member"},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, path, []byte(file.content))
			found := files(t, path)
			if len(found.all) == 0 || found.all[0].Code != file.code || found.all[0].Note ||
				!strings.Contains(found.all[0].Text, file.text) {
				t.Errorf("%+v", found.all)
			}
		})
	}
}
