package environment

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"warcorder/certs"
	"warcorder/cmd/browser"
)

// chromiumFlags are for browsers: they take the proxy from the environment on some systems alone,
// and trust in no case.
func (m *maker) chromiumFlags() ([]string, error) {
	chain, err := certs.Parse(m.proxy.CA)
	if err != nil {
		return nil, fmt.Errorf("the certificate of the recorder %w", err)
	}
	return browser.ProxyFlags(m.proxy.Address, chain[0]), nil
}

// chromiums are the names by which browsers of that kind are started.
var chromiums = strings.Fields("chromium chromium-browser chrome chrome-headless-shell " +
	"google-chrome google-chrome-stable google-chrome-beta google-chrome-unstable " +
	"microsoft-edge microsoft-edge-stable brave brave-browser headless_shell")

// path puts a folder before all others in which programs are looked for: in it, each browser that is
// found has a script of its name that adds our flags.
func path(m *maker, name string) string {
	if runtime.GOOS == "windows" { // where no script stands in for a program
		return ""
	}
	flags, err := m.chromiumFlags()
	if err != nil {
		m.err = err
		return ""
	}
	folder := filepath.Join(m.folder, "bin")
	for _, chromium := range chromiums {
		if found, err := LookPath(chromium, m.inherited); err == nil {
			m.script(folder, chromium, append([]string{found}, flags...))
		}
	}
	if _, err := os.Stat(folder); err != nil {
		return ""
	}
	return folder + string(filepath.ListSeparator) + m.get(name)
}

// script writes one that starts a program with arguments before those that it is given.
func (m *maker) script(folder, name string, command []string) {
	var quoted []string
	for _, word := range command {
		quoted = append(quoted, "'"+strings.ReplaceAll(word, "'", `'\''`)+"'")
	}
	text := "#!/bin/sh\nexec " + strings.Join(quoted, " ") + " \"$@\"\n"
	if m.err == nil {
		m.err = os.MkdirAll(folder, 0o700)
	}
	if m.err == nil {
		m.err = os.WriteFile(filepath.Join(folder, name), []byte(text), 0o700)
	}
}

// brozzler returns flags for the browsers of brozzler, which divides them at blanks.
func brozzler(m *maker, name string) string {
	flags, err := m.chromiumFlags()
	if err != nil {
		m.err = err
		return ""
	}
	return strings.TrimSpace(m.get(name) + " " + strings.Join(flags, " "))
}
