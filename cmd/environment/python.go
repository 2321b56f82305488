package environment

import (
	_ "embed"
	"os"
	"path/filepath"
)

//go:embed sitecustomize.py
var sitecustomize []byte

// python returns a folder before those in which Python looks for modules: it loads a file in it at
// its start. Programs that use certifi by themselves (yt-dlp, many that are built on urllib3) read
// no variable for their roots, and Selenium's driver finds browsers by no PATH.
func python(m *maker, name string) string {
	folder := filepath.Join(m.folder, "python")
	if m.err == nil {
		m.err = os.MkdirAll(folder, 0o700)
	}
	m.write(filepath.Join("python", "sitecustomize.py"), sitecustomize)
	if had := m.get(name); had != "" {
		return folder + string(filepath.ListSeparator) + had
	}
	return folder
}
