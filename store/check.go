package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"warcorder/store/boltcheck"
	"warcorder/store/collection"
)

// damaged returns an error that wraps ErrDamaged, and says what is wrong.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
}

// judged returns err, and lets it wrap ErrDamaged if it is a Damage.
func judged(err error) error {
	if errors.As(err, new(boltcheck.Damage)) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// checkPages returns an error that wraps ErrDamaged unless file, of that size, is an index with
// sound pages, keys that can be taken apart, and as many captures as it says. It returns the pages
// to which something leads.
func checkPages(file io.ReaderAt, size int64,
	progress func(done, total int64)) (boltcheck.Pages, error) {
	var captures, counted, moments, timed int64
	check := func(bucket, key, value []byte) error {
		switch {
		case string(bucket) == string(bucketCaptures):
			captures++
			return indexKey(key).check()
		case string(bucket) == string(bucketTimeline):
			moments++
			_, err := decodeMoment(key, value)
			return err
		case string(bucket) == string(bucketMeta) && string(key) == string(metaCaptures) &&
			len(value) == 8:
			counted = int64(binary.BigEndian.Uint64(value))
		case string(bucket) == string(bucketMeta) && string(key) == string(metaTimeline) &&
			len(value) == 8:
			timed = int64(binary.BigEndian.Uint64(value))
		}
		return nil
	}
	used, err := boltcheck.Check(file, size, check, progress)
	if err != nil {
		return nil, judged(err)
	}
	if captures != counted {
		return nil, damaged("%d captures of %d", captures, counted)
	}
	if moments != timed {
		return nil, damaged("%d captures of %d in the timeline", moments, timed)
	}
	return used, nil
}

// Format is that of an index which this program has had open for writing, and the highest one that
// it knows. In one of format 1 no query is in the extras, and no key is cut.
const Format = 2

// checkFormat returns a *collection.Newer if the index is of a later format.
func checkFormat(s snapshot) error {
	got := s.bucket(bucketMeta).Get(metaFormat)
	if len(got) != 4 || [3]byte(got) != [3]byte{} || got[3] == 0 { // no version will come that far
		return damaged("its format is %x", got)
	}
	if found := binary.BigEndian.Uint32(got); found > Format {
		return &collection.Newer{What: "index format", Found: uint64(found), Known: Format}
	}
	return nil
}
