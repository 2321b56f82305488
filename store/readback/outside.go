package readback

import (
	"errors"
	"fmt"
	"strings"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// Outside is an ErrNoOriginal: nothing is lost, for the recorder has found the body of the revisit in
// another archive (dedup-from), and stored no body.
type Outside struct {
	URL    string `json:"url"`    // of the record that has the body
	Date   string `json:"date"`   // of that record, as the revisit has it
	Digest string `json:"digest"` // of its payload

	// Archives are those that were looked at when the file was written; one of them has it.
	Archives []string `json:"archives"`
}

// Error says what is needed, and where it is.
func (o *Outside) Error() string {
	return fmt.Sprintf("the revisit's original is in another archive: %s of %s, payload %s, in %s", o.URL,
		o.Date, o.Digest, strings.Join(o.Archives, " or "))
}

// Is lets errors.Is take it for ErrNoOriginal.
func (o *Outside) Is(target error) bool { return target == ErrNoOriginal }

// noOriginal is an ErrNoOriginal of a revisit, which tells more if the original was never here. Files
// of ours name by WARC-Refers-To what is of their own collection.
func (f *Files) noOriginal(c *store.Capture, h warc.Header, err error) error {
	o := Outside{URL: h.Get("WARC-Refers-To-Target-URI"), Date: h.Get("WARC-Refers-To-Date"),
		Digest: h.Get("WARC-Payload-Digest")}
	if h.Get("WARC-Refers-To") != "" || o.URL == "" || o.Date == "" {
		return err
	}
	var failed error
	if o.Archives, failed = f.dedupFrom(c.File); failed != nil {
		return errors.Join(err, failed)
	}
	if len(o.Archives) == 0 {
		return err
	}
	return place(c.Location, &o)
}

// dedupFrom is collection.DedupFrom, read once for each of the files that are asked for lately.
func (f *Files) dedupFrom(name string) (archives []string, err error) {
	f.mu.Lock()
	archives, known := f.archives.Get(name)
	f.mu.Unlock()
	if known {
		return archives, nil
	}
	if archives, err = f.readDedupFrom(name); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.archives.Add(name, archives)
	return archives, nil
}

func (f *Files) readDedupFrom(name string) ([]string, error) {
	known, _ := f.progress.File(name)
	file, err := f.holdings.Open(known)
	if err != nil {
		return nil, err
	}
	archives, err := collection.DedupFromIn(file.Section(file.Size), file.Path)
	return archives, errors.Join(err, file.Close())
}
