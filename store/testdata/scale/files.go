package main

import (
	"bufio"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"warcorder/store/warc"
)

// lean is how many captures are in one file of another tool's.
const lean = 1_000_000

// files writes WARC files as a tool leaves them that keeps no requests: the least that a capture may
// take, so that very many find room on a disk. They are for index and rebuild.
func files(flags *flag.FlagSet, args []string) error {
	a := archiveFlags(flags)
	dir := flags.String("dir", "", "folder for the files, which is there")
	flags.Parse(args)
	for number := 0; number*lean < a.captures; number++ {
		if err := a.file(*dir, number); err != nil {
			return err
		}
	}
	return nil
}

// file writes the WARC file of that number.
func (a archive) file(dir string, number int) (err error) {
	file, err := os.Create(filepath.Join(dir, fmt.Sprintf("lean-%05d.warc.gz", number)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out := bufio.NewWriterSize(file, 1<<20)
	compressor := warc.NewCompressor()
	var member []byte
	for n := number * lean; n < min((number+1)*lean, a.captures); n++ {
		member = compressor.Append(member[:0], a.response(n), -1)
		if _, err := out.Write(member); err != nil {
			return err
		}
	}
	return out.Flush()
}

// response is the record of the n-th capture, in parts.
func (a archive) response(n int) [][]byte {
	body := fmt.Appendf(nil, "capture %d\n", n)
	head := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		kinds[n%len(kinds)], len(body))
	var id [16]byte
	binary.BigEndian.PutUint64(id[:], scatter(uint64(n)))
	binary.BigEndian.PutUint64(id[8:], scatter(^uint64(n)))
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	sum := sha1.Sum(body)
	header := fmt.Appendf(nil, "WARC/1.1\r\nWARC-Type: response\r\n"+
		"WARC-Record-ID: <urn:uuid:%x-%x-%x-%x-%x>\r\nWARC-Date: %s\r\nWARC-Target-URI: %s\r\n"+
		"WARC-Payload-Digest: sha1:%s\r\nContent-Type: application/http; msgtype=response\r\n"+
		"Content-Length: %d\r\n\r\n", id[:4], id[4:6], id[6:8], id[8:10], id[10:16],
		began.Add(time.Duration(n)*each).Format("2006-01-02T15:04:05Z"), a.url(n),
		base32.StdEncoding.EncodeToString(sum[:]), len(head)+len(body))
	return [][]byte{header, head, body, []byte(warc.RecordEnd)}
}
