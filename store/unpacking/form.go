package unpacking

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"warcorder/store/warc"
)

// Form is what a file is.
type Form int

const (
	Unknown Form = iota
	WACZ         // a zip file with WARC files
	Multi        // a JSON that lists WACZ files
	HAR          // a HAR, as it is or compressed with gzip
	HARZip       // a zip file with a HAR
	WARC09       // a WARC file of the draft of 2006
	WARC1        // a WARC file that needs no import
)

// known says which forms there are.
const known = "a WACZ file, a multi-WACZ JSON, a HAR, a zip file of one, or (with --from-format 0.9) a " +
	"WARC 0.9 file"

// FormOf tells what a file is by its bytes. Whoever gets Unknown gets an error that says what would be
// known.
func FormOf(path string) (Form, error) {
	file, err := openRegular(path)
	if err != nil {
		return Unknown, err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 64<<10)
	start, err := in.Peek(8)
	if err != nil && !errors.Is(err, io.EOF) {
		return Unknown, err
	}
	switch {
	case bytes.HasPrefix(start, []byte("PK\x03\x04")), bytes.HasPrefix(start, []byte("PK\x05\x06")):
		return formOfZip(path)
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return Unknown, fmt.Errorf("%s: it begins like a gzip file and cannot be read as one: %w", path, err)
		}
		in = bufio.NewReaderSize(unzipped, 64<<10)
	}
	if form := formOfText(in); form != Unknown {
		return form, nil
	}
	return Unknown, unknown(path)
}

// openRegular opens a file, or what a link leads to. To open a pipe would be to wait for who writes.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file: name files, such as all.wacz or all.har", path)
	}
	return os.Open(path)
}

func unknown(path string) error {
	return fmt.Errorf("%s is none of what can be imported: %s", path, known)
}

// formOfText tells what a text is.
func formOfText(in *bufio.Reader) Form {
	skipMark(in)
	start, _ := in.Peek(len("warc/0."))
	switch {
	case bytes.HasPrefix(start, []byte("warc/0.")):
		return WARC09
	case bytes.HasPrefix(start, []byte(warcStart)):
		return WARC1
	}
	return formOfJSON(json.NewDecoder(io.LimitReader(in, mostText)))
}

// skipMark skips the byte order mark that some tools on Windows begin a text with.
func skipMark(in *bufio.Reader) {
	const mark = "\xef\xbb\xbf"
	if start, _ := in.Peek(len(mark)); string(start) == mark {
		in.Discard(len(mark))
	}
}

// How far into a JSON its form is looked for: it is told by a name on the first level, which comes
// early.
const (
	mostTokens = 10_000
	mostText   = 1 << 20
)

// formOfJSON tells what a JSON is by the names on its first level.
func formOfJSON(in *json.Decoder) Form {
	if first, err := in.Token(); err != nil || first != json.Delim('{') {
		return Unknown
	}
	for left := mostTokens; left > 0 && in.More(); {
		name, err := in.Token()
		switch {
		case err != nil:
			return Unknown
		case name == "log":
			return HAR
		case name == "resources":
			return Multi
		}
		left = skip(in, left-1)
	}
	return Unknown
}

// skip reads a value of at most so many tokens, and returns how many more may be read: none if it is
// not whole.
func skip(in *json.Decoder, most int) (left int) {
	depth := 0
	for left = most - 1; left > 0; left-- {
		switch token, err := in.Token(); {
		case err != nil:
			return 0
		case token == json.Delim('{'), token == json.Delim('['):
			depth++
		case token == json.Delim('}'), token == json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return left
		}
	}
	return 0
}

// formOfZip tells what a zip file is by the names in it.
func formOfZip(path string) (Form, error) {
	z, err := openZip(path)
	if err != nil {
		return Unknown, err
	}
	defer z.Close()
	switch {
	case z.named(packageName) != nil || len(z.in(archive, warc.Suffixes()...)) > 0:
		return WACZ, nil
	case len(z.in("", ".har")) > 0:
		return HARZip, nil
	}
	var some []string
	for _, f := range z.members[:min(len(z.members), 3)] {
		some = append(some, fmt.Sprintf("%.80q", f.Name))
	}
	if len(some) == 0 {
		return Unknown, fmt.Errorf("%s is a zip file with nothing in it", path)
	}
	return Unknown, fmt.Errorf("%s is a zip file, and neither a WACZ file nor one with a HAR in it; it has %s",
		path, strings.Join(some, ", "))
}
