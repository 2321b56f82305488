//go:build linux

package cmd

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"warcorder/store/warc"
)

// mounted is a small file system of its own.
func mounted(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("warcorder-test", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("a small file system needs root (%v); TestFileSizeLimit does not", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// onDisk is a recorder, its clients and what is checked of them.
type onDisk struct {
	*kept
	*load
	ca          string
	collections string
	flags       []string
}

func newOnDisk(t *testing.T, collections string, flags ...string) *onDisk {
	d := &onDisk{collections: collections, ca: filepath.Join(t.TempDir(), "ca"), flags: flags}
	got := newReceived()
	d.kept = newKept(t, filepath.Join(collections, "default"), got)
	d.load = &load{site: newSite(t), got: got, serial: &atomic.Int64{}, kind: halfMegabytes}
	return d
}

// halfMegabytes are bodies that do not deflate; some are of the size that is written by itself.
func halfMegabytes(n int64) (method, path string, body []byte) {
	size := 100<<10 + n*7919%(800<<10)
	if n%6 == 5 {
		size = 3 << 20 / 2
	}
	return "GET", fmt.Sprintf("/bytes/%d/%d", n, size), nil
}

// begin starts the recorder; faults is what is to fail in it.
func (d *onDisk) begin(faults string) {
	d.t.Helper()
	d.r = launch(d.t, d.collections, d.ca, faults, d.flags...)
	if d.r.address == "" {
		d.t.Fatalf("it does not start: %v: %s", d.r.cmd.ProcessState, d.r.tail())
	}
	d.trust = trustOf(d.t, d.ca)
}

// untilRefused lets clients ask until one is told that nothing can be recorded, and /status says
// why.
func (d *onDisk) untilRefused(clients int, why string) {
	d.t.Helper()
	before := d.refused.Load()
	deadline := time.Now().Add(patience)
	d.run(clients, func() bool { return d.refused.Load() > before || time.Now().After(deadline) })
	if d.refused.Load() == before {
		d.t.Fatalf("nobody was refused: %s", d.r.tail())
	}
	d.untilOff(why)
}

// untilOff waits until /status says that nothing is recorded.
func (d *onDisk) untilOff(why string) {
	d.t.Helper()
	eventually(d.t, "/status is 503 and says: "+why, func() bool {
		s := d.r.status()
		return s.code == http.StatusServiceUnavailable && strings.Contains(s.Reason, why)
	})
}

// untilOn waits until it records again by itself, and that an exchange passes.
func (d *onDisk) untilOn() {
	d.t.Helper()
	eventually(d.t, "/status is 200 again", func() bool { return d.r.status().code == http.StatusOK })
	d.passes(4)
}

// passes lets so many exchanges pass.
func (d *onDisk) passes(exchanges int) {
	d.t.Helper()
	before := d.kept.got.len()
	deadline := time.Now().Add(patience)
	d.run(2, func() bool { return d.kept.got.len()-before >= exchanges || time.Now().After(deadline) })
	if d.kept.got.len()-before < exchanges {
		d.t.Fatalf("no exchange passes: %s", d.r.tail())
	}
}

// end stops the recorder: all that clients got is there, each with its bytes.
func (d *onDisk) end() {
	d.t.Helper()
	if lost := d.r.status().Lost; lost != 0 {
		d.t.Errorf("%d exchanges lost", lost)
	}
	d.r.stop()
	d.checkAll(time.Now().Add(time.Hour))
}

// checkAll checks the collection: what clients had before that moment must be there.
func (d *onDisk) checkAll(before time.Time) {
	d.t.Helper()
	d.note(d.r)
	d.checkNames()
	d.check(d.export(), before, true)
	if len(d.indexed) == 0 {
		d.t.Error("nothing was recorded")
	}
}

// checkWhole: while nothing can be written, every file ends with its last whole exchange.
func (d *onDisk) checkWhole() {
	d.t.Helper()
	paths, _ := filepath.Glob(filepath.Join(d.dir, "archive", "*"+warc.Suffix+"*"))
	if len(paths) == 0 {
		d.t.Error("no files")
	}
	for _, path := range paths {
		// it may just be trying again
		eventually(d.t, path+" is cut back to its last whole exchange", func() bool {
			members, err := membersOf(path)
			return err == nil && (len(members) < 2 || members[len(members)-1].kind != "response") ||
				os.IsNotExist(err)
		})
	}
}

// ballast takes up room until it is dropped.
func ballast(t *testing.T, dir string, size int64) (drop func()) {
	t.Helper()
	path := filepath.Join(dir, "ballast")
	if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// free is the room that is left where dir is.
func free(t *testing.T, dir string) int64 {
	t.Helper()
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		t.Fatal(err)
	}
	return int64(stat.Bavail) * stat.Bsize
}

// TestFullDisk: clients are told, the files stay whole, and recording goes on when there is room.
func TestFullDisk(t *testing.T) {
	dir := mounted(t, "40m")
	drop := ballast(t, dir, 20<<20)
	d := newOnDisk(t, dir, "--min-free-space", "0")
	d.begin("")
	d.untilRefused(8, "no space left")
	d.checkWhole()
	drop()
	d.untilOn()
	d.end()
	if on := len(d.r.lines("recording is on again")); on == 0 {
		t.Error("the log does not say that it is on again")
	}
}

// TestKillOnFullDisk: what was in the index when the disk was full and the recorder killed is there
// when there is room.
func TestKillOnFullDisk(t *testing.T) {
	dir := mounted(t, "40m")
	drop := ballast(t, dir, 20<<20)
	d := newOnDisk(t, dir, "--min-free-space", "0")
	d.begin("")
	d.untilRefused(8, "no space left")
	d.r.kill()
	d.note(d.r)
	// on a disk that is still full: it may start or say why it does not
	d.r = launch(t, d.collections, d.ca, "", d.flags...)
	if d.r.address == "" && !strings.Contains(d.r.tail(), "no space left") {
		t.Errorf("it does not start and does not say why: %s", d.r.tail())
	}
	d.r.kill()
	drop()
	d.begin("")
	d.passes(4)
	d.r.stop()
	d.checkAll(time.Time{})
}

// TestMinFreeSpace: recording stops before the disk is full.
func TestMinFreeSpace(t *testing.T) {
	dir := mounted(t, "40m")
	d := newOnDisk(t, dir, "--min-free-space", "10MiB")
	d.begin("")
	d.passes(4)
	drop := ballast(t, dir, free(t, dir)-(10<<20)-(1<<19))
	deadline := time.Now().Add(patience)
	for free(t, dir) >= 10<<20 && time.Now().Before(deadline) {
		d.passes(1)
	}
	d.untilOff("min-free-space")
	d.untilRefused(2, "min-free-space")
	if left := free(t, dir); left < 2<<20 {
		t.Errorf("only %d bytes are left", left)
	}
	drop()
	d.untilOn()
	d.end()
	if strings.Contains(d.r.tail(), "no space left") {
		t.Errorf("the disk was full all the same: %s", d.r.tail())
	}
}

// TestBodyWithoutRoom: a body for which there is no room, on disk and in a WARC file, is cut before
// min-free-space is broken, and is the only one: recording goes on meanwhile, and afterwards.
func TestBodyWithoutRoom(t *testing.T) {
	const floor = 20 << 20
	dir := mounted(t, "400m")
	d := newOnDisk(t, dir, "--min-free-space", "20MiB")
	d.begin("")
	d.passes(4)
	least := free(t, dir)
	ended := make(chan error)
	go func() {
		c := &client{proxy: d.r.address, trust: d.trust, got: newReceived()}
		defer c.close()
		_, _, err := c.fetch("GET", fmt.Sprintf("%s/bytes/0/%d", d.site.plain.URL, 300<<20), nil)
		ended <- err
	}()
	for done := false; !done; {
		select {
		case err := <-ended:
			if done = true; err == nil {
				t.Error("the body has passed as a whole")
			}
		case <-time.After(time.Millisecond):
			least = min(least, free(t, dir))
		}
	}
	eventually(t, "what came of it is in a WARC file", func() bool {
		least = min(least, free(t, dir))
		return len(d.r.lines("capture")) > 4 && d.r.status().Large == 0
	})
	eventually(t, "nothing is left in spill/", func() bool {
		left, _ := filepath.Glob(filepath.Join(d.dir, "spill", "*"))
		return len(left) == 0
	})
	if least < floor {
		t.Errorf("only %d bytes were free", least)
	}
	eventually(t, "/gaps has it", func() bool {
		_, gaps, _ := d.r.get("/gaps")
		return strings.Contains(gaps, `"write": 1`) && strings.Contains(gaps, "min-free-space")
	})
	d.passes(20)
	off := d.r.lines("recording is off: new requests are refused until writing works again")
	if len(off) > 0 {
		t.Errorf("recording was off: %s", d.r.tail())
	}
	d.end()
	c := d.indexed[d.site.plain.URL+fmt.Sprintf("/bytes/0/%d", 300<<20)]
	if c == nil || c.length < 100<<20 {
		t.Fatalf("what came of it: %+v", c)
	}
	f, err := d.open(c.file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	record, err := gzip.NewReader(io.NewSectionReader(f, c.offset, c.length))
	if err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 1000)
	if _, err := io.ReadFull(record, head); err != nil ||
		!bytes.Contains(head, []byte("\r\nWARC-Truncated: length\r\n")) {
		t.Errorf("%v: %s", err, head)
	}
}

// TestReadOnlyDirectory: no file can be made, and the old one cannot get its name.
func TestReadOnlyDirectory(t *testing.T) {
	d := newOnDisk(t, mounted(t, "200m"), "--min-free-space", "0", "--warc-max-size", "2MB")
	d.begin("")
	d.passes(4)
	archive := filepath.Join(d.dir, "archive")
	if err := unix.Mount(archive, archive, "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	writable := func() error { return unix.Unmount(archive, unix.MNT_DETACH) }
	defer writable()
	const readOnly = unix.MS_BIND | unix.MS_REMOUNT | unix.MS_RDONLY
	if err := unix.Mount("", archive, "", readOnly, ""); err != nil {
		t.Fatal(err)
	}
	d.untilRefused(4, "read-only file system")
	d.checkWhole()
	if err := writable(); err != nil {
		t.Fatal(err)
	}
	d.untilOn()
	d.end()
}

// TestRemovedDirectory: what was in it is gone, and the log says so, but what comes is recorded in
// a new one.
func TestRemovedDirectory(t *testing.T) {
	d := newOnDisk(t, t.TempDir(), "--min-free-space", "0", "--warc-max-size", "2MB")
	d.begin("")
	d.passes(4)
	archive, away := filepath.Join(d.dir, "archive"), filepath.Join(d.dir, "away")
	if err := os.Rename(archive, away); err != nil {
		t.Fatal(err)
	}
	d.untilRefused(4, "no such file or directory")
	d.untilOn()
	told := d.r.lines("a WARC file was taken away while it was written: its captures cannot be read")
	if len(told) == 0 {
		t.Errorf("the log does not say what is gone: %s", d.r.tail())
	}
	d.r.stop()
	d.note(d.r)
	paths, _ := filepath.Glob(filepath.Join(away, "*"))
	for _, path := range paths { // put back, so that every line has its bytes again
		if err := os.Rename(path, filepath.Join(archive, filepath.Base(path))); err != nil {
			t.Fatal(err)
		}
	}
	d.begin("")
	d.end()
}

// TestFileSizeLimit: no file may grow beyond a limit, the index neither. It needs no root.
func TestFileSizeLimit(t *testing.T) {
	d := newOnDisk(t, t.TempDir(), "--min-free-space", "0")
	d.begin("")
	d.passes(4)
	d.limit(1 << 20)
	d.untilRefused(8, "file too large")
	d.checkWhole()
	d.limit(unix.RLIM_INFINITY)
	d.untilOn()
	d.end()
}

// limit sets the size that a file of the recorder may have.
func (d *onDisk) limit(bytes uint64) {
	d.t.Helper()
	size := unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}
	if err := unix.Prlimit(d.r.cmd.Process.Pid, unix.RLIMIT_FSIZE, &size, nil); err != nil {
		d.t.Fatal(err)
	}
}
