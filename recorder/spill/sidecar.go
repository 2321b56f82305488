package spill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"time"

	"warcorder/recorder/record"
	"warcorder/store/collection"
	"warcorder/store/fault"
)

// Sidecar is a line of a sidecar, in JSON: the facts of an exchange, and how much of it is where.
// The names of the fields are the format, which the next release must be able to read.
type Sidecar struct {
	Format     int           `json:"format"` // 1
	Done       bool          `json:"done"`   // nothing more comes; else it broke off with the recorder
	URL        string        `json:"url"`
	Method     string        `json:"method,omitempty"`
	Started    time.Time     `json:"started"`
	Ended      time.Time     `json:"ended,omitzero"`
	RemoteIP   netip.Addr    `json:"ip,omitzero"`
	TLS        uint16        `json:"tls,omitempty"`
	Cipher     uint16        `json:"cipher,omitempty"`
	Unverified string        `json:"unverified,omitempty"`
	Completion string        `json:"completion,omitempty"`
	Via        string        `json:"via,omitempty"`
	Truncated  string        `json:"truncated,omitempty"`
	Fault      string        `json:"fault,omitempty"`
	Chain      [][]byte      `json:"chain,omitempty"` // DER
	IDs        IDs           `json:"ids"`
	Request    *side         `json:"request,omitempty"`
	Response   *side         `json:"response,omitempty"`
	Extra      *record.Extra `json:"extra,omitempty"` // if it is no exchange
	Into       string        `json:"into,omitempty"`  // WARC file that its records are about to go to,
	At         int64         `json:"at,omitempty"`    // behind this offset
}

// IDs are the IDs of the records of an exchange, <urn:uuid:…>. The record of an [record.Extra] has
// that of the response.
type IDs struct {
	Response string `json:"response"`
	Request  string `json:"request"`
	Metadata string `json:"metadata"`
}

// side is one side of an exchange: how much of it is in its file, or, if it has none, its bytes.
type side struct {
	Length int64  `json:"length"`
	CRC32  uint32 `json:"crc32"`
	Bytes  []byte `json:"bytes,omitempty"`
}

const (
	sidecarFormat = 1

	// MaxChainKept is how many bytes of certificates in DER a line has at most. A longer chain is left
	// out.
	MaxChainKept = 64 << 10
)

// truncations are what WARC-Truncated may say (WARC 1.1 section 5.13), and "" for nothing.
var truncations = []string{"", "length", "time", "disconnect", "unspecified"}

// completions are what [record.Facts.Completion] may say.
var completions = []string{"", "part", "cut"}

// Check returns an error if the line holds what no recorder writes, as far as it would go into the
// headers of records as it is: a folder can be written to by others.
func (line *Sidecar) Check() error {
	switch {
	case !slices.Contains(truncations, line.Truncated):
		return fmt.Errorf("it is truncated for no reason of WARC's: %q", line.Truncated)
	case !slices.Contains(completions, line.Completion):
		return fmt.Errorf("it completes what no recorder does: %q", line.Completion)
	case !record.IsVia(line.Via):
		return fmt.Errorf("it came on a way that no recorder goes: %q", line.Via)
	case len(line.Chain) > MaxChainKept || len(bytes.Join(line.Chain, nil)) > MaxChainKept:
		return errors.New("it has more certificates than a recorder keeps")
	case line.Extra != nil:
		return line.Extra.Check()
	case !record.IsHTTP(line.URL):
		return fmt.Errorf("%q is no URL of HTTP", line.URL)
	}
	return nil
}

// writeLine appends a line to a file, which it makes if need be; flag is how it is opened.
func writeLine(path string, flag int, line *Sidecar) error {
	if err := fault.At(fault.SpillNote); err != nil {
		return err
	}
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|flag, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	return errors.Join(err, file.Close())
}

// maxSidecar is more than a sidecar has: four lines, each with the bytes of a side in memory.
const maxSidecar = 64 << 20

// ReadSidecar returns the last whole line of the sidecar at path, which is its full name. The line
// is still to be checked. An error that is no *fs.PathError says that the file has no such line.
func ReadSidecar(path string) (*Sidecar, error) {
	file, err := collection.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSidecar))
	if err != nil {
		return nil, err
	}
	for text = text[:bytes.LastIndexByte(text, '\n')+1]; len(text) > 0; {
		text = text[:len(text)-1]
		from := bytes.LastIndexByte(text, '\n') + 1
		line := new(Sidecar)
		if json.Unmarshal(text[from:], line) == nil && line.Format == sidecarFormat {
			return line, nil
		}
		text = text[:from]
	}
	return nil, errors.New("it has no whole line")
}

// parseIDs reads the IDs.
func parseIDs(from *IDs) (ids record.IDs, err error) {
	var ok [3]bool
	ids.Response, ok[0] = record.ParseID(from.Response)
	ids.Request, ok[1] = record.ParseID(from.Request)
	ids.Metadata, ok[2] = record.ParseID(from.Metadata)
	if ok != [3]bool{true, true, true} {
		return ids, fmt.Errorf("%v are no record IDs", *from)
	}
	return ids, nil
}
