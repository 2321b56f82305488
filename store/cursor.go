package store

import "fmt"

// cursor reads the keys of one name, as they are at one moment. Where there is none, it gives a nil
// key.
type cursor struct {
	name     Key
	keys     table
	captures table
	extras   table
	walker   walker
}

func (c cursor) seek(key []byte) (indexKey, []byte) { return c.walker.Seek(key) }
func (c cursor) next() (indexKey, []byte)           { return c.walker.Next() }

// before returns the last key before that one.
func (c cursor) before(key []byte) (indexKey, []byte) {
	if k, _ := c.walker.Seek(key); k == nil {
		return c.walker.Last()
	}
	return c.walker.Prev()
}

func (c cursor) get(key indexKey) []byte { return c.keys.Get(key) }

// capture returns the key and the value of the capture to which a key of c and its value lead, and
// that key's text if it is a secondary one.
func (c cursor) capture(k indexKey, v []byte) (text []byte, key indexKey, value []byte, err error) {
	if c.name.primary() {
		return nil, k, v, nil
	}
	if text, key, err = decodeSecondary(nil, k, v); err != nil {
		return nil, nil, nil, err
	}
	if value = c.captures.Get(key); value == nil {
		return nil, nil, nil, fmt.Errorf("%w: a key %s without its capture", ErrDamaged, string(c.name))
	}
	return text, key, value, nil
}
