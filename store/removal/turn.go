package removal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/chunks"
	"warcorder/store/readback"
	"warcorder/store/warc"
)

// turn writes what a revisit becomes.
func (o *writer) turn(ctx context.Context, e *edit) error {
	revisit := o.location(e.turn.at, e.turn.length)
	switch e.turn.how {
	case moved:
		return o.move(ctx, revisit, o.location(e.turn.from, e.turn.source))
	case redirected:
		return o.redirect(ctx, revisit, e.turn.to)
	}
	return o.bare(ctx, revisit)
}

// location is a place as readback has it.
func (p *Plan) location(at place, length int64) store.Location {
	return store.Location{File: p.files[at.file].Name, Offset: at.offset, Length: length}
}

// move writes a response that has the head of a revisit, and the body of the response that goes.
func (o *writer) move(ctx context.Context, revisit, from store.Location) error {
	own, err := o.readers.Message(revisit)
	if err != nil {
		return err
	}
	header, head, made := own.Header(), own.Head, own.Made || len(own.Head) == 0
	version, unended := own.Version(), own.Unended
	if err := own.Close(); err != nil {
		return err
	}
	body, err := o.bodyOf(ctx, from, head, made)
	if err != nil {
		return errors.Join(fmt.Errorf("%s at %d: %w", from.File, from.Offset, errNoOriginal), err)
	}
	if made {
		head = body.head
	} else if unended {
		return fmt.Errorf("%s at %d: the head of the revisit has no end: select it too", revisit.File,
			revisit.Offset)
	}
	fields := map[string]string{
		"WARC-Type": body.kind, "WARC-Profile": "", "WARC-Refers-To": "", "WARC-Truncated": body.truncated,
		"WARC-Refers-To-Target-URI": "", "WARC-Refers-To-Date": "",
	}
	if body.kind == "resource" {
		fields["Content-Type"] = body.contentType
	}
	sum := algorithmOf(header).NewHash()
	sum.Write(head)
	if err := body.each(ctx, func(r io.Reader) error { return copyTo(sum, r, body.size) }); err != nil {
		return errors.Join(fmt.Errorf("%s at %d: %w", from.File, from.Offset, errNoOriginal), err)
	}
	fields["WARC-Block-Digest"] = digestText(header, sum)
	size := int64(len(head)) + body.size
	h := record.ParseHead(head[:min(len(head), record.MaxHead)])
	return body.each(ctx, func(r io.Reader) error {
		return o.stream(changedHeader(version, header, size, fields), head, r, body.size, &h)
	})
}

// copyTo copies what must have size bytes.
func copyTo(w io.Writer, r io.Reader, size int64) error {
	n, err := io.Copy(w, r)
	if err == nil && n != size {
		err = fmt.Errorf("%d bytes of %d: %w", n, size, io.ErrUnexpectedEOF)
	}
	return err
}

// body is the body of a response that goes.
type body struct {
	plan        *Plan
	from        store.Location
	kind        string // of the record
	contentType string
	truncated   string
	head        []byte // of a response, if the revisit has none
	size        int64
	dechunked   bool // the framing of chunks is taken off, since the revisit's head knows of none
	chunked     bool // it is put on, as one chunk, since the revisit's head says that there is one
}

// bodyOf looks at the body of a response that goes, which is to stand behind the head of a revisit.
func (p *Plan) bodyOf(ctx context.Context, from store.Location, head []byte, made bool) (*body, error) {
	r, err := p.readers.Message(from)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if r.Header().Get("WARC-Segment-Number") != "" {
		return nil, errSegmented
	}
	b := &body{plan: p, from: from, kind: "response", size: r.Size}
	b.truncated = r.Header().Get("WARC-Truncated")
	if made {
		b.head = bytes.Clone(r.Head)
		if r.Made {
			b.head, b.kind, b.contentType = nil, r.Type(), r.Header().Get("Content-Type")
		}
		return b, nil
	}
	own := record.ParseHead(head[:min(len(head), record.MaxHead)])
	if r.Chunked && !own.Chunked {
		b.dechunked = true
		if b.size, err = io.Copy(io.Discard, heeding{ctx, dechunked(r)}); err != nil {
			return nil, err
		}
	}
	if b.chunked = own.Chunked && !r.Chunked; b.chunked {
		begin, end := oneChunk(r.Size)
		b.size += int64(len(begin) + len(end))
	}
	return b, nil
}

// oneChunk is what stands before and behind a body of that size that is sent as one chunk.
func oneChunk(size int64) (begin, end string) {
	if size == 0 {
		return "", "0\r\n\r\n"
	}
	return fmt.Sprintf("%x\r\n", size), "\r\n0\r\n\r\n"
}

// dechunked is the body of a response without the framing of its chunks.
func dechunked(r *readback.Response) io.Reader {
	var coding chunks.Decoder
	return coding.Reader(r.Body)
}

// each calls read with the body, which ends with an error when ctx does.
func (b *body) each(ctx context.Context, read func(io.Reader) error) error {
	r, err := b.plan.readers.Message(b.from)
	if err != nil {
		return err
	}
	content := r.Body
	if b.dechunked {
		content = dechunked(r)
	}
	if b.chunked {
		begin, end := oneChunk(r.Size)
		content = io.MultiReader(strings.NewReader(begin), content, strings.NewReader(end))
	}
	return errors.Join(read(heeding{ctx, content}), r.Close())
}

// redirect writes a revisit that refers to another response than before, or to none.
func (o *writer) redirect(ctx context.Context, revisit, to store.Location) error {
	if to.File == "" {
		return o.revised(ctx, revisit, map[string]string{
			"WARC-Refers-To": "", "WARC-Refers-To-Target-URI": "", "WARC-Refers-To-Date": "",
		})
	}
	target, err := o.readers.Message(to)
	if err != nil {
		return err
	}
	h := target.Header()
	if err := target.Close(); err != nil {
		return err
	}
	return o.revised(ctx, revisit, map[string]string{
		"WARC-Refers-To":            h.Get("WARC-Record-ID"),
		"WARC-Refers-To-Target-URI": (&warc.Record{Header: h}).TargetURI(),
		"WARC-Refers-To-Date":       h.Get("WARC-Date"),
	})
}

// bare writes a response without a body in the place of a revisit.
func (o *writer) bare(ctx context.Context, revisit store.Location) error {
	fields := map[string]string{
		"WARC-Type": "response", "WARC-Profile": "", "WARC-Refers-To": "",
		"WARC-Refers-To-Target-URI": "", "WARC-Refers-To-Date": "",
	}
	old, err := o.readers.Record(revisit)
	if err != nil {
		return err
	}
	if old.Size == 0 { // a response has a head
		return errors.Join(old.Close(), o.redirect(ctx, revisit, store.Location{}))
	}
	if digest := old.Header.Get("WARC-Payload-Digest"); digest != "" {
		sum := record.SHA1.SumBytes(nil)
		if strings.HasPrefix(digest, "sha256:") {
			sum = record.SHA256.SumBytes(nil)
		}
		fields["WARC-Payload-Digest"] = sum.String()
	}
	if err := old.Close(); err != nil {
		return err
	}
	return o.revised(ctx, revisit, fields)
}

// revised writes a record with other fields, and the same block.
func (o *writer) revised(ctx context.Context, at store.Location, fields map[string]string) error {
	old, err := o.readers.Record(at)
	if err != nil {
		return err
	}
	var h record.Head
	head := changedHeader(old.Version, old.Header, old.Size, fields)
	return errors.Join(o.stream(head, nil, heeding{ctx, old.Block}, old.Size, &h), old.Close())
}

// stream writes a record: its header, the head of its block, and size bytes of a body.
func (o *writer) stream(header, head []byte, body io.Reader, size int64, h *record.Head) error {
	switch o.layout {
	case warc.GzipMembers:
		sample := make([]byte, min(size, record.SampleSize))
		if _, err := io.ReadFull(body, sample); err != nil {
			return err
		}
		body = io.MultiReader(bytes.NewReader(sample), body)
		if _, err := o.out.Seek(o.at, io.SeekStart); err != nil {
			return err
		}
		n, err := o.Stream(o.out, o.at, [][]byte{header, head}, body, size, !record.Deflates(h, sample))
		o.at += n
		return err
	case warc.Frames:
		return o.frame(header, head, body, nil)
	}
	return o.plain(header, head, body)
}

// plain writes a record that is not compressed.
func (o *writer) plain(header, head []byte, body io.Reader) error {
	if body == nil {
		body = bytes.NewReader(nil)
	}
	all := io.MultiReader(bytes.NewReader(header), bytes.NewReader(head), body,
		strings.NewReader(warc.RecordEnd))
	n, err := io.Copy(o.out, all)
	o.at += n
	return err
}

// frame writes a record as a zstd frame of its own, which needs no dictionary.
func (o *writer) frame(header, head []byte, body io.Reader, block []byte) error {
	if body == nil {
		body = bytes.NewReader(block)
	}
	start := o.at
	counted := &counter{w: o.out}
	z, err := zstd.NewWriter(counted, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	_, err = io.Copy(z, io.MultiReader(bytes.NewReader(header), bytes.NewReader(head), body,
		strings.NewReader(warc.RecordEnd)))
	err = errors.Join(err, z.Close())
	o.at = start + counted.n
	return err
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// algorithmOf is the algorithm of a record's block digest, if that is one of ours.
func algorithmOf(h warc.Header) record.Algorithm {
	if strings.HasPrefix(h.Get("WARC-Block-Digest"), "sha256:") {
		return record.SHA256
	}
	return record.SHA1
}

// digestText is the block digest that a record gets, if it had one.
func digestText(h warc.Header, sum hash.Hash) string {
	if h.Get("WARC-Block-Digest") == "" {
		return ""
	}
	digest := algorithmOf(h).DigestOf(sum)
	return digest.String()
}

// changedHeader returns a WARC header with a block of that size and other values of some fields;
// those with the value "" are left out, and those that it does not have stand at its end.
func changedHeader(version string, h warc.Header, size int64, fields map[string]string) []byte {
	b := append([]byte(version), "\r\n"...)
	put := map[string]bool{}
	for _, field := range h {
		name := field.Name
		value, changed := field.Value, false
		for other, now := range fields {
			if strings.EqualFold(other, name) {
				value, changed = now, true
				put[other] = true
			}
		}
		if strings.EqualFold(name, "Content-Length") || changed && value == "" {
			continue
		}
		b = warc.AppendField(b, name, value)
	}
	for _, name := range [...]string{"WARC-Truncated", "WARC-Refers-To", "WARC-Refers-To-Target-URI",
		"WARC-Refers-To-Date", "Content-Type"} {
		if value := fields[name]; value != "" && !put[name] {
			b = warc.AppendField(b, name, value)
		}
	}
	b = warc.AppendInt(b, "Content-Length", size)
	return append(b, "\r\n"...)
}
