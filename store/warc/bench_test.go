package warc

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

func BenchmarkMember(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		for _, body := range []struct {
			name   string
			bytes  []byte
			stored int
		}{
			{"text", textBody(n), -1}, {"encoded", encodedBody(n), 2},
			{"encoded-deflated", encodedBody(n), -1},
		} {
			b.Run(fmt.Sprintf("%s-%dk", body.name, n/1000), func(b *testing.B) {
				record := newRecord(1, body.bytes)
				parts := record.parts()
				c := NewCompressor()
				var dst []byte
				b.SetBytes(int64(len(record.text())))
				b.ReportAllocs()
				for b.Loop() {
					dst = c.Append(dst[:0], parts, body.stored)
				}
				b.ReportMetric(float64(len(record.text()))/float64(len(dst)), "ratio")
			})
		}
	}
}

func BenchmarkStream(b *testing.B) {
	body := textBody(10 << 20)
	for _, stored := range []bool{false, true} {
		b.Run(fmt.Sprintf("stored-%t", stored), func(b *testing.B) {
			c := NewCompressor()
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := c.Stream(nowhere{}, 0, nil, bytes.NewReader(body), int64(len(body)), stored)
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error)            { return len(p), nil }
func (nowhere) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }

func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		response, request := newRecord(1, encodedBody(n)).member(true), newRecord(2, nil).member(false)
		b.Run(fmt.Sprintf("%dk", n/1000), func(b *testing.B) {
			w, _ := create(b)
			b.SetBytes(int64(len(response) + len(request)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := w.Append(response, request); err != nil {
					b.Fatal(err)
				}
				if w.Size() > 256<<20 { // spare the disk
					b.StopTimer()
					if err := w.file.Truncate(0); err != nil {
						b.Fatal(err)
					}
					w.size = 0
					b.StartTimer()
				}
			}
		})
	}
}

func BenchmarkReader(b *testing.B) {
	for _, l := range leaves[:2] {
		for _, body := range []struct {
			name   string
			bytes  []byte
			stored bool
		}{{"text", textBody(10_000), false}, {"encoded", encodedBody(10_000), true}} {
			b.Run(l.name+"-"+body.name, func(b *testing.B) {
				const records = 1000
				file := bytes.Repeat(newRecord(1, body.bytes).member(body.stored), records)
				for b.Loop() {
					r, err := NewReader(bytes.NewReader(file), "test", 0)
					if err != nil {
						b.Fatal(err)
					}
					for {
						record, err := r.Next()
						if err == io.EOF {
							break
						}
						if err == nil {
							err = l.do(record)
						}
						if err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(b.N)*records/b.Elapsed().Seconds(), "records/s")
			})
		}
	}
}

// BenchmarkResync looks for a member where there is none, but much that looks like one.
func BenchmarkResync(b *testing.B) {
	const size = 50 << 20
	empty := "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\xff\xff"
	false1 := string(member("WARD/1.1\r\n\r\n"))
	// a stored block of 64 KiB, in which the next one begins
	false2 := "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\x00WARC/1.0\r\n\r\n"
	for _, test := range []struct{ name, pattern string }{
		{"zeros", "\x00"}, {"magic", gzipMagic}, {"headers", gzipMagic + "\x00\x00\x00\x00\x00\x00\x00"},
		{"empty", empty}, {"members", false1}, {"nested", false2},
	} {
		b.Run(test.name, func(b *testing.B) {
			file := join([]byte("x"), bytes.Repeat([]byte(test.pattern), size/len(test.pattern)))
			torn := join(withoutSkip(numbered(2, nil)[:40]), file)
			b.SetBytes(size)
			for b.Loop() {
				for _, f := range [][]byte{file, torn} {
					resyncAll(b, f)
				}
			}
		})
	}
}

func resyncAll(b *testing.B, file []byte) {
	r, err := NewReader(bytes.NewReader(file), "test", 0)
	if err != nil {
		b.Fatal(err)
	}
	for range 1000 { // each record that only seems to be one is a damage of its own
		record, err := r.Next()
		if err == nil {
			err = record.Close()
		}
		if err == nil {
			continue
		}
		if _, _, err = r.Resync(); err == io.EOF {
			return
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
