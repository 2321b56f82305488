package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"
)

// The value of a capture in the index: what its key does not say.
//
//	version(1)  1
//	flags(1)    1 digestSHA1: the digest is "sha1:" and the base32 of these 20 bytes
//	            2 longKey: the SURT stands at the end
//	            4 extras: there are some, see extras.go
//	            8 other: the method is not GET
//	            16 truncated
//	            32 whole: of status 206, and all bytes of the entity
//	            64 query: the requestBody is in the extras, and not here. If its key is cut, the SURT
//	            is not here either, nor has the URL anything in common with it
//	uvarint     length of the gzip member
//	uvarint     HTTP status
//	uvarint     microseconds, 0 to 999, and 1000 times the entity
//	text        MIME, and then digest, method, requestBody
//	uvarint     how many bytes the URL and the SURT have in common at their ends
//	text        the bytes of the URL before them
//	text        the SURT, with longKey
//
// Programs that know neither the entity nor the flags from 16 on read the rest as it is: they take
// the microseconds modulo 1000.
const (
	valueVersion = 1

	flagDigestSHA1 = 1 << 0
	flagLongKey    = 1 << 1
	flagExtras     = 1 << 2
	flagOther      = 1 << 3
	flagTruncated  = 1 << 4
	flagWhole      = 1 << 5
	flagQuery      = 1 << 6

	perEntity = 1000 // the number before the microseconds
)

var errValue = fmt.Errorf("%w: a capture's value", ErrDamaged)

// appendValue appends the value of c, whose URL key is urlKey.
func appendValue(dst, urlKey []byte, c *Capture) []byte {
	start := len(dst)
	dst = append(dst, valueVersion, 0)
	dst = binary.AppendUvarint(dst, uint64(c.Length))
	dst = binary.AppendUvarint(dst, uint64(max(c.Status, 0)))
	micro := uint64(FourDigitYear(c.Time).Nanosecond() / 1e3 % 1e3)
	dst = binary.AppendUvarint(dst, micro+perEntity*uint64(c.Entity))
	dst = appendText(dst, c.MIME)
	if digest, ok := appendDigest(dst, c.Digest); ok {
		dst = digest
		dst[start+1] |= flagDigestSHA1
	} else {
		dst = appendText(dst, c.Digest)
	}
	dst = appendText(dst, c.Method)
	if c.hasLongQuery() {
		dst[start+1] |= flagQuery
		dst = appendText(dst, "")
	} else {
		dst = appendText(dst, c.RequestBody)
	}
	if c.isCut(urlKey) {
		urlKey = nil
	}
	common := commonEnd(c.URL, urlKey)
	dst = binary.AppendUvarint(dst, uint64(common))
	dst = appendText(dst, c.URL[:len(c.URL)-common])
	if len(urlKey) > maxURLKey {
		dst[start+1] |= flagLongKey
		dst = appendText(dst, urlKey)
	}
	dst[start+1] |= c.flags()
	return dst
}

// flags returns those that say something of the capture, and nothing of its value.
func (c *Capture) flags() (flags byte) {
	if c.hasExtras() {
		flags |= flagExtras
	}
	if !c.isGET() {
		flags |= flagOther
	}
	if c.Truncated {
		flags |= flagTruncated
	}
	if c.Whole {
		flags |= flagWhole
	}
	return flags
}

// hasFlag reports whether a value has that flag.
func hasFlag(value []byte, flag byte) bool { return len(value) > 1 && value[1]&flag != 0 }

// decoder makes captures of keys and values. All texts of a capture are cut from one string.
type decoder struct {
	text   []byte // of the last capture
	extras extrasReader
}

// capture returns the capture, without the name of its file. It looks into the extras only if
// something of the capture's line is there. The capture keeps nothing of key and value.
func (d *decoder) capture(key indexKey, value []byte, extras table) (Capture, error) {
	c, err := d.decode(key, value)
	if err == nil && hasFlag(value, flagQuery) {
		err = d.extras.readQuery(&c, key, extras.Get(key.location()))
	}
	return c, err
}

// decode is capture without what is in the extras: RequestBody is empty then, and URLKey is as much
// as the key holds.
func (d *decoder) decode(key indexKey, value []byte) (Capture, error) {
	v := reader{rest: value}
	if v.byte() != valueVersion {
		return Capture{}, errValue
	}
	flags := v.byte()
	length, status, micro := v.uvarint(), v.uvarint(), v.uvarint()
	mime, digest, method, body := v.text(), v.text(), v.text(), v.text()
	common, url := v.uvarint(), v.text()
	urlKey, err := fullKey(key, flags, &v)
	if err != nil || v.failed || len(v.rest) > 0 || common > uint64(len(urlKey)) ||
		flags&flagQuery != 0 && len(body) > 0 || micro/perEntity > math.MaxUint32 {
		return Capture{}, errors.Join(errValue, err)
	}
	t, err := key.time()
	if err != nil {
		return Capture{}, err
	}

	d.text = append(d.text[:0], urlKey...)
	d.text = append(append(d.text, url...), urlKey[uint64(len(urlKey))-common:]...)
	urlEnd := len(d.text)
	d.text = append(d.text, mime...)
	digestStart := len(d.text)
	if flags&flagDigestSHA1 != 0 {
		d.text = appendSHA1(d.text, digest)
	} else {
		d.text = append(d.text, digest...)
	}
	digestEnd := len(d.text)
	d.text = append(append(d.text, method...), body...)
	s := string(d.text)
	return Capture{
		URLKey: s[:len(urlKey)], URL: s[len(urlKey):urlEnd],
		MIME: s[urlEnd:digestStart], Digest: s[digestStart:digestEnd],
		Method: s[digestEnd:][:len(method)], RequestBody: s[digestEnd+len(method):],
		Time: t.Add(time.Duration(micro%perEntity) * time.Microsecond), Status: int(status),
		Truncated: flags&flagTruncated != 0, Whole: flags&flagWhole != 0,
		Entity:   uint32(micro / perEntity),
		Location: Location{Offset: key.offset(), Length: int64(length)},
	}, nil
}

// fullKey returns the SURT, which stands in the key or at the end of the value; of a cut key what
// it has.
func fullKey(key indexKey, flags byte, v *reader) ([]byte, error) {
	if err := key.check(); err != nil {
		return nil, err
	}
	if key.long() && !key.cut() != (flags&flagLongKey != 0) || key.cut() && flags&flagQuery == 0 {
		return nil, errValue
	}
	if flags&flagLongKey != 0 {
		return v.text(), nil
	}
	return key.urlKey(), nil
}

// longURLKey returns the SURT of a value with flagLongKey, or nil if there is none. It decodes
// nothing else.
func longURLKey(value []byte) []byte {
	v := reader{rest: value}
	v.byte()
	v.byte()
	for range 3 {
		v.uvarint()
	}
	for range 4 {
		v.text()
	}
	v.uvarint()
	v.text()
	return v.text()
}
