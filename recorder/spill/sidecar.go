package spill

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"warcorder/recorder/record"
)

// truncations are what WARC-Truncated may say (WARC 1.1 section 5.13), and "" for nothing.
var truncations = []string{"", "length", "time", "disconnect", "unspecified"}

// Check looks at what goes into the headers of records as it is.
func (line *Sidecar) Check() error {
	switch {
	case !slices.Contains(truncations, line.Truncated):
		return fmt.Errorf("it is truncated for no reason of WARC's: %q", line.Truncated)
	case len(line.Chain) > MaxChainKept || len(bytes.Join(line.Chain, nil)) > MaxChainKept:
		return errors.New("it has more certificates than a recorder keeps")
	case line.Extra != nil:
		return line.Extra.Check()
	case !record.IsHTTP(line.URL):
		return fmt.Errorf("%q is no URL of HTTP", line.URL)
	}
	return nil
}
