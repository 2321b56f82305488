package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// families tell a browser's family by a word in the name of its program, or in what it says of its
// version.
var families = []struct {
	word string
	kind Kind
}{
	{"firefox", Firefox}, {"librewolf", Firefox}, {"waterfox", Firefox}, {"iceweasel", Firefox},
	{"chrom", Chromium}, {"edge", Chromium}, {"brave", Chromium}, {"vivaldi", Chromium},
	{"opera", Chromium},
}

// beside tell it by a file that lies in the folder of the program.
var beside = []struct {
	file string
	kind Kind
}{
	{"omni.ja", Firefox}, {"chrome_100_percent.pak", Chromium}, {"chrome.dll", Chromium},
}

// versionPatience is how long a program may take to say its version.
const versionPatience = 10 * time.Second

// kindOf tells the family of a program: by its name, by what lies beside it, by what it says.
func kindOf(path string) (Kind, error) {
	if kind, ok := familyIn(filepath.Base(path)); ok {
		return kind, nil
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		for _, one := range beside {
			if _, err := os.Stat(filepath.Join(filepath.Dir(real), one.file)); err == nil {
				return one.kind, nil
			}
		}
	}
	if runtime.GOOS != "windows" { // where it would open a window
		ctx, cancel := context.WithTimeout(context.Background(), versionPatience)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, "--version")
		cmd.WaitDelay = time.Second
		said, _ := cmd.Output()
		if kind, ok := familyIn(string(said)); ok {
			return kind, nil
		}
	}
	return "", fmt.Errorf("%s is no browser that is known: it must be a Chromium (Chrome, Edge, "+
		"Brave, Vivaldi) or a Firefox", path)
}

func familyIn(text string) (Kind, bool) {
	text = strings.ToLower(text)
	for _, one := range families {
		if strings.Contains(text, one.word) {
			return one.kind, true
		}
	}
	return "", false
}

// box is a wall around a program, through which it sees but some folders: no profile in the system's
// folder for temporary files.
type box struct {
	kind string // "", snap or flatpak
	name string // as that knows the program
}

// boxOf tells the box of a program: by its path, or by the script that it is.
func boxOf(path string) box {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	for _, path := range []string{path, real} {
		switch dir, name := filepath.Split(path); {
		case strings.HasSuffix(dir, "/snap/bin/"):
			return box{"snap", name}
		case strings.HasSuffix(dir, "/flatpak/exports/bin/"):
			return box{"flatpak", name}
		}
	}
	if name, ok := snapIn(real); ok {
		return box{"snap", name}
	}
	return box{}
}

// longestScript is how much of a program is looked at: what Ubuntu has in place of browsers is short.
const longestScript = 4 << 10

// snapIn returns the Snap that a script starts.
func snapIn(path string) (string, bool) {
	file, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer file.Close()
	text := make([]byte, longestScript)
	n, _ := file.Read(text)
	if !strings.HasPrefix(string(text[:n]), "#!") {
		return "", false
	}
	_, after, ok := strings.Cut(string(text[:n]), "/snap/bin/")
	end := strings.IndexFunc(after, func(r rune) bool {
		return r != '-' && r != '.' && r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	if end >= 0 {
		after = after[:end]
	}
	return after, ok && after != ""
}

// place is the folder in which the program's profiles are made.
func (p Program) place() (string, error) {
	var dir string
	switch p.box.kind {
	case "snap":
		dir = filepath.Join(homeDir(), "snap", p.box.name, "common")
	case "flatpak":
		dir = filepath.Join(homeDir(), ".var/app", p.box.name, "cache")
	default:
		return os.TempDir(), nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("%s runs in a box (%s) and sees its own folder alone: %w",
			p.Name, p.box.kind, err)
	}
	return dir, nil
}
