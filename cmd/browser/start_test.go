//go:build unix

package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"warcorder/certs"
)

// options are those of a browser that is told of a proxy nobody listens on.
func options(t *testing.T) Options {
	t.Helper()
	authority, err := certs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return Options{URL: "https://example.org/a?b=c", Proxy: "127.0.0.1:9", CA: authority.PEM(),
		Headless: true}
}

// script is a program of a name with a shell script in it. Its profiles lie in a folder of the
// test's, which is returned too.
func script(t *testing.T, name, text string) (p Program, temp string) {
	t.Helper()
	dir, temp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := Find(path)
	if err != nil {
		t.Fatal(err)
	}
	return p, temp
}

// appears waits for a file, and returns what it holds.
func appears(t *testing.T, path string) string {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(look) {
		if text, err := os.ReadFile(path); err == nil && strings.HasSuffix(string(text), "\n") {
			return string(text)
		}
	}
	t.Fatalf("%s does not appear", path)
	return ""
}

func isEmptyFolder(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestEnd: nothing is left of a browser that is ended, nor of children that take no notice of a
// signal and have other parents by then.
func TestEnd(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	p, temp := script(t, "chromium", `
(trap '' TERM; echo $$ >`+out+`.child; exec sleep 1000) &
(sleep 1000 & echo $! >`+out+`.orphan)
echo "$@" >`+out+`
wait`)
	b, err := Start(p, options(t))
	if err != nil {
		t.Fatal(err)
	}
	arguments := appears(t, out)
	for _, want := range []string{"--proxy-server=http://127.0.0.1:9 ", "<-loopback> ", "--headless ",
		"--user-data-dir=" + temp + "/warcorder-browser-", " https://example.org/a?b=c\n"} {
		if !strings.Contains(arguments, want) {
			t.Errorf("no %s in %s", want, arguments)
		}
	}
	appears(t, out+".child")
	orphan, err := strconv.Atoi(strings.TrimSpace(appears(t, out+".orphan")))
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-b.Done():
		t.Error("it has ended by itself")
	default:
	}
	if err := b.End(); err != nil {
		t.Error(err)
	}
	if !b.process.group.isEmpty() {
		t.Error("processes of its group are left")
	}
	if runtime.GOOS == "linux" {
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", orphan)); err == nil &&
			!strings.Contains(string(stat), ") Z ") {
			t.Errorf("the orphan is left: %s", stat)
		}
	}
	isEmptyFolder(t, temp)
	if err := b.End(); err == nil && b.process.err == nil {
		t.Error("a browser that was killed ended well")
	}
}

// TestEndsByItself: how a browser ends is told, with its last words alone, and without what a
// terminal would take for commands.
func TestEndsByItself(t *testing.T) {
	p, temp := script(t, "chromium", `
i=0; while [ $i -lt 3000 ]; do echo "line $i, which is long" >&2; i=$((i+1)); done
printf 'no \033[31msandbox\302\233\r\n\377' >&2
[ -e "$0.bad" ] && exit 3
exit 0`)
	for _, bad := range []bool{false, true} {
		if bad {
			if err := os.WriteFile(p.Path+".bad", nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		b, err := Start(p, options(t))
		if err != nil {
			t.Fatal(err)
		}
		<-b.Done()
		switch err := b.Err(); {
		case !bad && err != nil:
			t.Error(err)
		case bad && (err == nil || !strings.Contains(err.Error(), "exit status 3\n  line 2993, ") ||
			!strings.HasSuffix(err.Error(), "\n  no [31msandbox") || len(err.Error()) > 1000):
			t.Errorf("%q", err)
		}
		if err := b.End(); err != nil {
			t.Error(err)
		}
		isEmptyFolder(t, temp)
	}
	if n := cap(new(tail).text); n > 0 {
		t.Errorf("%d bytes are taken before a word", n)
	}
}

// TestTailIsBounded: whatever a browser says, the end of it is kept.
func TestTailIsBounded(t *testing.T) {
	var kept tail
	for range 100 {
		for _, piece := range []string{strings.Repeat("x", 3*tailBytes), strings.Repeat("y\n", 100)} {
			if n, err := kept.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatal(n, err)
			}
		}
	}
	if len(kept.text) > 2*tailBytes || cap(kept.text) > 6*tailBytes {
		t.Errorf("%d bytes, of %d", len(kept.text), cap(kept.text))
	}
	if want := strings.Repeat("\n  y", tailLines); kept.said() != want {
		t.Errorf("%q", kept.said())
	}
}

// TestNoProgram: a browser that cannot be started leaves no profile.
func TestNoProgram(t *testing.T) {
	p, temp := script(t, "chromium", "")
	p.Path += ".none"
	if b, err := Start(p, options(t)); err == nil || !strings.Contains(err.Error(), "start chromium") {
		t.Errorf("%v, %v", b, err)
	}
	isEmptyFolder(t, temp)
	p, temp = script(t, "firefox", "")
	o := options(t)
	o.CA = []byte("none")
	if b, err := Start(p, o); err == nil {
		t.Errorf("%v without a certificate", b)
	}
	isEmptyFolder(t, temp)
}

// TestProfileOfALivingBrowser: a profile is not swept while the browser lives that uses it, though
// the process that made it is gone; and it is swept when the browser is.
func TestProfileOfALivingBrowser(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	p, temp := script(t, "firefox", `echo "$XDG_CONFIG_HOME" "$XDG_CACHE_HOME" "$TMPDIR" "$@" >`+out+`; exec sleep 1000`)
	b, err := Start(p, options(t))
	if err != nil {
		t.Fatal(err)
	}
	for i, word := range strings.Fields(appears(t, out))[:3] {
		ours := strings.HasPrefix(word, b.profile.Path)
		if long := i == 2 && len(b.profile.Path) > longestTemp; ours == long && runtime.GOOS != "darwin" {
			t.Errorf("the browser writes to %s", word)
		}
	}
	b.profile.Mark().Close() // as the end of this process does
	other, err := newProfile(temp)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(b.profile.Path); err != nil {
		t.Errorf("the profile of a living browser: %v", err)
	}
	syscall.Kill(-b.process.group.leader, syscall.SIGKILL)
	<-b.Done()
	third, err := newProfile(temp)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(b.profile.Path); err == nil {
		t.Error("the profile of a dead browser is left")
	}
	for _, profile := range []*profile{other, third} {
		if err := profile.remove(); err != nil {
			t.Error(err)
		}
	}
}

// TestChromiumDownloads: where nobody looks for it, what a page makes a Chromium download goes with the
// profile.
func TestChromiumDownloads(t *testing.T) {
	for _, headless := range []bool{true, false} {
		out := filepath.Join(t.TempDir(), "out")
		p, _ := script(t, "chromium", `
for a; do case $a in --user-data-dir=*) profile=${a#*=};; esac; done
echo "$profile" $(cat "$profile/Default/Preferences") >`+out+`
exec sleep 1000`)
		o := options(t)
		o.Headless = headless
		b, err := Start(p, o)
		if err != nil {
			t.Fatal(err)
		}
		profile, settings, _ := strings.Cut(strings.TrimSpace(appears(t, out)), " ")
		if strings.Contains(settings, `"default_directory":"`+profile+`/downloads"`) != headless {
			t.Errorf("headless %v: %s", headless, settings)
		}
		if err := b.End(); err != nil {
			t.Error(err)
		}
	}
}

// TestInherited: a browser has the environment of this process, without its secrets.
func TestInherited(t *testing.T) {
	for _, program := range []string{"chromium", "firefox"} {
		t.Run(program, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			t.Setenv("WARCORDER_API_TOKEN", "geheim")
			t.Setenv("NOTIFY_SOCKET", "geheim")
			t.Setenv("SOMETHING_ELSE", "is there")
			p, _ := script(t, program, "env >"+out+".new; mv "+out+".new "+out+"; sleep 1000")
			b, err := Start(p, options(t))
			if err != nil {
				t.Fatal(err)
			}
			defer b.End()
			has := appears(t, out)
			if strings.Contains(has, "geheim") || !strings.Contains(has, "SOMETHING_ELSE=is there") {
				t.Errorf("it has\n%s", has)
			}
		})
	}
}
