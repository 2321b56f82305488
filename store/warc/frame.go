package warc

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// The frames of zstd (RFC 8878 section 3.1) as WARC files use them (iipc, "Zstandard compression of
// WARC files" 1.0): each record is a frame; the file may begin with a skippable frame that contains
// the dictionary of all frames, compressed or not.
const (
	frameMagic      = "\x28\xb5\x2f\xfd"
	dictionaryMagic = 0x184d2a5d
	skippableMagic  = 0x184d2a50 // to 0x184d2a5f
	skippableHeader = 8

	maxDictionary = 64 << 20
	maxWindow     = 128 << 20 // bytes that a frame may refer back to and the decoder keeps

	frameStart  = 256 << 10 // more than a frame's first block takes
	blockHeader = 3
	checksum    = 4
	rleBlock    = 1
)

// isFrame reports whether b begins with the magic of a frame, skippable or not.
func isFrame(b []byte) bool {
	return len(b) >= len(frameMagic) && (string(b[:len(frameMagic)]) == frameMagic || isSkippable(b))
}

func isSkippable(b []byte) bool {
	return len(b) >= len(frameMagic) && binary.LittleEndian.Uint32(b)&^0xf == skippableMagic
}

// frame reads the bytes of one zstd frame, block by block. The end of the frame is thus known
// before anything is decompressed, and the decoder takes nothing of the next frame.
type frame struct {
	decoder *zstd.Decoder

	in          *bufio.Reader
	left        int64 // bytes left of the header or block that is being passed on
	last        bool  // that block is the frame's last
	hasChecksum bool
}

// newFrame returns the frame reader of the file that r reads. r is at the beginning of the file,
// where newFrame reads the dictionary.
func newFrame(r *Reader) (*frame, error) {
	options := []zstd.DOption{
		zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow),
	}
	dictionary, err := readDictionary(r.in)
	if err != nil {
		return nil, err
	}
	if dictionary != nil {
		options = append(options, zstd.WithDecoderDicts(dictionary))
	}
	decoder, err := zstd.NewReader(nil, options...)
	if err != nil {
		return nil, badDictionary(err)
	}
	return &frame{decoder: decoder}, nil
}

// readDictionary reads the dictionary at the beginning of a file; nil if there is none.
func readDictionary(in *bufio.Reader) ([]byte, error) {
	head, err := in.Peek(skippableHeader)
	if err != nil || binary.LittleEndian.Uint32(head) != dictionaryMagic {
		return nil, nil
	}
	size := binary.LittleEndian.Uint32(head[4:])
	if size > maxDictionary {
		return nil, fmt.Errorf("the dictionary has %d bytes, which is more than %d", size, maxDictionary)
	}
	if _, err := in.Discard(len(head)); err != nil {
		return nil, err
	}
	var dictionary bytes.Buffer
	if _, err := io.CopyN(&dictionary, in, int64(size)); err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(dictionary.Bytes(), []byte(frameMagic)) {
		return dictionary.Bytes(), nil
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxDictionary),
		zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	b, err := decoder.DecodeAll(dictionary.Bytes(), nil)
	if err != nil {
		return nil, badDictionary(err)
	}
	return b, nil
}

// badDictionary does not wrap err: the end of the dictionary is not the end of the file.
func badDictionary(err error) error { return fmt.Errorf("the dictionary: %v", err) }

// skipSkippable skips the skippable frames that come next.
func (r *Reader) skipSkippable() error {
	for {
		head, err := r.in.Peek(skippableHeader)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if !isSkippable(head) {
			return nil
		}
		if len(head) < skippableHeader {
			return ErrCut
		}
		size := int64(binary.LittleEndian.Uint32(head[4:]))
		if err := discard(r.in, skippableHeader+size); err != nil {
			return r.reason(err)
		}
		r.end = r.position()
	}
}

func discard(in *bufio.Reader, n int64) error {
	_, err := io.CopyN(io.Discard, in, n)
	return err
}

// begin makes the reader's text read the frame that its file is at.
func (f *frame) begin(r *Reader) error {
	if err := f.open(r.in); err != nil {
		return r.reason(err)
	}
	if err := f.decoder.Reset(f); err != nil {
		return r.reason(err)
	}
	r.text.Reset(f.decoder)
	return nil
}

// skip skips the frame that the file is at, without decompressing it.
func (f *frame) skip(r *Reader) error {
	if err := r.skipSkippable(); err != nil {
		return err
	}
	if err := f.open(r.in); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, f)
	return err
}

// open reads a frame's header; Read then starts with its first byte.
func (f *frame) open(in *bufio.Reader) error {
	b, err := in.Peek(zstd.HeaderMaxSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var header zstd.Header
	if err := header.Decode(b); err != nil {
		return err
	}
	if header.Skippable {
		return errors.New("a skippable frame") // skipSkippable has skipped those
	}
	f.in, f.left, f.last, f.hasChecksum = in, int64(header.HeaderSize), false, header.HasCheckSum
	return nil
}

func (f *frame) Read(p []byte) (int, error) {
	if f.left == 0 {
		if f.last {
			return 0, io.EOF
		}
		if err := f.nextBlock(); err != nil {
			return 0, err
		}
	}
	n, err := f.in.Read(p[:min(int64(len(p)), f.left)])
	f.left -= int64(n)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// nextBlock reads the length of the next block (RFC 8878 section 3.1.1.2).
func (f *frame) nextBlock() error {
	b, err := f.in.Peek(blockHeader)
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	head := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
	size := int64(head >> 3)
	if head>>1&3 == rleBlock {
		size = 1
	}
	f.left, f.last = blockHeader+size, head&1 == 1
	if f.last && f.hasChecksum {
		f.left += checksum
	}
	return nil
}

// nextFrame returns the offset of the next frame, from offset on, that begins a WARC record; if
// there is none, the size of the file.
func (s *search) nextFrame(offset int64, f *frame) (int64, error) {
	// the limit is for a file in which every few bytes seem to begin a frame
	left := chainCost*(s.size-offset) + resyncWindow
	for offset < s.size && left > 0 && s.left > -resyncWindow {
		b, err := s.load(offset)
		if err != nil {
			return 0, err
		}
		at := bytes.Index(b, []byte(frameMagic))
		if at < 0 {
			offset += int64(max(len(b)-len(frameMagic)+1, 1))
			continue
		}
		offset += int64(at)
		if b, err = s.load(offset); err != nil {
			return 0, err
		}
		in := &countingReader{r: bytes.NewReader(b)}
		if f.beginsRecord(in) {
			return offset, nil
		}
		left, s.left = left-in.n, s.left-in.n
		offset++
	}
	return s.size, nil
}

// beginsRecord reports whether in begins with a frame of a WARC record.
func (f *frame) beginsRecord(in io.Reader) bool {
	if f.open(bufio.NewReaderSize(in, 4<<10)) != nil || f.decoder.Reset(f) != nil {
		return false
	}
	var start [len(warcMagic)]byte
	_, err := io.ReadFull(f.decoder, start[:])
	return err == nil && string(start[:]) == warcMagic
}

// countingReader counts the bytes read through it.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
