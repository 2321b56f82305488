package uploading

import (
	"warcorder/store"
	"warcorder/store/collection"
)

// Parts is how far the upload of a file has come.
type Parts struct {
	Where    string
	Sent, Of int // parts; 0 if it is sent as a whole
}

// Begun is how far the uploads of a collection have come that are not at their end, by file.
func Begun(dir collection.Dir) (map[string]Parts, error) {
	names, err := dir.Uploads()
	all := make(map[string]Parts, len(names))
	for _, name := range names {
		var b begun
		if dir.ReadNote(dir.UploadNote(name), &b) != nil {
			continue // it has ended meanwhile, or settle sees to it
		}
		p := Parts{Where: (&store.Remote{Bucket: b.Bucket, Key: b.Key}).URL()}
		if b.Begun != nil && b.Begun.PartSize > 0 {
			p.Sent = len(b.Begun.Parts)
			p.Of = int((b.Begun.Size + b.Begun.PartSize - 1) / b.Begun.PartSize)
		}
		all[name] = p
	}
	return all, err
}

// StaleCopy is a copy that is not what the file is any more.
type StaleCopy struct {
	Name   string
	Remote store.Remote
}

// Stale are the copies of a collection that are not what the files are any more.
func Stale(dir collection.Dir) (all []StaleCopy, err error) {
	_, names, err := dir.Away()
	for _, name := range names {
		var n noted
		if dir.ReadNote(dir.StaleNote(name), &n) == nil {
			all = append(all, StaleCopy{name, n.Remote})
		}
	}
	return all, err
}
