package recorder

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"warcorder/store/collection"
	"warcorder/store/warc"
)

// TestNewName: a file never takes the name of another, also when the clock shows the same time as
// at an earlier start. The clock of a bubble always begins at the same.
func TestNewName(t *testing.T) {
	dir := t.TempDir()
	archive := filepath.Join(dir, "archive")
	rec := func(url string) (names []string) {
		synctest.Test(t, func(t *testing.T) {
			c := open(t, dir, Config{})
			c.get(url)
			c.close()
		})
		names, _ = filepath.Glob(filepath.Join(archive, "*"))
		return names
	}
	first := rec("http://example.com/1")
	if names := rec("http://example.com/2"); len(names) != 2 {
		t.Fatalf("%v, then %v", first, names)
	}
	if err := os.Remove(first[0]); err != nil { // the index knows it
		t.Fatal(err)
	}
	if names := rec("http://example.com/3"); len(names) != 2 || slices.Contains(names, first[0]) {
		t.Errorf("%v was removed, then there are %v", first, names)
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(archive, 0o700)); err != nil {
		t.Fatal(err)
	}
	write(t, first[0]+collection.TornSuffix, []byte("kept"))
	if names := rec("http://example.com/4"); len(names) != 2 || slices.Contains(names, first[0]) {
		t.Errorf("a copy was left of %v, then there are %v", first, names)
	}
}

// TestFinalNameTaken: a file whose final name someone has taken keeps the other one, and recording
// goes on; the next start tells the two apart.
func TestFinalNameTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{WARCIdle: time.Minute})
		c.get("http://example.com/1")
		time.Sleep(time.Second)
		synctest.Wait()
		names, _ := filepath.Glob(filepath.Join(c.dir, "archive", "*.open"))
		if len(names) != 1 {
			t.Fatal(names)
		}
		stranger := strings.TrimSuffix(names[0], ".open")
		if err := os.WriteFile(stranger, []byte("not a WARC file"), 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		c.get("http://example.com/2")
		time.Sleep(time.Second)
		synctest.Wait()
		if err := c.Ready(); err != nil {
			t.Error(err)
		}
		c.close()
		c = open(t, c.dir, Config{})
		c.close()
		if err := os.Remove(stranger); err != nil { // else nothing could be read back: it is no WARC file
			strangers, _ := filepath.Glob(filepath.Join(c.dir, "archive", "*-2.warc.gz"))
			t.Fatal(err, strangers)
		}
		if got := c.log.count("two different WARC files had the same name"); got != 1 {
			t.Errorf("in the log: %s", &c.log.b)
		}
	})
}

// TestNameTaken: someone puts a file where the next WARC file is to be made. It stays.
func TestNameTaken(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	planned := c.lanes.plan(small, 0)
	taken := filepath.Join(c.dir, "archive", planned.name+warc.OpenSuffix)
	write(t, taken, []byte("someone's"))
	c.get("http://example.com/1")
	c.lanes.drop(planned, 0)
	c.close()
	if content, err := os.ReadFile(taken); err != nil || string(content) != "someone's" {
		t.Errorf("%q, %v", content, err)
	}
	if got := c.log.count("someone has put a file where a WARC file was to be"); got != 1 {
		t.Errorf("in the log: %s", &c.log.b)
	}
	if got := captures(t, c.dir); len(got) != 1 {
		t.Errorf("captures: %v", got)
	}
}

// TestOtherSpelling: a directory that takes two spellings of a name for one, and a file that a
// restore has brought back in capitals.
func TestOtherSpelling(t *testing.T) {
	c := crash(t)
	dir := filepath.Join(foldingDir(t), "c")
	c.restore(t, dir, int64(len(c.bytes)), int64(len(c.bytes)))
	recoverOnly(t, dir)
	final := filepath.Join(dir, "archive", c.name)
	for _, suffix := range []string{"", warc.OpenSuffix} {
		if err := errors.Join(os.Rename(final, final+".x"), os.Rename(final+".x",
			filepath.Join(dir, "archive",
				strings.ToUpper(c.name[:5])+c.name[5:]+suffix))); err != nil {
			t.Fatal(err)
		}
		found, err := recovered(Config{}, dir, zerolog.Nop(), nil)
		if err != nil || len(found.Missing) > 0 {
			t.Errorf("%+v, %v", found, err)
		}
		if got := captures(t, dir); len(got) != len(c.all) {
			t.Errorf("%d captures", len(got))
		}
	}
}

// foldingDir is a directory that takes two spellings of a name for one.
func foldingDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	folds := func() bool {
		write(t, filepath.Join(dir, "A"), nil)
		_, err := os.Stat(filepath.Join(dir, "a"))
		return errors.Join(err, os.Remove(filepath.Join(dir, "A"))) == nil
	}
	if folds() {
		return dir
	}
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("needs root on Linux")
	}
	for _, command := range []string{
		"truncate -s 16M IMAGE && mkfs.ext4 -q -O casefold IMAGE && mount -o loop IMAGE DIR && mkdir " +
			"DIR/x && chattr +F DIR/x",
		"truncate -s 16M IMAGE && mkfs.vfat IMAGE && mount -o loop IMAGE DIR && mkdir DIR/x",
	} {
		command = strings.NewReplacer("IMAGE", filepath.Join(t.TempDir(), "image"), "DIR",
			dir).Replace(command)
		out, err := exec.Command("sh", "-c", command).CombinedOutput()
		if err == nil {
			t.Cleanup(func() { exec.Command("umount", dir).Run() })
			dir = filepath.Join(dir, "x")
			return dir
		}
		t.Logf("%v: %s", err, out)
	}
	t.Skip("no file system here folds case")
	return ""
}

// TestTwoSpellings: where names differ in case alone and are two files, both are read.
func TestTwoSpellings(t *testing.T) {
	c := crash(t)
	other := crash(t)
	l := newLinked(t, c, int64(len(c.bytes)))
	write(t, filepath.Join(l.dir, "archive", strings.ToUpper(c.name[:5])+c.name[5:]), other.bytes)
	if _, err := recovered(Config{}, l.dir, zerolog.Nop(), nil); err != nil {
		t.Fatal(err)
	}
	if got := captures(t, l.dir); len(got) != len(c.all)+len(other.all) {
		t.Errorf("%d captures", len(got))
	}
}
