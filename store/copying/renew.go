package copying

import (
	"bytes"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/scratch"
	"warcorder/store/selection"
	"warcorder/store/warc"
)

// renewer makes records anew: compressed, or responses of revisits.
type renewer struct {
	tempDir string

	compressor *warc.Compressor
	member     []byte
	block      bytes.Buffer
}

// inMemory is how many bytes of a block are held in memory.
const inMemory = 1 << 20

// write writes a record as a gzip member.
func (r *renewer) write(w io.Writer, head []byte, body io.Reader, size int64) error {
	if r.compressor == nil {
		r.compressor = warc.NewCompressor()
	}
	if size > inMemory {
		return r.writeLarge(w, head, body, size)
	}
	r.block.Reset()
	n, err := io.Copy(&r.block, io.LimitReader(body, size))
	if err == nil && n < size {
		err = fmt.Errorf("%d of the block's %d bytes are missing", size-n, size)
	}
	if err != nil {
		return err
	}
	parts := [][]byte{head, r.block.Bytes(), []byte(warc.RecordEnd)}
	r.member = r.compressor.Append(r.member[:0], parts, -1)
	_, err = w.Write(r.member)
	return err
}

// writeLarge is write for a record of any size. Its lengths, which stand at its beginning, are known
// at its end: it comes by way of a temporary file.
func (r *renewer) writeLarge(w io.Writer, head []byte, body io.Reader, size int64) (err error) {
	temp, err := scratch.Create(r.tempDir, "warcorder-member-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, temp.Close()) }()
	length, err := r.compressor.Stream(temp, 0, [][]byte{head}, body, size, false)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, io.NewSectionReader(temp, 0, length))
	return err
}

// compress copies a record of a file that has none in gzip members.
func (c *copier) compress(from store.Location) (at store.Location, err error) {
	r, err := c.files.Record(from)
	if err != nil {
		return at, err
	}
	c.report.Compressed++
	head := slices.Clone(r.RawHeader())
	at, err = c.out.made(func(w io.Writer) error {
		return c.renewer.write(w, head, r.Block, r.Size)
	})
	if end, ended := r.End(); err == nil && ended == nil && end != from {
		err = &warc.Damage{File: from.File, Offset: from.Offset, Reason: readback.ErrOther}
	} else if err == nil {
		err = ended
	}
	if err == nil {
		err = c.progress(from.Length)
	}
	return at, errors.Join(err, r.Close())
}

// renew makes a response of a revisit: its own head, and the body of its original. A revisit whose
// original is nowhere is copied as it is.
func (c *copier) renew(next *selection.Chosen) (at store.Location, err error) {
	own, err := c.files.Record(next.Location)
	if err != nil {
		return at, err
	}
	header, version, layout := slices.Clone(own.Header), own.Version, own.Layout()
	if err := own.Close(); err != nil {
		return at, err
	}
	response, err := c.files.ResponseBy(&next.Capture, next.Original)
	if errors.Is(err, readback.ErrNoOriginal) || isAway(err) {
		if layout == warc.GzipMembers {
			return c.out.append(next.Location)
		}
		return c.compress(next.Location)
	}
	if err != nil {
		return at, err
	}
	sum := sumFor(header, "WARC-Block-Digest")
	if _, err := io.Copy(io.MultiWriter(sum), io.MultiReader(bytes.NewReader(response.Head),
		response.Body)); err != nil {
		return at, errors.Join(err, response.Close())
	}
	digest := sum.text()
	if err := response.Close(); err != nil {
		return at, err
	}
	if response, err = c.files.ResponseBy(&next.Capture, next.Original); err != nil {
		return at, err
	}
	payload := ""
	if response.Original == nil && response.Size == 0 { // of a 304: the digest was that of another body
		payload = sumFor(header, "WARC-Payload-Digest").text()
		next.Digest = payload
	}
	head := renewed(header, version, response, digest, payload)
	at, err = c.out.made(func(w io.Writer) error {
		body := io.MultiReader(bytes.NewReader(response.Head), response.Body)
		return c.renewer.write(w, head, body, int64(len(response.Head))+response.Size)
	})
	parsed := record.ParseHead(response.Head)
	parsed.Fill(&next.Capture, response.Truncated != "")
	next.Original = nil
	c.report.Renewed++
	if err == nil {
		err = c.progress(next.Length)
	}
	return at, errors.Join(err, response.Close())
}

// blockSum is the digest of a block.
type blockSum struct {
	hash.Hash
	record.Algorithm
}

func (s blockSum) text() string {
	digest := s.DigestOf(s.Hash)
	return digest.String()
}

// sumFor returns a digest like the one that a header has under a name.
func sumFor(header warc.Header, field string) blockSum {
	algorithm := record.SHA1
	name, _, _ := strings.Cut(header.Get(field), ":")
	if strings.EqualFold(name, "sha256") {
		algorithm = record.SHA256
	}
	return blockSum{algorithm.NewHash(), algorithm}
}

// renewed is the header of a revisit as that of the response that it stands for. payload is a new
// payload digest; "" if that of the revisit is right.
func renewed(header warc.Header, version string, response *readback.Response, digest, payload string) []byte {
	b := append([]byte(strings.TrimSpace(version)), "\r\n"...)
	for _, field := range header {
		value := field.Value
		switch name := strings.ToLower(field.Name); {
		case name == "warc-type":
			value = "response"
		case name == "warc-block-digest":
			value = digest
		case name == "warc-payload-digest" && payload != "":
			value = payload
		case name == "content-type":
			value = "application/http; msgtype=response"
		case name == "warc-profile", name == "warc-truncated", name == "content-length",
			strings.HasPrefix(name, "warc-refers-to"):
			continue
		}
		b = warc.AppendField(b, field.Name, value)
	}
	if response.Truncated != "" {
		b = warc.AppendField(b, "WARC-Truncated", response.Truncated)
	}
	b = warc.AppendInt(b, "Content-Length", int64(len(response.Head))+response.Size)
	return append(b, "\r\n"...)
}
