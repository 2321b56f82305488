package store

// Gone calls yield with the key and the record ID of each original of the files that are left out which
// the new index does not have, once Fill has brought what these files have now. Of what is in neither,
// since a later original has taken its key, nobody can tell. An error of yield ends it.
func (r *Renewal) Gone(yield func(key OriginalKey, id [16]byte) error) error {
	from := []byte{}
	for from != nil {
		some, next, err := r.originalsFrom(from)
		if err != nil {
			return err
		}
		for i := range some {
			now, found, err := r.to.Original(some[i].Key)
			if err != nil {
				return err
			}
			if found && now.RecordID == some[i].RecordID {
				continue
			}
			if err := yield(some[i].Key, some[i].RecordID); err != nil {
				return err
			}
		}
		from = next
	}
	return nil
}

// originalsFrom reads some originals of the files that are left out, from a key on; next is nil if
// nothing follows. Each look is short, so that who commits does not wait.
func (r *Renewal) originalsFrom(key []byte) (some []Original, next []byte, err error) {
	err = r.from.read(func(s snapshot) error {
		w := s.bucket(bucketDedup).walk()
		k, v := w.Seek(key)
		for n := 0; k != nil && n < rowsAtOnce; n++ {
			o, id, err := decodeOriginal(OriginalKey(k), v)
			if err != nil {
				return err
			}
			if r.without[id] {
				some = append(some, o)
			}
			k, v = w.Next()
		}
		next = append(next, k...)
		return nil
	})
	return some, next, err
}
