package canon

// An alphabet says what each byte becomes when it is written: itself, another byte, or 0 if it is
// percent-encoded.
type alphabet [256]byte

const upperHex = "0123456789ABCDEF"

const alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// keeping returns the alphabet of letters, digits and chars.
func keeping(chars string) *alphabet {
	var a alphabet
	for _, c := range []byte(alphanumeric + chars) {
		a[c] = c
	}
	return &a
}

// printable returns the alphabet of printable ASCII.
func printable() *alphabet {
	var a alphabet
	for c := byte(' '); c <= '~'; c++ {
		a[c] = c
	}
	return &a
}

// except has chars escaped.
func (a *alphabet) except(chars string) *alphabet {
	for _, c := range []byte(chars) {
		a[c] = 0
	}
	return a
}

// plus makes a space a plus sign.
func (a *alphabet) plus() *alphabet {
	a[' '] = '+'
	return a
}

// percentPlus is the percent plus encoding (Request Body Canonicalization, appendix), which is
// Python's quote_plus.
var percentPlus = keeping("-._~").plus()

// jsForm is how URLSearchParams writes (URL Standard, application/x-www-form-urlencoded).
var jsForm = keeping("*-._").plus()

// encoded returns s, percent-encoded as in append.
func (a *alphabet) encoded(s string) string {
	size := len(s)
	for i := range len(s) {
		if a[s[i]] == 0 {
			size += 2
		}
	}
	return string(a.appendString(make([]byte, 0, size), s))
}

// append appends s, percent-encoded in upper case where the alphabet asks for it.
func (a *alphabet) append(dst, s []byte) []byte {
	for _, c := range s {
		dst = a.appendByte(dst, c)
	}
	return dst
}

// appendString is append for a string.
func (a *alphabet) appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		dst = a.appendByte(dst, s[i])
	}
	return dst
}

func (a *alphabet) appendByte(dst []byte, c byte) []byte {
	if as := a[c]; as != 0 {
		return append(dst, as)
	}
	return appendEscape(dst, c)
}

func appendEscape(dst []byte, c byte) []byte {
	return append(dst, '%', upperHex[c>>4], upperHex[c&15])
}

// escaped returns the byte that s begins with an escape of.
func escaped[T string | []byte](s T) (c byte, ok bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	high, low := unhex[s[1]], unhex[s[2]]
	return high<<4 | low, high|low <= 15
}

// appendDecoded appends s with its escapes decoded once; a % that begins none stays.
func appendDecoded[T string | []byte](dst []byte, s T) []byte {
	for i := 0; i < len(s); i++ {
		c, ok := escaped(s[i:])
		if ok {
			i += 2
		} else {
			c = s[i]
		}
		dst = append(dst, c)
	}
	return dst
}
