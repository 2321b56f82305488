package recorder

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// TestRotation fills files of 20 KB: none is larger, but for one with a single exchange that is.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	const limit = 20_000
	c := open(t, dir, Config{WARCMaxSize: limit})
	for i := range 40 {
		c.commit(fmt.Sprintf("http://example.com/%d", i), exampleRequest,
			page(200, "image/png", "", randomBytes(100*i)))
	}
	c.commit("http://example.com/large", exampleRequest,
		page(200, "image/png", "", randomBytes(2*limit)))
	c.commit("http://example.com/last", exampleRequest, exampleResponse)
	c.close()
	records := readBack(t, dir)
	checkIndex(t, dir, records)
	if len(records) < 2*42 {
		t.Errorf("%d records", len(records))
	}
	perFile := make(map[string]int)
	for _, r := range records {
		perFile[r.file]++
	}
	if len(perFile) < 5 || len(perFile) > 30 {
		t.Errorf("%d files", len(perFile))
	}
	for name, n := range perFile {
		info, err := os.Stat(filepath.Join(dir, "archive", name))
		if err != nil || info.Size() > limit && n != 3 {
			t.Errorf("%s: %v, %d records, %d bytes", name, err, n, info.Size())
		}
	}
}

// TestMaxAge: a file that is written to all the time is finished when it is old.
func TestMaxAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{WARCMaxAge: time.Hour, WARCIdle: 24 * time.Hour})
		for i := range 19 {
			c.get(fmt.Sprint("http://example.com/", i))
			time.Sleep(7 * time.Minute) // never just when a file is an hour old
		}
		synctest.Wait()
		files, err := c.Index().Files()
		if err != nil || len(files) != 3 || !files[0].Sealed || !files[1].Sealed || files[2].Sealed {
			t.Errorf("%+v, %v", files, err)
		}
		c.close()
		checkIndex(t, c.dir, readBack(t, c.dir))
	})
}

// TestIdle: a file without exchanges for a while gets its final name, and the next exchange a new
// file.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{WARCIdle: time.Minute})
		files := func() (done, open int) {
			synctest.Wait()
			all, _ := filepath.Glob(filepath.Join(c.dir, "archive", "*"))
			opened, _ := filepath.Glob(filepath.Join(c.dir, "archive", "*.open"))
			if n := len(c.Status().OpenFiles); n != len(opened) {
				t.Errorf("Status: %d open files of %d", n, len(opened))
			}
			return len(all) - len(opened), len(opened)
		}
		c.get("http://example.com/1")
		c.commit("http://example.com/2", exampleRequest, page(200, "text/html", "", randomText(2<<20)))
		time.Sleep(50 * time.Second)
		if done, open := files(); done != 0 || open != 2 {
			t.Errorf("after 50 s: %d finished, %d open", done, open)
		}
		c.get("http://example.com/3")
		time.Sleep(50 * time.Second)
		if done, open := files(); done != 1 || open != 1 {
			t.Errorf("after 100 s: %d finished, %d open", done, open)
		}
		time.Sleep(10*time.Second + handfulFor)
		if done, open := files(); done != 2 || open != 0 {
			t.Errorf("after 110 s: %d finished, %d open", done, open)
		}
		known, err := c.Index().Files()
		if err != nil || len(known) != 2 || !known[0].Sealed || !known[1].Sealed {
			t.Errorf("%+v, %v", known, err)
		}
		c.get("http://example.com/4")
		time.Sleep(time.Second)
		if done, open := files(); done != 2 || open != 1 {
			t.Errorf("then: %d finished, %d open", done, open)
		}
		c.close()
		checkIndex(t, c.dir, readBack(t, c.dir))
	})
}
