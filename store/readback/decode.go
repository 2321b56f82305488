package readback

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// ErrCoding says that a content coding cannot be taken off: it is not known how, or the body breaks
// off or is damaged behind its beginning.
var ErrCoding = errors.New("the content coding cannot be taken off")

const (
	// maxCodings bounds the codings of one body, each of which may stand for a thousand times as many
	// bytes.
	maxCodings = 2

	// maxWindow is how many bytes the frames of a body may refer back to (RFC 9659).
	maxWindow = 8 << 20

	// mostMistaken is how much of a body is kept until the first byte has been decoded.
	mostMistaken = 64 << 10
)

// ErrLong says that a body is longer, without one of its codings, than whoever reads it would have it.
var ErrLong = errors.New("it would be too long")

// Decoded is the entity without its content codings: gzip, deflate in both forms, br and zstd. It
// is read instead of Body. As in browsers, a coding that is not known counts as none, and what
// follows the end of a gzip stream is left out. A body that does not begin as its coding does is
// given as it is, since tools store bodies without the coding that their heads name. One that
// breaks later ends with ErrCoding.
func (r *Response) Decoded() (io.Reader, error) { return r.decode(r.Entity(), math.MaxInt64) }

// DecodedWithin is Decoded, and ends with ErrLong where what comes of one of the codings is longer than
// so many bytes. An entity without codings is given as it is.
func (r *Response) DecodedWithin(most int64) (io.Reader, error) { return r.decode(r.Entity(), most) }

// bounded ends with ErrLong behind so many bytes.
type bounded struct {
	io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, ErrLong
	}
	return n, err
}

// decode is DecodedWithin for the entity, or its beginning.
func (r *Response) decode(in io.Reader, most int64) (io.Reader, error) {
	codings := codingsOf(r.coded)
	if len(codings) > maxCodings {
		return nil, fmt.Errorf("%w: there are %d", ErrCoding, len(codings))
	}
	for _, coding := range slices.Backward(codings) {
		begin := decoders[coding]
		if begin == nil {
			return nil, fmt.Errorf("%w: %s", ErrCoding, coding)
		}
		if most < math.MaxInt64 {
			in = &bounded{in, most}
		}
		in = &decoded{coding: coding, begin: begin, in: coded{r: in, keeps: true}}
	}
	if len(codings) > 0 && most < math.MaxInt64 {
		in = &bounded{in, most}
	}
	return in, nil
}

// IsDecoded reports whether the entity is stored without a content coding that its head names, as
// some tools store it. Body is then read from its beginning.
func (r *Response) IsDecoded() (bool, error) {
	in, err := r.decode(io.LimitReader(r.Entity(), mostMistaken+1), math.MaxInt64) // more of it shows nothing
	if err == nil {
		_, err = in.Read(make([]byte, 1)) // a body that breaks off later has its coding
	}
	outer, isCoded := in.(*decoded)
	isDecoded := false
	for isCoded {
		isDecoded = isDecoded || outer.plain && !outer.isEmpty()
		outer, isCoded = outer.in.r.(*decoded)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, ErrCoding) {
		err = nil
	}
	return isDecoded, errors.Join(err, r.again())
}

// codingsOf returns the content codings that a head names, in the order in which they were applied.
func codingsOf(head []byte) (codings []string) {
	eachField(head, "Content-Encoding", func(value []byte) {
		for one := range bytes.SplitSeq(value, []byte(",")) {
			coding := strings.ToLower(string(bytes.TrimSpace(one)))
			if _, known := decoders[coding]; known && len(codings) <= maxCodings {
				codings = append(codings, coding)
			}
		}
	})
	return codings
}

// decoders begin to take codings off; nil for those that are known, and that no reader takes off:
// they need a dictionary, or nobody uses them.
var decoders = map[string]func(io.Reader) (io.Reader, error){
	"gzip": gunzip, "x-gzip": gunzip, "deflate": inflate, "br": unbrotli, "zstd": unzstd,
	"dcb": nil, "dcz": nil, "compress": nil, "x-compress": nil,
}

func gunzip(in io.Reader) (io.Reader, error) {
	r, err := gzip.NewReader(in)
	if err == nil {
		r.Multistream(false)
	}
	return r, err
}

// inflate takes off the coding deflate: in its zlib form, or bare, as some servers send it.
func inflate(in io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(in)
	start, _ := buffered.Peek(2)
	if len(start) == 2 && start[0]&0xf == 8 && (int(start[0])<<8|int(start[1]))%31 == 0 {
		return zlib.NewReader(buffered)
	}
	return flate.NewReader(buffered), nil
}

func unbrotli(in io.Reader) (io.Reader, error) { return brotli.NewReader(in), nil }

func unzstd(in io.Reader) (io.Reader, error) {
	return zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
}

// decoded is what a coding stands for.
type decoded struct {
	coding string
	begin  func(io.Reader) (io.Reader, error)
	in     coded
	out    io.Reader // nil before the first Read
	plain  bool      // it is not coded
	end    error     // of Read: what could not begin, or has ended, is not asked again
}

func (d *decoded) Read(p []byte) (n int, err error) {
	if len(p) == 0 || d.end != nil {
		return 0, d.end
	}
	n, d.end = d.decode(p)
	return n, d.end
}

// decode reads the next bytes of what the coding stands for.
func (d *decoded) decode(p []byte) (n int, err error) {
	if d.out == nil {
		d.out, err = d.begin(&d.in)
	}
	if err == nil {
		n, err = d.out.Read(p)
	}
	switch {
	case n > 0:
		d.in.keeps, d.in.kept = false, nil
	case d.in.err != nil && !errors.Is(d.in.err, io.EOF):
		err = d.in.err
	case err != nil && d.in.keeps && !d.plain && d.isMistaken(err):
		d.plain, d.in.keeps = true, false
		d.out = io.MultiReader(bytes.NewReader(d.in.kept), &d.in)
		return d.out.Read(p)
	}
	if err == nil || err == io.EOF || d.plain || err == d.in.err {
		return n, err
	}
	return n, fmt.Errorf("%w: %s: %w", ErrCoding, d.coding, err)
}

// isMistaken reports whether an error before the first byte shows that the body has no such coding.
// A body that ends too early for the coding may be one that was cut, unless it is text.
func (d *decoded) isMistaken(err error) bool {
	switch {
	case err == io.EOF:
		return d.isEmpty()
	case errors.Is(err, io.ErrUnexpectedEOF):
		return isText(d.in.kept)
	}
	return true
}

// isText reports whether b has no byte that no text has.
func isText(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' || r == 0x7f
	})
}

// isEmpty reports whether nothing was to be decoded.
func (d *decoded) isEmpty() bool { return len(d.in.kept) == 0 }

// coded is a coded body. Until it is seen to be one, its beginning is kept.
type coded struct {
	r     io.Reader
	keeps bool
	kept  []byte
	err   error // of r
}

func (c *coded) Read(p []byte) (n int, err error) {
	n, err = c.r.Read(p)
	if c.keeps {
		c.kept = append(c.kept, p[:n]...)
		if len(c.kept) > mostMistaken {
			c.keeps, c.kept = false, nil
		}
	}
	if err != nil {
		c.err = err
	}
	return n, err
}
