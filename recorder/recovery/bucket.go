package recovery

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/rs/zerolog"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/holdings"
	"warcorder/store/objects"
	"warcorder/store/warc"
)

// Bounds of what is taken from a bucket.
const (
	maxListed  = 5_000_000 // objects below a prefix
	maxName    = 230       // bytes of a file's name: its note has some more, and a system takes 255
	maxRefused = 100       // objects that are named each by itself, of those that cannot be taken
)

// listing is what there is below a prefix.
type listing struct {
	listed  map[string]*store.Remote  // by base name, without SHA-256
	twins   map[string][]store.Remote // further objects of the same base name
	refused []string                  // what could not be taken, and why
	passed  int                       // objects that are no WARC files
	seen    int
}

// list lists the WARC files below a prefix.
func list(from objects.Place, in *holdings.Holdings) (*listing, error) {
	storage, err := in.Storage()
	if err != nil {
		return nil, err
	}
	l := &listing{listed: make(map[string]*store.Remote), twins: make(map[string][]store.Remote)}
	for object, err := range storage.List(context.Background(), from) {
		if err == nil {
			err = l.add(&object)
		}
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", from, err)
		}
	}
	if len(l.listed) == 0 {
		return nil, fmt.Errorf("there is no WARC file below %s, of %d objects: say where the files are, as "+
			"s3://BUCKET/PREFIX", from, l.seen)
	}
	return l, nil
}

// add takes an object, if it is a WARC file.
func (l *listing) add(object *objects.Object) error {
	if l.seen++; l.seen > maxListed {
		return fmt.Errorf("there are more than %d objects: name a longer prefix", maxListed)
	}
	name := object.Key[strings.LastIndexByte(object.Key, '/')+1:] // none, if it marks a folder
	remote := store.Remote{Bucket: object.Bucket, Key: object.Key, Size: object.Size, ETag: object.ETag,
		Uploaded: object.Modified.UTC(), Released: true}
	switch {
	case !isWARCName(name):
		l.passed++
		return nil
	case strings.HasSuffix(name, warc.OpenSuffix):
		l.refuse(object, "it is a file that was being written")
		return nil
	}
	if err := checkListed(name, &remote); err != nil {
		l.refuse(object, err.Error())
		return nil
	}
	first := l.listed[name]
	switch {
	case first == nil:
		l.listed[name] = &remote
	case first.Size != remote.Size:
		return fmt.Errorf("%w: %s has %d bytes, and %s has %d", errTwins, first.URL(), first.Size,
			remote.URL(), remote.Size)
	default:
		l.twins[name] = append(l.twins[name], remote)
	}
	return nil
}

// errTwins says that two objects would be one file.
var errTwins = errors.New("two objects have one name and other content: a collection has one file of a " +
	"name; rename one of them, or name a longer prefix, a collection for each")

// isWARCName reports whether a name ends as those of WARC files do, finished or not.
func isWARCName(name string) bool {
	for _, suffix := range warc.Suffixes() {
		if strings.HasSuffix(strings.TrimSuffix(name, warc.OpenSuffix), suffix) {
			return true
		}
	}
	return false
}

// checkListed refuses what could be no file of a collection.
func checkListed(name string, remote *store.Remote) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("its name has %d bytes, and may have %d", len(name), maxName)
	case !collection.IsWARC(name) || strings.HasPrefix(name, ".") || strings.ContainsAny(name, `\:`):
		return errors.New("its name cannot be that of a file in archive/")
	case remote.Size == 0:
		return errors.New("it is empty")
	}
	if remote.Check(name) != nil {
		return errors.New("its key or its ETag is too long, or has what cannot be shown")
	}
	return nil
}

// refuse takes down an object that cannot be taken.
func (l *listing) refuse(object *objects.Object, why string) {
	if len(l.refused) < maxRefused {
		l.refused = append(l.refused, fmt.Sprintf("s3://%s/%.300q: %s", object.Bucket, object.Key, why))
	} else if len(l.refused) == maxRefused {
		l.refused = append(l.refused, "and others, which are not named")
	}
}

// RebuildFrom makes the index of a collection, which it makes if there is none, from its WARC files and
// those below a prefix of a bucket, which are away then: they are read, and not kept here. A file that
// is both here and there must have one content. What it is interrupted at begins anew the next time.
func RebuildFrom(cfg Config, dir collection.Dir, from objects.Place, log zerolog.Logger) (Found, error) {
	listed, err := list(from, holdings.New(dir))
	if err != nil {
		return Found{}, err
	}
	if err := dir.Make(cfg.Mode); err != nil {
		return Found{}, err
	}
	if listed.passed > 0 {
		log.Info().Int("objects", listed.passed).Msg("objects that are no WARC files are left where they are")
	}
	for _, text := range listed.refused {
		log.Error().Str("object", text).Msg("an object was not taken")
	}
	found, err := rebuildWith(cfg, dir, listed, log)
	found.Refused = listed.refused
	return found, err
}

// listedCopy is what is known of a file that is below the prefix: that of a note, if the note is of
// the same object.
func (r *recovery) listedCopy(name string, remote *store.Remote) *store.Remote {
	noted := r.copies.known[name]
	if noted != nil && noted.Bucket == remote.Bucket && noted.Key == remote.Key &&
		noted.ETag == remote.ETag && noted.Size == remote.Size {
		return noted
	}
	return remote
}

// checkNoted compares what was read below the prefix with what a note says of a file of that name,
// which is elsewhere.
func (r *recovery) checkNoted(name string, remote *store.Remote) error {
	noted := r.copies.noted[name]
	if noted == nil || noted.SHA256 == remote.SHA256 {
		return nil
	}
	return fmt.Errorf("%s is another file than %s, which the collection has under that name: rename one of "+
		"them, or remove %s", remote.URL(), noted.URL(), r.dir.AwayNote(name))
}

// checkTwins reads the other objects of the same name, which must have the same content.
func (r *recovery) checkTwins(name string, sum store.Sum) error {
	for _, twin := range r.twins[name] {
		other, err := r.sumOf(&twin)
		if err != nil {
			return err
		}
		if first := r.listed[name]; other.SHA256 != sum {
			return fmt.Errorf("%w: %s and %s", errTwins, first.URL(), twin.URL())
		}
	}
	return nil
}

// sumOf returns a Remote with the SHA-256 of its object, which it reads.
func (r *recovery) sumOf(remote *store.Remote) (*store.Remote, error) {
	in, summed, remote, err := r.openAway(remote)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", remote.URL(), err)
	}
	defer in.Close()
	sums, err := summed.Sums()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", remote.URL(), err)
	}
	known := *remote
	known.SHA256 = sums.Whole
	return &known, nil
}

// compareListed compares a file that is here with the object of its name below the prefix.
func (r *recovery) compareListed(f store.File, remote *store.Remote, sum store.Sum) (*store.Remote,
	error) {
	if remote.Size != f.Committed {
		return nil, fmt.Errorf("%s has %d bytes, and %s has %d: they are different files of one name; "+
			"rename one of them", r.path(f.Name), f.Committed, remote.URL(), remote.Size)
	}
	there, err := remote, error(nil)
	if remote.SHA256 == (store.Sum{}) {
		if there, err = r.sumOf(remote); err != nil {
			return nil, err
		}
	}
	if there.SHA256 != sum {
		return nil, fmt.Errorf("%s and %s are different files of one name: rename one of them",
			r.path(f.Name), remote.URL())
	}
	if err := r.checkTwins(f.Name, sum); err != nil {
		return nil, err
	}
	here := *there
	here.Released = false // it is here
	return &here, nil
}
