package browser

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Program is a browser that is installed.
type Program struct {
	Path string
	Name string // as people say it
	Kind Kind

	box box
}

// Kind is a family of browsers, whose members are told of a proxy in the same way.
type Kind string

// The families.
const (
	Chromium Kind = "Chromium"
	Firefox  Kind = "Firefox"
)

// known are the browsers that are looked for, in this order: those that take all they need to know
// on the command line come first.
var known = []struct {
	word  string // for --browser
	name  string
	kind  Kind
	linux []string // on PATH
	boxed []string // the same as Flatpak and Snap name it
	mac   []string // below /Applications and ~/Applications
	win   []string // below the folders for programs
}{
	{"chromium", "Chromium", Chromium,
		[]string{"chromium", "chromium-browser"}, []string{"org.chromium.Chromium", "chromium"},
		[]string{"Chromium.app/Contents/MacOS/Chromium"}, []string{`Chromium\Application\chrome.exe`}},
	{"chrome", "Google Chrome", Chromium,
		[]string{"google-chrome-stable", "google-chrome"}, []string{"com.google.Chrome"},
		[]string{"Google Chrome.app/Contents/MacOS/Google Chrome"},
		[]string{`Google\Chrome\Application\chrome.exe`}},
	{"edge", "Microsoft Edge", Chromium,
		[]string{"microsoft-edge-stable", "microsoft-edge"}, []string{"com.microsoft.Edge"},
		[]string{"Microsoft Edge.app/Contents/MacOS/Microsoft Edge"},
		[]string{`Microsoft\Edge\Application\msedge.exe`}},
	{"brave", "Brave", Chromium,
		[]string{"brave-browser", "brave"}, []string{"com.brave.Browser", "brave"},
		[]string{"Brave Browser.app/Contents/MacOS/Brave Browser"},
		[]string{`BraveSoftware\Brave-Browser\Application\brave.exe`}},
	{"firefox", "Firefox", Firefox,
		[]string{"firefox", "firefox-esr"}, []string{"org.mozilla.firefox", "firefox"},
		[]string{"Firefox.app/Contents/MacOS/firefox"}, []string{`Mozilla Firefox\firefox.exe`}},
}

// Words are the names that Find knows.
func Words() (words []string) {
	for _, one := range known {
		words = append(words, one.word)
	}
	return words
}

// Find returns the browser that is wanted: a path, a word of Words or the name of a program on PATH.
// An empty text wants the first that is installed.
func Find(wanted string) (Program, error) {
	if strings.ContainsRune(wanted, filepath.Separator) || strings.Contains(wanted, "/") {
		return programAt(wanted)
	}
	for i, one := range known {
		if wanted != "" && wanted != one.word {
			continue
		}
		for _, path := range candidates(i) {
			if isProgram(path) {
				return Program{path, one.name, one.kind, boxOf(path)}, nil
			}
		}
	}
	if path, err := exec.LookPath(wanted); wanted != "" && err == nil {
		return programAt(path)
	}
	if wanted == "" {
		return Program{}, errors.New("no browser is installed here that is known (" +
			strings.Join(Words(), ", ") + "): install one, or name its program with --browser PATH")
	}
	return Program{}, fmt.Errorf("no browser %q is installed here: give --browser the path of one, "+
		"or nothing for the first of %s that is", wanted, strings.Join(Words(), ", "))
}

// candidates are where one of known may be on this system.
func candidates(i int) (paths []string) {
	one, home := known[i], homeDir()
	switch runtime.GOOS {
	case "windows":
		for _, variable := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
			if dir := os.Getenv(variable); dir != "" {
				paths = append(paths, within([]string{dir}, one.win)...)
			}
		}
		return paths
	case "darwin":
		return within([]string{"/Applications", filepath.Join(home, "Applications")}, one.mac)
	}
	for _, name := range one.linux {
		if path, err := exec.LookPath(name); err == nil {
			paths = append(paths, path)
		}
	}
	return append(paths, within([]string{"/snap/bin", "/var/lib/flatpak/exports/bin",
		filepath.Join(home, ".local/share/flatpak/exports/bin")}, one.boxed)...)
}

func within(dirs, names []string) (paths []string) {
	for _, dir := range dirs {
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}

func homeDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return string(filepath.Separator)
	}
	return home
}

// isProgram reports a file that may be run.
func isProgram(path string) bool {
	file, err := os.Stat(path)
	return err == nil && !file.IsDir() && (runtime.GOOS == "windows" || file.Mode()&0o111 != 0)
}

// programAt is the browser at a path that somebody has given.
func programAt(path string) (Program, error) {
	if bundled, ok := inBundle(path); ok {
		path = bundled
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return Program{}, err
	}
	if _, err := os.Stat(path); err != nil {
		return Program{}, fmt.Errorf("the browser: %w", err)
	}
	if !isProgram(path) {
		return Program{}, fmt.Errorf("%s is not a program: name that of the browser", path)
	}
	kind, err := kindOf(path)
	return Program{path, filepath.Base(path), kind, boxOf(path)}, err
}

// inBundle returns the program of an application of macOS, which is a folder.
func inBundle(path string) (string, bool) {
	path = strings.TrimSuffix(path, "/")
	name, is := strings.CutSuffix(filepath.Base(path), ".app")
	if !is {
		return "", false
	}
	for _, name := range []string{name, strings.ToLower(name)} {
		if program := filepath.Join(path, "Contents/MacOS", name); isProgram(program) {
			return program, true
		}
	}
	return "", false
}
