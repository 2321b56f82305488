package fromhar

import (
	"encoding/json"
	"errors"
)

// maxFields is how many fields a head may have, and how many a form: each takes far more memory than
// the two bytes that it may be in a HAR.
const maxFields = 10_000

// errFields says that there are more.
var errFields = errors.New("more fields than a message has")

// fields are at most maxFields fields.
type fields []field

// UnmarshalJSON implements json.Unmarshaler. It counts before anything is made of the text.
func (f *fields) UnmarshalJSON(text []byte) error {
	if elements(text) > maxFields {
		return errFields
	}
	return json.Unmarshal(text, (*[]field)(f))
}

// counted is the number of the elements of an array, which are not kept.
type counted int

// UnmarshalJSON implements json.Unmarshaler.
func (c *counted) UnmarshalJSON(text []byte) error {
	*c = counted(elements(text))
	return nil
}

// elements returns how many elements an array has; 0 for what is no array. The text is valid JSON.
func elements(text []byte) (n int) {
	if len(text) == 0 || text[0] != '[' {
		return 0
	}
	s := spaces{}
	depth, empty := 0, true
	for _, b := range text {
		if !s.within {
			switch b {
			case '[', '{':
				empty = empty && depth == 0
				depth++
			case ']', '}':
				depth--
			case ',':
				if depth == 1 {
					n++
				}
			case ' ', '\t', '\n', '\r':
			default:
				empty = false
			}
		}
		s.step(b)
	}
	if empty {
		return 0
	}
	return n + 1
}
