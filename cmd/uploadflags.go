package cmd

import (
	"fmt"

	"warcorder/cmd/uploading"
	"warcorder/store/objects"
)

// uploadFlags say what becomes of finished files.
type uploadFlags struct {
	To    uploadPlace    `name:"upload" placeholder:"s3://BUCKET/PREFIX"`
	CDXJ  bool           `name:"upload-cdxj"`
	Local uploading.Keep `name:"keep-local" placeholder:"TIME|SIZE"`
}

// uploadPlace is where finished files go; the zero one is nowhere.
type uploadPlace struct{ objects.Place }

// UnmarshalText reads s3://BUCKET/PREFIX, or nothing.
func (p *uploadPlace) UnmarshalText(text []byte) (err error) {
	*p = uploadPlace{}
	if len(text) > 0 {
		p.Place, err = objects.Parse(string(text))
	}
	return err
}

// MarshalText is the inverse of UnmarshalText.
func (p uploadPlace) MarshalText() ([]byte, error) {
	if p.Bucket == "" {
		return []byte{}, nil
	}
	return fmt.Append(nil, p.Place), nil
}
