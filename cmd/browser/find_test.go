//go:build unix && !darwin

package browser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// install makes programs in dir, each with a script.
func install(t *testing.T, dir string, programs map[string]string) {
	t.Helper()
	for name, text := range programs {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFind: the first that is installed is taken, or the one that is named, by what it is.
func TestFind(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("PATH", dir)
	if p, err := Find("firefox"); err == nil {
		t.Skipf("%s is here in any case", p.Path)
	}
	if p, err := Find(""); err == nil {
		t.Skipf("%s is here in any case", p.Path)
	} else if !strings.Contains(err.Error(), "--browser") {
		t.Error(err)
	}
	shown := func(text string) string { return `[ "$1" = --version ] && echo "` + text + `"` }
	install(t, dir, map[string]string{
		"firefox-esr":           "",
		"brave-browser":         "",
		"ubuntu/firefox":        "exec /snap/bin/firefox \"$@\"",
		"mine":                  shown("Mozilla Firefox 153.0"),
		"other":                 shown("Chromium 156.0"),
		"none":                  shown("ls 9.1"),
		"slow":                  "echo; sleep 0.1; " + shown("Vivaldi 7"),
		"snap/bin/chromium":     "",
		"Some.app/Contents/x":   "",
		"folder/omni.ja":        "",
		"folder/start":          shown("Chromium"),
		"flatpak/exports/bin/a": shown("Brave"),
		"chromium-dev/x":        "",
	})
	if err := os.WriteFile(filepath.Join(dir, "chrome"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		wanted, path, kind, box string
	}{
		{"", "brave-browser", "Chromium", ""},
		{"brave", "brave-browser", "Chromium", ""},
		{"firefox", "firefox-esr", "Firefox", ""},
		{"firefox-esr", "firefox-esr", "Firefox", ""}, // the name of a program
		{"mine", "mine", "Firefox", ""},
		{"other", "other", "Chromium", ""},
		{dir + "/mine", "mine", "Firefox", ""},
		{dir + "/slow", "slow", "Chromium", ""},
		{dir + "/ubuntu/firefox", "ubuntu/firefox", "Firefox", "snap firefox"},
		{dir + "/snap/bin/chromium", "snap/bin/chromium", "Chromium", "snap chromium"},
		{dir + "/flatpak/exports/bin/a", "flatpak/exports/bin/a", "Chromium", "flatpak a"},
		{dir + "/folder/start", "folder/start", "Firefox", ""}, // what lies beside it comes first
		{"chrome", "", "", ""},
		{"nosuch", "", "", ""},
		{dir + "/none", "", "", ""},
		{dir + "/nosuch", "", "", ""},
		{dir + "/chrome", "", "", ""}, // nothing that can be run
		{dir + "/chromium-dev", "", "", ""},
		{dir, "", "", ""},
	} {
		p, err := Find(c.wanted)
		if c.path == "" {
			if err == nil {
				t.Errorf("%q: %+v", c.wanted, p)
			}
			continue
		}
		box := strings.TrimSpace(p.box.kind + " " + p.box.name)
		if err != nil || p.Path != filepath.Join(dir, c.path) || string(p.Kind) != c.kind || box != c.box {
			t.Errorf("%q: %+v, %v", c.wanted, p, err)
		}
	}
	t.Chdir(dir)
	if p, err := Find("./mine"); err != nil || p.Path != filepath.Join(dir, "mine") {
		t.Errorf("./mine: %+v, %v", p, err)
	}
}

// TestPlace: the profile of a boxed browser lies where that can see it.
func TestPlace(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for kind, want := range map[string]string{
		"":        os.TempDir(),
		"snap":    home + "/snap/x/common",
		"flatpak": home + "/.var/app/x/cache",
	} {
		place, err := (Program{box: box{kind, "x"}}).place()
		if stat, _ := os.Stat(place); err != nil || place != want || stat == nil {
			t.Errorf("%q: %s, %v", kind, place, err)
		}
	}
	if err := os.WriteFile(home+"/snap/y", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if place, err := (Program{Name: "Y", box: box{"snap", "y"}}).place(); err == nil ||
		!strings.Contains(err.Error(), "snap") {
		t.Errorf("%s, %v", place, err)
	}
}

// TestDisplay: without a screen a window is refused before anything is begun.
func TestDisplay(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	if err := (Program{}).Check(false); err == nil || !strings.Contains(err.Error(), "--headless") {
		t.Error(err)
	}
	if err := (Program{}).Check(true); err != nil {
		t.Error(err)
	}
	t.Setenv("WAYLAND_DISPLAY", "wayland-0")
	if err := (Program{}).Check(false); err != nil {
		t.Error(err)
	}
}
