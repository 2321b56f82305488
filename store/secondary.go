package store

import "encoding/binary"

// A secondary key has a bucket of its name, whose keys are made as those of the captures are
// (key.go), with the secondary key in the place of the SURT. The value leads to the capture:
//
//	version(1)  1; 2 if the bytes in common are at the beginnings, as those of the key query are
//	flags(1)    1 longKey: the secondary key stands at the end
//	            2 longURLKey: the key of the capture is long
//	uvarint     how many bytes the secondary key and the SURT, as far as that is in the key of the
//	            capture, have in common at their ends
//	text        the other bytes of the SURT
//	text        the secondary key, with longKey
const (
	secondaryVersion = 1
	startVersion     = 2

	flagSecondaryLong = 1 << 0
	flagSecondaryURL  = 1 << 1
)

// appendSecondary appends the value that leads from a secondary key of that name, as appendURLKey
// gives it, to the capture whose key is primary.
func appendSecondary(dst []byte, name Key, key []byte, primary indexKey) []byte {
	version, flags := byte(secondaryVersion), byte(0)
	if len(key) > maxURLKey {
		flags |= flagSecondaryLong
	}
	if primary.long() {
		flags |= flagSecondaryURL
	}
	urlKey := primary.urlKey()
	common := 0
	if name == QueryKey {
		version, common = startVersion, commonStart(key, urlKey)
		urlKey = urlKey[common:]
	} else {
		common = commonEnd(key, urlKey)
		urlKey = urlKey[:len(urlKey)-common]
	}
	dst = binary.AppendUvarint(append(dst, version, flags), uint64(common))
	dst = appendText(dst, urlKey)
	if len(key) > maxURLKey {
		dst = appendText(dst, key)
	}
	return dst
}

// decodeSecondary takes a secondary key and its value apart: it returns the key's text, and appends
// the key of the capture to dst.
func decodeSecondary(dst []byte, k indexKey, value []byte) (key, capture []byte, err error) {
	v := reader{rest: value}
	version, flags, common, urlKey := v.byte(), v.byte(), v.uvarint(), v.text()
	if err := k.check(); err != nil {
		return nil, nil, err
	}
	if k.long() {
		key = v.text()
	} else {
		key = k.urlKey()
	}
	if v.failed || len(v.rest) > 0 || k.long() != (flags&flagSecondaryLong != 0) ||
		common > uint64(len(key)) {
		return nil, nil, errValue
	}
	switch version {
	case secondaryVersion:
		dst = append(append(dst, urlKey...), key[uint64(len(key))-common:]...)
	case startVersion:
		dst = append(append(dst, key[:common]...), urlKey...)
	default:
		return nil, nil, errValue
	}
	if flags&flagSecondaryURL != 0 {
		dst = append(dst, longMark)
	} else {
		dst = append(dst, ' ')
	}
	return key, append(dst, k.tail()...), nil
}

// longSecondary returns the secondary key of a value with longKey; nil if there is none.
func longSecondary(value []byte) []byte {
	v := reader{rest: value}
	v.byte()
	v.byte()
	v.uvarint()
	v.text()
	return v.text()
}

// longText returns the whole of a key of that name from the value of a key that is long.
func (k Key) longText(value []byte) []byte {
	if k.primary() {
		return longURLKey(value)
	}
	return longSecondary(value)
}
