package uploading

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// Keep is what stays in the collection of the files of which a verified copy is in object storage. The
// zero Keep keeps all.
type Keep struct {
	Some  bool          // not all stays: one of the two says what
	For   time.Duration // that long after a copy was verified
	Bytes int64         // as many bytes, of the latest; -1 if For says it
}

// UnmarshalText reads 24h, 7d, 200GB, 0 or nothing.
func (k *Keep) UnmarshalText(text []byte) error {
	said := strings.TrimSpace(string(text))
	*k = Keep{Some: true, Bytes: -1}
	if said == "" || said == "0" {
		k.Some = said != ""
		if !k.Some {
			k.Bytes = 0
		}
		return nil
	}
	if number, is := strings.CutSuffix(said, "d"); is {
		if days, err := strconv.ParseUint(number, 10, 16); err == nil {
			k.For = time.Duration(days) * 24 * time.Hour
			return nil
		}
	}
	if d, err := time.ParseDuration(said); err == nil && d >= 0 {
		k.For = d
		return nil
	}
	bytes, err := humanize.ParseBytes(said)
	if _, bare := strconv.ParseUint(said, 10, 64); err != nil || bare == nil || bytes > 1<<62 {
		return fmt.Errorf("%q says neither how long nor how much is to stay: write a time, 24h or 7d, or a "+
			"size, 200GB; 0 keeps nothing that is in object storage, and an empty text keeps all", said)
	}
	k.Bytes = int64(bytes)
	return nil
}

// MarshalText is the inverse of UnmarshalText.
func (k Keep) MarshalText() ([]byte, error) {
	const day = 24 * time.Hour
	switch {
	case !k.Some:
		return []byte{}, nil
	case k.Bytes >= 0:
		return fmt.Appendf(nil, "%dB", k.Bytes), nil
	case k.For == 0:
		return []byte("0"), nil
	case k.For%day == 0:
		return fmt.Appendf(nil, "%dd", k.For/day), nil
	}
	text := k.For.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return []byte(text), nil
}

// String is the text of it.
func (k Keep) String() string {
	text, _ := k.MarshalText()
	return string(text)
}
